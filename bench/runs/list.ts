// `list`: GET /instances of M for an account with 20 instances.

import type { Bench } from "../bench.ts";
import type { Outcome } from "../verdict.ts";
import { get, marketplace } from "../worlds/customers.ts";
import { againstBoth } from "./against-peers.ts";
import { principalWith } from "./principal-with.ts";

export async function list(bench: Bench): Promise<Outcome> {
  const { service } = await bench.stage("main");
  const { customer } = await principalWith(bench, 20);
  const request = get(`${marketplace}/instances`, customer);
  const { bare, usual, notes } = await againstBoth(bench, { service, port: service.ports.main, request, label: "M" });
  return { name: "list", figures: { bare, usual }, notes };
}
