// The requests to Placement: inventories of as many hosts as the service has for its launches, and one reservation of a
// machine's GPU, CPU, memory and disk for a new consumer. The query for candidates that Nova sends before it is left
// out, in Placement's favor.

import type { PlannedRequest } from "../../load/plan.ts";

const PROVIDERS = 400;
const headers = {
  "x-auth-token": "admin",
  "openstack-api-version": "placement 1.38",
  "content-type": "application/json",
  accept: "application/json",
};
const inventories = {
  PGPU: { total: 10_000_000 },
  VCPU: { total: 100_000_000 },
  MEMORY_MB: { total: 2_000_000_000 },
  DISK_GB: { total: 2_000_000_000 },
};
const resources = { PGPU: 1, VCPU: 16, MEMORY_MB: 131_072, DISK_GB: 2048 };

function providerId(place: number): string {
  return `00000000-0000-4000-9000-${place.toString(16).padStart(12, "0")}`;
}

/** Throws Placement's response if it is unsuccessful. */
export async function makeProviders(port: number): Promise<void> {
  for (let place = 0; place < PROVIDERS; place++) {
    const uuid = providerId(place);
    await ask(port, "POST", "/resource_providers", { name: `host-${place}`, uuid });
    const body = { resource_provider_generation: 0, inventories };
    await ask(port, "PUT", `/resource_providers/${uuid}/inventories`, body);
  }
}

/** One for each host, to be sent in turn: two of one host at once would make Placement retry. */
export function reservations(): PlannedRequest[] {
  return Array.from({ length: PROVIDERS }, (_, place) => ({
    method: "PUT",
    path: "/allocations/00000000-0000-4000-8000-{#}",
    headers,
    body: JSON.stringify({
      allocations: { [providerId(place)]: { resources } },
      project_id: "bench",
      user_id: "bench",
      consumer_generation: null,
      consumer_type: "INSTANCE",
    }),
  }));
}

async function ask(port: number, method: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Placement, ${method} ${path}: ${response.status} ${text}`);
}
