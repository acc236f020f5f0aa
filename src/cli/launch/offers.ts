// Filters and sorts the offers of `lessor types`. Pure.

import type { Shape } from "../../client/client.ts";
import { gpuMemoryGb } from "../../rules/gpu-memory.ts";
import { returningWords } from "../../rules/gpu-return.ts";

export type Offer = Shape<"Offer">;

export interface OfferFilter {
  /** A region that offers it, with capacity or without. */
  readonly region?: string | undefined;
  /** Only what fits now. */
  readonly available: boolean;
  /** Part of the GPU's model or description; case-insensitive. */
  readonly gpu?: string | undefined;
  /** The minimum memory of each GPU. */
  readonly gpuMemoryGb?: number | undefined;
  readonly maxPriceCents?: number | undefined;
}

/** How many fit now, in the region or in total. Null if no host could ever hold one. */
export function fitting(offer: Offer, region: string | undefined): number | null {
  const regions = region === undefined ? offer.regions : offer.regions.filter(({ name }) => name === region);
  if (!regions.some(({ offered }) => offered)) return null;
  return regions.reduce((sum, { available }) => sum + available, 0);
}

/** The GPUs that are being reset or validated, in the region or in all, in words; undefined: none. */
export function returningTo({ regions }: Offer, region: string | undefined, now: number): string | undefined {
  const here = region === undefined ? regions : regions.filter(({ name }) => name === region);
  return returningWords(
    here.flatMap(({ returning }) => returning),
    now,
  );
}

/** Whether the offer matches every given filter. */
export function matches(offer: Offer, filter: OfferFilter): boolean {
  const { region, available, gpu, gpuMemoryGb: least, maxPriceCents } = filter;
  const { gpu_model, gpu_description, gpus, price_cents_per_hour } = offer.instance_type;
  const fits = fitting(offer, region);
  if (region !== undefined && fits === null) return false;
  if (available && (fits ?? 0) === 0) return false;
  if (maxPriceCents !== undefined && price_cents_per_hour > maxPriceCents) return false;
  if (gpu !== undefined && (gpus === 0 || !contains(`${gpu_model} ${gpu_description}`, gpu))) return false;
  return least === undefined || (memoryOf(offer) ?? 0) >= least;
}

/** Sort keys: numeric, missing values last; ties by name. */
const orders = {
  name: () => 0,
  price: ({ instance_type }: Offer) => instance_type.price_cents_per_hour,
  gpus: ({ instance_type }: Offer) => instance_type.gpus,
  "gpu-memory": (offer: Offer) => memoryOf(offer),
  available: ({ available }: Offer) => available,
} as const satisfies Record<string, (offer: Offer) => number | undefined>;

export type OfferOrder = keyof typeof orders;

/** In the order in which help lists them. */
export const offerOrders = Object.keys(orders) as readonly OfferOrder[];

/** Smallest first; `descending`: largest first. */
export function sorted(offers: readonly Offer[], order: OfferOrder, descending: boolean): Offer[] {
  const value = orders[order];
  const sign = descending ? -1 : 1;
  return offers.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one !== other) {
      if (one === undefined) return 1;
      if (other === undefined) return -1;
      return sign * (one - other);
    }
    const [name, otherName] = [a.instance_type.name, b.instance_type.name];
    return (order === "name" ? sign : 1) * (name < otherName ? -1 : 1);
  });
}

function memoryOf({ instance_type: { gpus, gpu_description } }: Offer): number | undefined {
  return gpus === 0 ? undefined : gpuMemoryGb(gpu_description);
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
