// Customers of a dataset: accounts with a token, and their requests.

import type { PlannedRequest } from "../load/plan.ts";
import type { Service } from "../service/service.ts";

export interface Customer {
  readonly accountId: string;
  readonly token: string;
}

/** The base path of a variant on its port. */
export const marketplace = "/api/vm_marketplace";

export async function makeCustomers(service: Service, count: number, name: string): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let i = 0; i < count; i++) {
    const { id } = (await service.control("POST", "/accounts", { name: `${name}-${i}` })) as { id: string }; // documented so
    customers.push(await customerOf(service, id));
  }
  return customers;
}

/** With a new token of this account. */
export async function customerOf(service: Service, accountId: string): Promise<Customer> {
  const order = { name: "bench", scopes: ["read", "write"] };
  const made = await service.control("POST", `/accounts/${accountId}/tokens`, order);
  return { accountId, token: (made as { token: string }).token }; // documented so
}

export function get(path: string, { token }: Customer): PlannedRequest {
  return { method: "GET", path, headers: { authorization: `Bearer ${token}` } };
}

/** One instance, with a new Idempotency-Key. */
export function launch(customer: Customer, product: string, region: string): PlannedRequest {
  return {
    method: "POST",
    path: `${marketplace}/instance-operations/launch`,
    headers: {
      authorization: `Bearer ${customer.token}`,
      "content-type": "application/json",
      "idempotency-key": "bench-{#}",
    },
    body: JSON.stringify({
      instance_type_name: product,
      region_name: region,
      ssh_key_names: [],
      file_system_names: [],
      quantity: 1,
      name: "bench-{#}",
    }),
  };
}
