// The quotas of the fake's Neutron: one set of limits for every project.

import { type FakeCall, refusal } from "./exchange.ts";
import type { FakeWorld } from "./world.ts";

type Quota = "port" | "floatingip" | "security_group" | "security_group_rule";

/** Throws if the project has so many that it may have no more. */
export function overQuota(world: FakeWorld, name: Quota, used: number): void {
  const limit = world.quotas[name];
  if (limit >= 0 && used >= limit)
    throw refusal("network", 409, `Quota exceeded for resources: ['${name}'].`, "OverQuota");
}

export function quotaOf({ quotas }: FakeWorld): object {
  const { port, floatingip, security_group, security_group_rule } = quotas;
  return {
    network: 100,
    subnet: 100,
    subnetpool: -1,
    port,
    router: 10,
    floatingip,
    rbac_policy: 10,
    security_group,
    security_group_rule,
  };
}

export function usedQuota(world: FakeWorld, { caller }: FakeCall): object {
  const { networks } = world;
  const own = <T extends { readonly project: string }>(all: ReadonlyMap<string, T>) =>
    [...all.values()].filter(({ project }) => project === caller.project.id);
  const used: Record<string, number> = {
    port: own(networks.ports).length,
    floatingip: own(networks.floatings).length,
    security_group: own(networks.groups).length,
    security_group_rule: own(networks.groups).flatMap(({ rules }) => rules).length,
  };
  const rows = Object.entries(quotaOf(world)).map(([name, limit]) => [
    name,
    { limit, used: used[name] ?? 0, reserved: 0 },
  ]);
  return Object.fromEntries(rows);
}
