// `lessor regions`: lists regions, and how many instances of each type fit there now.

import type { Command } from "commander";
import { type Column, printTable } from "../output/table.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

interface RegionOffer {
  readonly name: string;
  readonly description: string;
  /** How many of each instance type fit there now. */
  readonly available: Readonly<Record<string, number>>;
}

export function define(command: Command, shell: Shell): void {
  withJson(command).action(async ({ json }: { json: boolean }) => {
    const regions = await regionsOf(shell);
    if (json) return printJson(shell, regions);
    printTable(shell.out, regions, columns, "No regions.");
  });
  examples(command, { "lessor regions": "names for --region, with capacity" });
}

/** The offers, grouped by region. */
async function regionsOf(shell: Shell): Promise<RegionOffer[]> {
  const { data } = await shell.client().ask((api) => api.GET("/offers", { params: { query: {} } }));
  const found = new Map<string, RegionOffer>();
  for (const { instance_type: type, regions } of data) {
    for (const { name, description, available } of regions) {
      const before = found.get(name)?.available;
      found.set(name, { name, description, available: { ...before, [type.name]: available } });
    }
  }
  return [...found.values()];
}

function fitting({ available }: RegionOffer): string[] {
  return Object.keys(available).filter((type) => (available[type] ?? 0) > 0);
}

const columns: readonly Column<RegionOffer>[] = [
  { title: "REGION", of: ({ name }) => name, colour: () => "bold" },
  { title: "LOCATION", of: ({ description }) => description, spare: 2 },
  { title: "FIT NOW", of: (one) => `${fitting(one).length} types`, align: "right" },
  { title: "TYPES", of: (one) => fitting(one).join(", "), spare: 1 },
];
