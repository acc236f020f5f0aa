// The order of instance types on the launch page. Pure.

import type { Shape } from "../../../src/client/client.ts";

type Offer = Pick<Shape<"Offer">, "instance_type">;
type Type = Pick<Shape<"InstanceType">, "gpus" | "gpu_description" | "price_cents_per_hour">;

export const offerOrders = ["cheapest", "dearest", "most-gpu-memory", "least-gpu-memory"] as const;
export type OfferOrder = (typeof offerOrders)[number];

export const offerOrderTitles: Readonly<Record<OfferOrder, string>> = {
  cheapest: "Price: low to high",
  dearest: "Price: high to low",
  "most-gpu-memory": "GPU memory: high to low",
  "least-gpu-memory": "GPU memory: low to high",
};

/**
 * The memory of all GPUs of a type together in GB, as the description of its GPU states it: "H100 (80 GB SXM5)". Undefined:
 * it has no GPU, or the description states none.
 */
export function gpuMemoryGb({ gpus, gpu_description }: Omit<Type, "price_cents_per_hour">): number | undefined {
  const [, each] = /(\d+(?:\.\d+)?)\s*Gi?B\b/i.exec(gpu_description) ?? [];
  return gpus === 0 || each === undefined ? undefined : gpus * Number(each);
}

/** Those that are alike by price; what has no GPU memory last either way. */
export function sortOffers<One extends Offer>(offers: readonly One[], order: OfferOrder): readonly One[] {
  const price = ({ instance_type }: One) => instance_type.price_cents_per_hour;
  if (order === "cheapest") return [...offers].sort((one, other) => price(one) - price(other));
  if (order === "dearest") return [...offers].sort((one, other) => price(other) - price(one));
  const memory = ({ instance_type }: One) => gpuMemoryGb(instance_type);
  const sign = order === "most-gpu-memory" ? -1 : 1;
  return [...offers].sort((one, other) => {
    const [a, b] = [memory(one), memory(other)];
    const byMemory =
      a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : sign * (a - b);
    return byMemory === 0 ? price(one) - price(other) : byMemory;
  });
}
