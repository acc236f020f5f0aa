// `list`: GET /instances of M for an account with 20 instances.

import type { Bench } from "../bench.ts";
import type { Outcome } from "../verdict.ts";
import { get, marketplace } from "../worlds/customers.ts";
import { againstBare } from "./against-bare.ts";
import { principalWith } from "./principal-with.ts";

export async function list(bench: Bench): Promise<Outcome> {
  const { service } = await bench.stage("main");
  const { customer } = await principalWith(bench, 20);
  const { ratio, notes } = await againstBare(bench, service.ports.main, get(`${marketplace}/instances`, customer), "M");
  return { name: "list", figures: { "": ratio }, notes };
}
