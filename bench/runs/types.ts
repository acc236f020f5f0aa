// `types`: the listing of instance types of every variant, with 10,000 hosts and 60 products.

import type { Bench } from "../bench.ts";
import type { Outcome } from "../verdict.ts";
import { get, marketplace } from "../worlds/customers.ts";
import { againstBare, againstBoth } from "./against-peers.ts";

export async function types(bench: Bench): Promise<Outcome> {
  const { service, customers } = await bench.stage(bench.effort.largeWorld ? "large, full" : "large");
  const [customer] = customers;
  if (customer === undefined) throw new Error("BUG: a world without customers");
  const { main, reference } = service.ports;
  const read = (label: string, port: number, path: string) => ({ service, label, port, request: get(path, customer) });
  const ofM = await againstBoth(bench, read("M", main, `${marketplace}/instance-types`));
  const ofD = await againstBare(bench, read("D", main, "/api/v1/gpu-inventory"));
  const ofR = await againstBare(bench, read("R", reference, "/instance-types"));
  return {
    name: "types",
    figures: { M: ofM.bare, D: ofD.bare, R: ofR.bare, usual: ofM.usual },
    notes: [...ofM.notes, ...ofD.notes, ...ofR.notes],
  };
}
