// How an answer is read into words that all variants share, so that it can be held against what the model expects.
// Written from the specification's shapes; what is not where it should be is read as undefined, and so found.

import type { Request, Via } from "./requests.ts";

/** What the body of a success shows. */
export function read(request: Request, body: unknown): unknown {
  switch (request.op) {
    case "launch":
      return launched(request.via, body);
    case "change": {
      const word = { stop: "stopped", restart: "restarted", terminate: "terminated" }[request.wish];
      const data = `data.${word}_instances`;
      const where = { M: data, R: data, D: request.wish === "restart" ? "response" : `response.${data}`, control: "-" };
      return all(body, where[request.via]).map(described);
    }
    case "add-key": {
      const one = request.via === "R" ? of(body, "data.0") : of(body, request.via === "D" ? "sshKey" : "data");
      return { id: of(one, "id"), name: of(one, "name"), generated: of(one, "private_key") !== undefined };
    }
    case "read": {
      const where = request.via === "D" ? "runningInstance" : "data";
      return [instanceViews[request.via](of(body, where))];
    }
    case "list":
      return all(body, request.via === "D" ? "runningInstances" : "data").map(instanceViews[request.via]);
    case "all-instances":
      return all(body, "data").map((one) => ({ ...instanceViews.control(one), ...place(one) }));
    case "move":
      return place(of(body, "data"));
    case "keys":
      return all(body, request.via === "D" ? "sshKeys" : "data").map((one) => pick(one, { id: "id", name: "name" }));
    case "create-file-system":
      return fileSystem(of(body, "data"));
    case "file-systems":
      return all(body, "data").map(fileSystem);
    case "offers": {
      const offers = of(body, request.via === "D" ? "gpu_inventory" : "data");
      return mapped(offers, (one) => ({
        cents: of(one, "instance_type.price_cents_per_hour"),
        regions: all(one, "regions_with_capacity_available").map((region) => of(region, "name")),
        fits: of(one, "capacity_available"),
      }));
    }
    case "account":
      return pick(of(body, "data"), { status: "status", used: "used", quotas: "quotas" });
    case "usage":
      return { lines: all(body, "data").map(usageLine), total: of(body, "total.cost_micro_cents") };
    case "coupon":
      return request.products ? products(body) : { percent: of(body, "coupon.discountPercent") ?? null };
    case "hosts":
      return all(body, "data").map(host);
    default:
      return undefined;
  }
}

/** What is at a path such as "data.0.id"; undefined where nothing is. */
export function of(value: unknown, path: string): unknown {
  return path.split(".").reduce((inner: unknown, name) => {
    const isObject = typeof inner === "object" && inner !== null;
    return isObject && Object.hasOwn(inner, name) ? Reflect.get(inner, name) : undefined;
  }, value);
}

function all(value: unknown, path: string): unknown[] {
  const found = of(value, path);
  return Array.isArray(found) ? found : [`nothing is at ${path}`];
}

function pick(value: unknown, paths: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, of(value, path)]));
}

function mapped(value: unknown, view: (inner: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, view(inner)]));
}

function launched(via: Via, body: unknown): unknown {
  switch (via) {
    case "M": {
      const isFirst = of(body, "data.uuid") === of(body, "data.uuids.0");
      return isFirst ? of(body, "data.uuids") : "uuid is not the first of uuids";
    }
    case "D":
      return [of(body, "response")];
    case "R":
      return of(body, "data.instance_ids");
    case "control":
      return all(body, "data").map((one) => of(one, "id"));
  }
}

const described = (one: unknown) => ({
  ...pick(one, {
    id: "id",
    name: "name",
    word: "status",
    region: "region.name",
    type: "instance_type.name",
    cents: "instance_type.price_cents_per_hour",
    keys: "ssh_key_names",
    fileSystems: "file_system_names",
  }),
  ip: hasAddress(one),
});

const hasAddress = (one: unknown) => of(one, "ip") !== "" && of(one, "ip") !== null;

const instanceViews: Record<Via, (one: unknown) => object> = {
  M: described,
  R: described,
  D: (one) => ({
    ...pick(one, { id: "uuid", name: "name", region: "region.name", type: "product.name", image: "image.name" }),
    ip: hasAddress(one),
    word: `${of(one, "status")} / ${of(one, "active")} / ${of(one, "os_booted")}`,
    dollars: Number(of(one, "product.price_hr")),
    final: Number(of(one, "product.final_price_hr")),
    password: of(one, "password") !== 0,
  }),
  control: (one) => ({
    ...described(one),
    ...pick(one, { health: "health", endedBy: "ended_by", image: "image.name" }),
    failed: of(one, "failure") !== null,
    percent: of(one, "coupon.discount_percent") ?? 0,
    wasActive: of(one, "active_at") !== null,
  }),
};

/** Where an instance is, and what has become of its move. */
const place = (one: unknown) => ({
  host: of(one, "host"),
  move: of(one, "move.phase") ?? null,
  to: of(one, "move.to") ?? null,
});

const fileSystem = (one: unknown) => pick(one, { id: "id", name: "name", region: "region", attachedTo: "attached_to" });

/** One line of what was used, as the model holds it against what it may be. */
export interface UsageLine {
  readonly id: unknown;
  readonly seconds: number;
  readonly microCents: string;
  readonly ended: boolean;
  readonly cents: unknown;
  readonly percent: unknown;
}

const usageLine = (one: unknown): UsageLine => ({
  id: of(one, "instance_id"),
  seconds: Number(of(one, "seconds")),
  microCents: String(of(one, "cost_micro_cents")),
  ended: of(one, "ended_at") !== null,
  cents: of(one, "price_cents_per_hour"),
  percent: of(one, "discount_percent"),
});

function products(body: unknown): unknown {
  const details = all(body, "couponValidation.productDetails").flat();
  const offers = details.map((one) => [
    of(one, "name"),
    {
      dollars: Number(of(one, "pricePerHour")),
      final: Number(of(one, "finalPricePerHour")),
      available: of(one, "inventoryAvailable"),
    },
  ]);
  const percent = of(body, "couponValidation.coupon.discountPercent") ?? null;
  return { percent, products: Object.fromEntries(offers) };
}

const host = (one: unknown) => ({
  ...pick(one, {
    name: "name",
    vcpus: "free_vcpus",
    memory: "free_memory_gib",
    storage: "free_storage_gb",
    mode: "mode",
    available: "available",
    drains: "drain_mode",
  }),
  gpus: all(one, "gpus").filter((gpu) => of(gpu, "held_by") === null).length,
});
