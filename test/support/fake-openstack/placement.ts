// What the fake's Placement answers: providers, inventories, usages and allocation candidates; to admins only.

import { errorAnswer, type FakeAnswer, type FakeCall, type FakeRoute, refusal } from "./exchange.ts";
import type { Amounts, FakeHost, FakeProvider } from "./hosts.ts";
import { isAdmin } from "./identity.ts";
import type { FakeWorld } from "./world.ts";

const badRequest =
  "The server could not comply with the request since it is either malformed or otherwise incorrect.\n\n";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function placementRoutes(world: FakeWorld): readonly FakeRoute[] {
  const { hosts } = world;
  /** Of a path below one provider. */
  const of =
    (rule: string, body: (provider: FakeProvider) => object) =>
    (call: FakeCall, id = ""): FakeAnswer => {
      admitted(call, rule);
      const provider = hosts.find(id);
      if (provider === undefined)
        throw refusal(
          "placement",
          404,
          `The resource could not be found.\n\n No resource provider with uuid ${id} found`,
        );
      return { status: 200, body: body(provider) };
    };
  const generation = ({ generation }: FakeProvider) => ({ resource_provider_generation: generation });
  return [
    ["GET", /^\/resource_providers$/, (call) => providers(world, call)],
    ["GET", /^\/resource_providers\/([^/]+)$/, of("resource_providers:show", (one) => shown(one))],
    [
      "GET",
      /^\/resource_providers\/([^/]+)\/inventories$/,
      of("inventories:list", (one) => ({ ...generation(one), inventories: inventories(one) })),
    ],
    [
      "GET",
      /^\/resource_providers\/([^/]+)\/usages$/,
      of("usages", (one) => ({
        ...generation(one),
        usages: Object.fromEntries([...one.inventory.keys()].map((name) => [name, hosts.used(one, name)])),
      })),
    ],
    [
      "GET",
      /^\/resource_providers\/([^/]+)\/aggregates$/,
      of("aggregates:list", (one) => ({ aggregates: hosts.aggregatesOf(one), ...generation(one) })),
    ],
    [
      "GET",
      /^\/resource_providers\/([^/]+)\/traits$/,
      of("traits:list", (one) => ({ traits: hosts.traitsOf(one), ...generation(one) })),
    ],
    [
      "GET",
      /^\/resource_providers\/([^/]+)\/allocations$/,
      of("allocations:list", (one) => ({ allocations: consumers(world, one), ...generation(one) })),
    ],
    ["GET", /^\/allocations\/([^/]+)$/, (call, id = "") => allocation(world, call, id)],
    ["GET", /^\/allocation_candidates$/, (call) => candidates(world, call)],
    ["GET", /^\/resource_classes$/, (call) => classes(world, call)],
    ["GET", /^\/traits$/, (call) => traits(world, call)],
  ];
}

export const placementVersions = (newest: number) => ({
  versions: [
    {
      id: "v1.0",
      max_version: `1.${newest}`,
      min_version: "1.0",
      status: "CURRENT",
      links: [{ rel: "self", href: "" }],
    },
  ],
});

function admitted({ caller }: FakeCall, rule: string): void {
  if (isAdmin(caller)) return;
  const why = `Policy does not allow placement:${rule} to be performed.`;
  throw refusal("placement", 403, `Access was denied to this resource.\n\n ${why}`);
}

function providers({ hosts }: FakeWorld, call: FakeCall): FakeAnswer {
  admitted(call, "resource_providers:list");
  const [tree, name, resources] = [call.query.get("in_tree"), call.query.get("name"), call.query.get("resources")];
  const member = memberOf(call);
  const amounts = resources === null ? {} : amountsIn(resources);
  const found = hosts.providers.filter(
    (one) =>
      (tree === null || one.id === tree || rootOf(one).id === rootOf(hosts.find(tree) ?? one).id) &&
      (tree === null || hosts.find(tree) !== undefined) &&
      (name === null || one.name === name) &&
      (member === undefined || hosts.aggregatesOf(one).some((id) => member.includes(id))) &&
      hosts.fits(one, amounts),
  );
  return { status: 200, body: { resource_providers: found.map(shown) } };
}

function candidates(world: FakeWorld, call: FakeCall): FakeAnswer {
  const { hosts } = world;
  admitted(call, "allocation_candidates:list");
  const resources = call.query.get("resources");
  if (resources === null) {
    const why = `${badRequest} There must be at least one resources or resources[$S] parameter.`;
    return errorAnswer("placement", 400, why, "placement.query.missing_value");
  }
  const amounts = amountsIn(resources);
  const known = new Set([
    "VCPU",
    "MEMORY_MB",
    "DISK_GB",
    ...hosts.providers.flatMap((one) => [...one.inventory.keys()]),
  ]);
  const unknown = Object.keys(amounts).find((name) => !known.has(name));
  if (unknown !== undefined) {
    const why = `Invalid resource class in resources parameter: No such resource class ${unknown}.`;
    return errorAnswer("placement", 400, `${badRequest} ${why}`);
  }
  const member = memberOf(call);
  const required = call.query.getAll("required").flatMap((value) => value.split(","));
  const fits = [...hosts.hosts.values()]
    .filter((one) => member === undefined || hosts.aggregatesOf(one).some((id) => member.includes(id)))
    .filter((one) => required.every((trait) => wants(hosts.traitsOf(one), trait)))
    .flatMap((one) => allocationsOn(world, one, amounts));
  const limit = Number(call.query.get("limit") ?? fits.length);
  const given = fits.slice(0, limit);
  const trees = new Set(given.flatMap((one) => Object.keys(one).map((id) => rootOf(hosts.find(id) ?? missing()).name)));
  const summaries = hosts.providers.filter((one) => trees.has(rootOf(one).name));
  return {
    status: 200,
    body: {
      allocation_requests: given.map((allocations) => ({ allocations, mappings: { "": Object.keys(allocations) } })),
      provider_summaries: Object.fromEntries(summaries.map((one) => [one.id, summary(world, one)])),
    },
  };
}

/** In each way that a tree of providers can give these amounts; cards one by one. */
function allocationsOn({ hosts }: FakeWorld, host: FakeHost, amounts: Amounts): Record<string, object>[] {
  const own = Object.entries(amounts).filter(([name]) => host.inventory.has(name));
  const others = Object.entries(amounts).filter(([name]) => !host.inventory.has(name));
  if (!hosts.fits(host, Object.fromEntries(own))) return [];
  let found: Record<string, object>[] = [own.length > 0 ? { [host.id]: { resources: Object.fromEntries(own) } } : {}];
  for (const [name, amount] of others) {
    const cards = host.cards.filter((card) => hosts.fits(card, { [name]: amount }));
    found = found.flatMap((one) => cards.map(({ id }) => ({ ...one, [id]: { resources: { [name]: amount } } })));
  }
  return found;
}

function wants(has: readonly string[], trait: string): boolean {
  return trait.startsWith("!") ? !has.includes(trait.slice(1)) : has.includes(trait);
}

function summary({ hosts }: FakeWorld, one: FakeProvider): object {
  const resources = [...one.inventory.keys()].map((name) => [
    name,
    { capacity: hosts.capacity(one, name), used: hosts.used(one, name) },
  ]);
  return {
    resources: Object.fromEntries(resources),
    traits: hosts.traitsOf(one),
    parent_provider_uuid: one.parent?.id ?? null,
    root_provider_uuid: rootOf(one).id,
  };
}

function allocation({ hosts }: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  admitted(call, "allocations:list");
  const found = hosts.allocations.get(id);
  if (found === undefined) return { status: 200, body: { allocations: {} } };
  const allocations = [...found.resources].map(([provider, resources]) => [
    provider,
    { resources, generation: hosts.find(provider)?.generation ?? 0 },
  ]);
  const { project, user } = found;
  const body = { allocations: Object.fromEntries(allocations), project_id: project, user_id: user };
  return { status: 200, body: { ...body, consumer_generation: 1 } };
}

function consumers({ hosts }: FakeWorld, { id }: FakeProvider): object {
  const rows = [...hosts.allocations].flatMap(([consumer, { resources }]) => {
    const here = resources.get(id);
    return here === undefined ? [] : [[consumer, { resources: here, consumer_generation: 1 }]];
  });
  return Object.fromEntries(rows);
}

function classes({ hosts }: FakeWorld, call: FakeCall): FakeAnswer {
  admitted(call, "resource_classes:list");
  const names = new Set([
    "VCPU",
    "MEMORY_MB",
    "DISK_GB",
    ...hosts.providers.flatMap((one) => [...one.inventory.keys()]),
  ]);
  return { status: 200, body: { resource_classes: [...names].map((name) => ({ name })) } };
}

function traits({ hosts }: FakeWorld, call: FakeCall): FakeAnswer {
  admitted(call, "traits:list");
  return { status: 200, body: { traits: [...new Set(hosts.providers.flatMap((one) => hosts.traitsOf(one)))] } };
}

function memberOf({ query }: FakeCall): string[] | undefined {
  const value = query.get("member_of");
  if (value === null) return undefined;
  const ids = value.replace(/^in:/, "").split(",");
  if (ids.every((id) => uuid.test(id))) return ids;
  const why = `Invalid query string parameters: Expected 'member_of' parameter to contain valid UUID(s). Got: ${value}`;
  throw refusal("placement", 400, `${badRequest} ${why}`);
}

function amountsIn(resources: string): Record<string, number> {
  const amounts: Record<string, number> = {};
  for (const one of resources.split(",")) {
    const [, name, amount] = /^([A-Z0-9_]+):(\d+)$/.exec(one) ?? [];
    if (name === undefined) {
      const form = "Expected resources query string parameter in form: ?resources=VCPU:2,MEMORY_MB:1024.";
      throw refusal("placement", 400, `${badRequest} Badly formed resources parameter. ${form} Got: ${resources}.`);
    }
    amounts[name] = Number(amount);
  }
  return amounts;
}

function inventories({ inventory }: FakeProvider): object {
  const rows = [...inventory].map(([name, { total, reserved, ratio }]) => [
    name,
    { total, reserved, min_unit: 1, max_unit: total, step_size: 1, allocation_ratio: ratio },
  ]);
  return Object.fromEntries(rows);
}

function shown(one: FakeProvider): object {
  const below = ["inventories", "usages", "aggregates", "traits", "allocations"];
  const href = `/resource_providers/${one.id}`;
  return {
    ...{ uuid: one.id, name: one.name, generation: one.generation },
    links: [{ rel: "self", href }, ...below.map((rel) => ({ rel, href: `${href}/${rel}` }))],
    parent_provider_uuid: one.parent?.id ?? null,
    root_provider_uuid: rootOf(one).id,
  };
}

function rootOf(one: FakeProvider): FakeProvider {
  return one.parent ?? one;
}

function missing(): never {
  throw new Error("BUG: a provider was allocated that is not there");
}
