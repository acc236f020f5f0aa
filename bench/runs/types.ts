// `types`: the listing of instance types of every variant, with 10,000 hosts and 60 products.

import type { Bench } from "../bench.ts";
import type { Figure } from "../statistics.ts";
import type { Outcome } from "../verdict.ts";
import { get, marketplace } from "../worlds/customers.ts";
import { againstBare } from "./against-bare.ts";

export async function types(bench: Bench): Promise<Outcome> {
  const { service, customers } = await bench.stage(bench.effort.largeWorld ? "large, full" : "large");
  const [customer] = customers;
  if (customer === undefined) throw new Error("BUG: a world without customers");
  const { main, reference } = service.ports;
  const places = {
    M: [main, `${marketplace}/instance-types`],
    D: [main, "/api/v1/gpu-inventory"],
    R: [reference, "/instance-types"],
  } as const;
  const figures: Record<string, Figure> = {};
  const notes: string[] = [];
  for (const [variant, [port, path]] of Object.entries(places)) {
    const compared = await againstBare(bench, port, get(path, customer), variant);
    figures[variant] = compared.ratio;
    notes.push(...compared.notes);
  }
  return { name: "types", figures, notes };
}
