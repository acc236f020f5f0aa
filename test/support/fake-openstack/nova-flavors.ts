// What the fake's Nova answers about flavors, which only admins create.

import {
  errorAnswer,
  type FakeAnswer,
  type FakeCall,
  type FakeRoute,
  object,
  refusal,
  text,
  texts,
} from "./exchange.ts";
import { isAdmin } from "./identity.ts";
import { admitted, usable } from "./nova-checks.ts";
import type { FakeFlavor } from "./servers.ts";
import type { FakeWorld } from "./world.ts";

/** Nova knows the names below hw: one by one. */
const knownSpec =
  /^(resources\d*|trait\d*|pci_passthrough|quota|aggregate_instance_extra_specs|os|capabilities):|^hw:(cpu|numa|mem|pci|emulator)_/;

export function flavorRoutes(world: FakeWorld): readonly FakeRoute[] {
  const one = (call: FakeCall, id: string) => flavorOf(world, call, id);
  return [
    ["GET", /^\/v2\.1\/flavors$/, (call) => all(world, call, briefFlavor)],
    ["GET", /^\/v2\.1\/flavors\/detail$/, (call) => all(world, call, shownFlavor)],
    ["POST", /^\/v2\.1\/flavors$/, (call) => create(world, call)],
    ["GET", /^\/v2\.1\/flavors\/([^/]+)$/, (call, id = "") => ok({ flavor: shownFlavor(call, one(call, id)) })],
    ["DELETE", /^\/v2\.1\/flavors\/([^/]+)$/, (call, id = "") => remove(world, call, id)],
    [
      "GET",
      /^\/v2\.1\/flavors\/([^/]+)\/os-extra_specs$/,
      (call, id = "") => ok({ extra_specs: one(call, id).extraSpecs }),
    ],
    ["POST", /^\/v2\.1\/flavors\/([^/]+)\/os-extra_specs$/, (call, id = "") => setSpecs(world, call, id)],
    ["GET", /^\/v2\.1\/flavors\/([^/]+)\/os-flavor-access$/, (call, id = "") => access(one(call, id))],
    ["POST", /^\/v2\.1\/flavors\/([^/]+)\/action$/, (call, id = "") => changeAccess(world, call, id)],
  ];
}

function flavorOf({ flavors }: FakeWorld, call: FakeCall, id: string): FakeFlavor {
  const flavor = flavors.get(id);
  if (flavor === undefined || !usable(call, flavor)) throw refusal("compute", 404, `Flavor ${id} could not be found.`);
  return flavor;
}

function all(world: FakeWorld, call: FakeCall, show: (call: FakeCall, flavor: FakeFlavor) => object): FakeAnswer {
  const { query, base, path } = call;
  const wanted = query.get("is_public");
  const found = [...world.flavors.values()]
    .filter((one) => isShown(call, one, wanted))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const marker = query.get("marker");
  if (marker !== null && !world.flavors.has(marker)) return errorAnswer("compute", 400, `marker [${marker}] not found`);
  const begin = marker === null ? 0 : found.findIndex(({ id }) => id === marker) + 1;
  const limit = Math.min(Number(query.get("limit") ?? 1000), 1000);
  const page = found.slice(begin, begin + limit);
  const next = new URLSearchParams({ ...Object.fromEntries(query), marker: page.at(-1)?.id ?? "" });
  const links = [{ rel: "next", href: `${base}${path}?${next}` }];
  const more = page.length === limit ? { flavors_links: links } : {};
  return ok({ flavors: page.map((one) => show(call, one)), ...more });
}

/** Admins see those of all projects if they ask for them: `is_public=None`. Others see what they may use. */
function isShown(call: FakeCall, flavor: FakeFlavor, wanted: string | null): boolean {
  if (!isAdmin(call.caller)) return usable(call, flavor);
  if (wanted === "None" || wanted === "none") return true;
  if (wanted === "False" || wanted === "false" || wanted === "0") return !flavor.public;
  return flavor.public || flavor.access.has(call.caller.project.id);
}

function create(world: FakeWorld, call: FakeCall): FakeAnswer {
  admitted(call, "os-flavor-manage:create");
  const said = object(call.json.flavor);
  const [name, id] = [text(said.name), text(said.id)];
  for (const key of ["name", "vcpus", "ram", "disk"]) {
    if (said[key] !== undefined) continue;
    const why = `Invalid input for field/attribute flavor. Value: {}. '${key}' is a required property`;
    return errorAnswer("compute", 400, why);
  }
  const others = [...world.flavors.values()];
  if (id !== undefined && world.flavors.has(id))
    return errorAnswer("compute", 409, `Flavor with ID ${id} already exists.`);
  if (others.some((one) => one.name === name))
    return errorAnswer("compute", 409, `Flavor with name ${name} already exists.`);
  const size = { vcpus: Number(said.vcpus), ram: Number(said.ram), disk: Number(said.disk) };
  const flavor = world.addFlavor(
    name ?? "",
    size,
    {},
    {
      ...(id === undefined || id === "auto" ? {} : { id }),
      ...{ public: said["os-flavor-access:is_public"] !== false, description: text(said.description) ?? null },
    },
  );
  return ok({ flavor: shownFlavor(call, flavor) });
}

function remove(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  admitted(call, "os-flavor-manage:delete");
  world.flavors.delete(flavorOf(world, call, id).id);
  return { status: 202 };
}

function setSpecs(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  admitted(call, "os-flavor-extra-specs:create");
  const flavor = flavorOf(world, call, id);
  const specs = texts(call.json.extra_specs);
  const odd = Object.keys(specs).find((key) => !knownSpec.test(key));
  if (odd !== undefined) {
    const why = `Validation failed; extra spec '${odd}' does not appear to be a valid extra spec.`;
    return errorAnswer("compute", 400, why);
  }
  Object.assign(flavor.extraSpecs, specs);
  return ok({ extra_specs: specs });
}

function changeAccess(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const flavor = flavorOf(world, call, id);
  const add = text(object(call.json.addTenantAccess).tenant);
  const drop = text(object(call.json.removeTenantAccess).tenant);
  admitted(call, `os-flavor-access:${add === undefined ? "remove" : "add"}_tenant_access`);
  if (add !== undefined && flavor.access.has(add)) {
    const why = `Flavor access already exists for flavor ${id} and project ${add} combination.`;
    return errorAnswer("compute", 409, why);
  }
  if (flavor.public) return errorAnswer("compute", 409, "Can not add access to a public flavor.");
  if (add !== undefined) flavor.access.add(add);
  if (drop !== undefined) flavor.access.delete(drop);
  return access(flavor);
}

function access({ id, access }: FakeFlavor): FakeAnswer {
  return ok({ flavor_access: [...access].map((tenant_id) => ({ flavor_id: id, tenant_id })) });
}

function briefFlavor({ base }: FakeCall, { id, name, description }: FakeFlavor): Record<string, unknown> {
  const links = [
    { rel: "self", href: `${base}/v2.1/flavors/${id}` },
    { rel: "bookmark", href: `${base}/flavors/${id}` },
  ];
  return { id, name, links, description };
}

function shownFlavor(call: FakeCall, flavor: FakeFlavor): Record<string, unknown> {
  return {
    ...briefFlavor(call, flavor),
    ...{
      ram: flavor.ram,
      disk: flavor.disk,
      swap: 0,
      "OS-FLV-EXT-DATA:ephemeral": 0,
      "OS-FLV-DISABLED:disabled": false,
    },
    ...{ vcpus: flavor.vcpus, "os-flavor-access:is_public": flavor.public, rxtx_factor: 1 },
    ...(call.version >= 61 ? { extra_specs: flavor.extraSpecs } : {}),
  };
}

function ok(body: object): FakeAnswer {
  return { status: 200, body };
}
