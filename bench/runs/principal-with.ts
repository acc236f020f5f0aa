// A customer with this many active instances, which no run of launches touches. Created once for each bench.

import type { Bench } from "../bench.ts";
import type { Service } from "../service/service.ts";
import { cpuProduct } from "../worlds/catalog.ts";
import { type Customer, makeCustomers, marketplace } from "../worlds/customers.ts";
import { settled } from "../worlds/settle.ts";

export interface Tenant {
  readonly customer: Customer;
  readonly instanceIds: readonly string[];
}

const known = new WeakMap<Bench, Promise<Tenant>>();

/** In the main dataset. */
export function principalWith(bench: Bench, count: number): Promise<Tenant> {
  const made = known.get(bench) ?? make(bench, count);
  known.set(bench, made);
  return made;
}

async function make(bench: Bench, count: number): Promise<Tenant> {
  const { service } = await bench.stage("main");
  return tenantWith(service, count);
}

/** A new one. */
export async function tenantWith(service: Service, count: number): Promise<Tenant> {
  const [customer] = await makeCustomers(service, 1, "reader");
  if (customer === undefined) throw new Error("BUG: one customer was asked for");
  const order = { instance_type_name: cpuProduct.name, region_name: "any", ssh_key_names: [], quantity: count };
  const path = `${marketplace}/instance-operations/launch`;
  const launched = (await service.call("POST", path, customer.token, order)) as { uuids: string[] }; // documented so
  await settled(service);
  return { customer, instanceIds: launched.uuids };
}
