// `read`: GET /instances/{uuid} of M.

import type { Bench } from "../bench.ts";
import type { Outcome } from "../verdict.ts";
import { get, marketplace } from "../worlds/customers.ts";
import { againstBare } from "./against-bare.ts";
import { principalWith } from "./principal-with.ts";

export async function read(bench: Bench): Promise<Outcome> {
  const { service } = await bench.stage("main");
  const { customer, instanceIds } = await principalWith(bench, 20);
  const path = `${marketplace}/instances/${instanceIds[0] ?? ""}`;
  const { ratio, notes } = await againstBare(bench, service.ports.main, get(path, customer), "M");
  return { name: "read", figures: { "": ratio }, notes };
}
