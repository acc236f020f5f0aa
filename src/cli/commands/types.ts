// `lessor types`: what can be rented, what it costs, and how many fit now.

import type { Command } from "commander";
import type { Shape } from "../../client/index.ts";
import { type Column, printTable } from "../output/table.ts";
import { perHour } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Offer = Shape<"Offer">;

interface Options {
  readonly region?: string;
  readonly available: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .option("--region <region>", "only what fits in a region now")
    .option("--available", "only what fits somewhere now", false)
    .action((options: Options) => types(shell, options));
  examples(command, {
    "lessor types": "everything, with its price and how many fit",
    "lessor types --region us-east-1": "what fits there",
    "lessor types --available --json | jq -r '.[].instance_type.name'": "names, for a program",
  });
}

async function types(shell: Shell, { region, available, json }: Options): Promise<void> {
  const { data } = await shell.client().ask((api) => api.GET("/offers", { params: { query: {} } }));
  const fits = (offer: Offer) =>
    (!available || offer.available > 0) && (region === undefined || roomIn(offer, region) > 0);
  const offers = data.filter(fits);
  if (json) return printJson(shell, offers);
  const count = (offer: Offer) => (region === undefined ? offer.available : roomIn(offer, region));
  const fit: Column<Offer> = {
    title: "FIT NOW",
    of: count,
    align: "right",
    colour: (one) => (count(one) > 0 ? "green" : "red"),
  };
  const [name, price, ...rest] = columns;
  if (name === undefined || price === undefined) throw new Error("BUG: no columns");
  const none =
    region === undefined
      ? "Nothing can be rented."
      : `Nothing fits in ${region} now. lessor regions shows where something does.`;
  printTable(shell.out, offers, [name, price, fit, ...rest], none);
}

function roomIn({ regions }: Offer, region: string): number {
  return regions.find(({ name }) => name === region)?.available ?? 0;
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

function whereOf({ regions }: Offer): string {
  return regions
    .filter(({ available }) => available > 0)
    .map(({ name }) => name)
    .join(", ");
}
