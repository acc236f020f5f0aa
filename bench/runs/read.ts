// `read`: GET /instances/{uuid} of M.

import type { Bench } from "../bench.ts";
import type { Outcome } from "../verdict.ts";
import { get, marketplace } from "../worlds/customers.ts";
import { againstBoth } from "./against-peers.ts";
import { principalWith } from "./principal-with.ts";

export async function read(bench: Bench): Promise<Outcome> {
  const { service } = await bench.stage("main");
  const { customer, instanceIds } = await principalWith(bench, 20);
  const request = get(`${marketplace}/instances/${instanceIds[0] ?? ""}`, customer);
  const { bare, usual, notes } = await againstBoth(bench, { service, port: service.ports.main, request, label: "M" });
  return { name: "read", figures: { bare, usual }, notes };
}
