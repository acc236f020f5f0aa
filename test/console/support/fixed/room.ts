// What room the fixed world has: why something fits or does not, what can be rented, what it costs, and its engines.

import type { Shape } from "../../../../src/client/client.ts";
import { instanceTypes, regions, typeNamed } from "./catalog.ts";
import { hosts } from "./fleet.ts";
import { ago, costOf } from "./moments.ts";

type Filter = Shape<"HostCapacity">["regions"][number]["filters"][number];

export const capacity: Shape<"HostCapacity">[] = instanceTypes.map((type) => ({
  instance_type: type.name,
  regions: regions.map(({ name }) => explained(type, name)),
}));

/** The filters in their order, each on what the ones before have left. */
function explained(type: Shape<"InstanceType">, region: string) {
  const here = hosts.filter((host) => host.region === region);
  const free = (host: Shape<"Host">) =>
    host.gpus.filter(({ model, state, healthy }) => model === type.gpu_model && state === "free" && healthy).length;
  const rules: readonly [Filter["filter"], (host: Shape<"Host">) => boolean][] = [
    ["not-lost", (host) => host.mode !== "lost"],
    ["available", (host) => host.available],
    ["not-cordoned", (host) => !host.cordoned],
    ["gpu-model", (host) => type.gpu_model === null || host.gpus.some(({ model }) => model === type.gpu_model)],
    ["gpus-free", (host) => free(host) >= type.gpus],
    ["vcpus-free", (host) => host.free_vcpus >= type.vcpus],
    ["memory-free", (host) => host.free_memory_gib >= type.memory_gib],
    ["storage-free", (host) => host.free_storage_gb >= type.storage_gb],
  ];
  let left = here;
  const filters = rules.map(([filter, fits]): Filter => {
    left = left.filter(fits);
    return { filter, hosts_left: left.length };
  });
  return { region, hosts: here.length, filters, returning: [] };
}

export const offers: Shape<"Offer">[] = instanceTypes.map((type, index) => {
  const available = regions.map((region, number) => {
    const offered = hosts.some(
      (host) =>
        host.region === region.name && (type.gpus === 0 || host.gpus.some(({ model }) => model === type.gpu_model)),
    );
    return { ...region, offered, available: offered ? (index * 5 + number * 3) % 9 : 0, returning: [] };
  });
  return {
    instance_type: type,
    available: available.reduce((sum, one) => sum + one.available, 0),
    regions: available,
  };
});

/** The price of what a query asks for. */
export function quote(query: URLSearchParams): Shape<"Quote"> {
  const type = typeNamed(query.get("instance_type") ?? "");
  const quantity = Number(query.get("quantity") ?? 1);
  const code = query.get("coupon") ?? "";
  const percent = code === "" ? 0 : 10;
  const isSpot = query.get("spot") === "true";
  const price = (isSpot ? type.spot_price_cents_per_hour : null) ?? type.price_cents_per_hour;
  const before = price * quantity;
  const after = Math.round(before * (1 - percent / 100));
  const offered = offers.find((one) => one.instance_type.name === type.name);
  const fitting = offered?.regions.filter(({ available }) => available >= quantity) ?? [];
  const region = query.get("region");
  const chosen = region === null ? fitting[0] : fitting.find(({ name }) => name === region);
  return {
    instance_type: type.name,
    region,
    quantity,
    spot: isSpot,
    list_price_cents_per_hour: price,
    coupon: percent === 0 ? null : { code, discount_percent: percent },
    hourly: { before_discount: costOf(before), after: costOf(after) },
    monthly: { before_discount: costOf(before * 730), after: costOf(after * 730) },
    fits: chosen !== undefined,
    region_chosen: chosen?.name ?? null,
    fits_in: fitting.map(({ name, description, available }) => ({ name, description, available })),
    returning: [],
    names_in_use: [],
  };
}

export const engines: Shape<"Engine">[] = [
  {
    name: "simulated",
    kind: "simulated",
    hosts: hosts.length,
    hosts_available: hosts.filter(({ available }) => available).length,
    hosts_cordoned: hosts.filter(({ cordoned }) => cordoned).length,
    instances: 13,
    instances_unreachable: 1,
    last_sweep_at: ago(9),
    last_sweep_error: null,
    last_good_sweep_at: ago(9),
  },
  {
    name: "north",
    kind: "incus",
    hosts: 0,
    hosts_available: 0,
    hosts_cordoned: 0,
    instances: 0,
    instances_unreachable: 0,
    last_sweep_at: ago(20),
    last_sweep_error: "connect ECONNREFUSED 10.0.0.1:8443",
    last_good_sweep_at: ago(3600),
  },
];
