// `lessor types`: instance types, their prices, and how many fit now. Filters and sorting: ../launch/offers.ts.

import { type Command, Option } from "commander";
import { fitting, matches, type Offer, type OfferOrder, offerOrders, returningTo, sorted } from "../launch/offers.ts";
import { chosen } from "../names.ts";
import { type Column, printTable } from "../output/table.ts";
import { centsIn, perHour, wholeNumber } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly region?: string;
  readonly available: boolean;
  readonly gpu?: string;
  readonly gpuMemory?: string;
  readonly maxPrice?: string;
  readonly sort: OfferOrder;
  readonly descending: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .option("--region <region>", "only types that a region offers")
    .option("--available", "only types that fit now", false)
    .option("--gpu <model>", "only types whose GPU model contains this, such as h100")
    .option("--gpu-memory <gb>", "only types with at least this much memory per GPU, in GB")
    .option("--max-price <amount>", "only types that cost at most this per hour, such as 2.50")
    .addOption(new Option("--sort <order>", "sort by").choices(offerOrders).default("name"))
    .option("--descending", "sort the largest first", false)
    .action((options: Options) => types(shell, options));
  examples(command, {
    "lessor types": "all types with price and capacity",
    "lessor types --gpu h100 --sort price": "types with H100 GPUs, cheapest first",
    "lessor types --gpu-memory 80 --available": "types with 80 GB per GPU that fit now",
    "lessor types --region us-east-1": "types that a region offers",
    "lessor types --available --json | jq -r '.[].instance_type.name'": "names, for a program",
  });
}

async function types(shell: Shell, { sort, descending, json, ...options }: Options): Promise<void> {
  const { region, available, gpu, gpuMemory, maxPrice } = options;
  const filter = {
    region,
    available,
    gpu,
    gpuMemoryGb: gpuMemory === undefined ? undefined : wholeNumber("--gpu-memory", 1)(gpuMemory),
    maxPriceCents: maxPrice === undefined ? undefined : centsIn(maxPrice),
  };
  const { data } = await shell.client().ask((api) => api.GET("/offers", { params: { query: {} } }));
  // An empty list for a misspelled name would suggest that there is no capacity.
  if (region !== undefined && data.length > 0) regionNamed(region, data);
  const offers = sorted(
    data.filter((offer) => matches(offer, filter)),
    sort,
    descending,
  );
  if (json) return printJson(shell, offers);
  const fit: Column<Offer> = {
    title: "FIT NOW",
    of: (offer) => fitting(offer, region),
    align: "right",
    colour: (offer) => colourOf(fitting(offer, region)),
  };
  const now = Date.now();
  const back: Column<Offer> = { title: "COMING BACK", of: (offer) => returningTo(offer, region, now), spare: 1 };
  // Most services have none at most times.
  const isAnyBack = offers.some((offer) => returningTo(offer, region, now) !== undefined);
  const isAnySpot = offers.some(({ instance_type: type }) => type.spot_price_cents_per_hour !== null);
  const [name, price, ...rest] = columns;
  if (name === undefined || price === undefined) throw new Error("BUG: no columns");
  const none = data.length === 0 ? "No instance types." : "No instance types match these filters.";
  printTable(
    shell.out,
    offers,
    [name, price, ...(isAnySpot ? [spotPrice] : []), fit, ...(isAnyBack ? [back] : []), ...rest],
    none,
  );
}

/** Throws CommandError if no region has exactly this name. */
function regionNamed(word: string, offers: readonly Offer[]): void {
  chosen({
    word,
    what: "region",
    // Every offer lists all regions.
    groups: [offers[0]?.regions ?? []],
    names: [({ name }) => name],
    parts: [],
    show: ({ name }) => name,
    list: "lessor regions",
  });
}

function colourOf(fits: number | null): "green" | "red" | "dim" {
  if (fits === null) return "dim";
  return fits > 0 ? "green" : "red";
}

const columns: readonly Column<Offer>[] = [
  { title: "TYPE", of: (one) => one.instance_type.name, colour: () => "bold" },
  { title: "PRICE", of: (one) => perHour(one.instance_type.price_cents_per_hour), align: "right" },
  {
    title: "GPUS",
    of: ({ instance_type: { gpus, gpu_description } }) => (gpus === 0 ? null : `${gpus} x ${gpu_description}`),
    spare: 3,
  },
  { title: "VCPUS", of: (one) => one.instance_type.vcpus, align: "right", spare: 4 },
  { title: "GIB", of: (one) => one.instance_type.memory_gib, align: "right", spare: 5 },
  { title: "DISK GB", of: (one) => one.instance_type.storage_gb, align: "right", spare: 6 },
  { title: "REGIONS", of: whereOf, spare: 2 },
];

const spotPrice: Column<Offer> = {
  title: "SPOT",
  of: ({ instance_type: { spot_price_cents_per_hour: price } }) => (price === null ? null : perHour(price)),
  align: "right",
  spare: 1,
};

function whereOf({ regions }: Offer): string {
  return regions
    .filter(({ available }) => available > 0)
    .map(({ name }) => name)
    .join(", ");
}
