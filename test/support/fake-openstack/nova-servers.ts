// What the fake's Nova answers about servers: create, list, show, delete, their metadata and tags.

import { errorAnswer, type FakeAnswer, type FakeCall, type FakeRoute, object, refusal, text } from "./exchange.ts";
import { isAdmin } from "./identity.ts";
import { admitted, checkedMetadata, checkedTags, tooMuchMetadata } from "./nova-checks.ts";
import { checkedOrder } from "./nova-create.ts";
import { briefServer, shownServer } from "./nova-shown.ts";
import { type FakeServer, newestFirst, vmStates } from "./servers.ts";
import type { FakeWorld } from "./world.ts";

const pathOf = (rest: string) => new RegExp(`^/v2\\.1/servers/([^/]+)${rest}$`);

export function serverRoutes(world: FakeWorld): readonly FakeRoute[] {
  const one = (call: FakeCall, id: string) => serverOf(world, call, id);
  const show = (call: FakeCall, server: FakeServer) => shownServer(world, call, server);
  return [
    ["GET", /^\/v2\.1\/servers$/, (call) => all(world, call, briefServer)],
    ["GET", /^\/v2\.1\/servers\/detail$/, (call) => all(world, call, show)],
    ["POST", /^\/v2\.1\/servers$/, (call) => create(world, call)],
    ["GET", pathOf(""), (call, id = "") => ok({ server: show(call, one(call, id)) })],
    ["PUT", pathOf(""), (call, id = "") => rename(world, call, id)],
    ["DELETE", pathOf(""), (call, id = "") => remove(world, call, id)],
    ["GET", pathOf("/metadata"), (call, id = "") => ok({ metadata: one(call, id).metadata })],
    [
      "POST",
      pathOf("/metadata"),
      (call, id = "") => setMetadata(world, call, id, (old, said) => ({ ...old, ...said })),
    ],
    ["PUT", pathOf("/metadata"), (call, id = "") => setMetadata(world, call, id, (_old, said) => said)],
    ["GET", pathOf("/metadata/([^/]+)"), (call, id = "", key = "") => metadataItem(one(call, id), key)],
    ["DELETE", pathOf("/metadata/([^/]+)"), (call, id = "", key = "") => dropMetadata(world, call, id, key)],
    ["GET", pathOf("/tags"), (call, id = "") => ok({ tags: [...one(call, id).tags].sort() })],
    ["PUT", pathOf("/tags"), (call, id = "") => setTags(one(call, id), call)],
    ["PUT", pathOf("/tags/([^/]+)"), (call, id = "", tag = "") => addTag(one(call, id), tag)],
    ["DELETE", pathOf("/tags/([^/]+)"), (call, id = "", tag = "") => dropTag(one(call, id), tag)],
  ];
}

/** One that the caller may see, and that is not deleted. */
export function serverOf({ servers }: FakeWorld, { caller }: FakeCall, id: string): FakeServer {
  const server = servers.get(id);
  const hidden = server?.status === "DELETED" || !(isAdmin(caller) || server?.project === caller.project.id);
  if (server === undefined || hidden) throw refusal("compute", 404, `Instance ${id} could not be found.`);
  return server;
}

function create(world: FakeWorld, call: FakeCall): FakeAnswer {
  const { order, fault } = checkedOrder(world, call);
  const server = world.life.create(order, fault);
  const body = {
    ...{ id: server.id, links: [{ rel: "self", href: `${call.base}/v2.1/servers/${server.id}` }] },
    ...{ "OS-DCF:diskConfig": "MANUAL", security_groups: [{ name: "default" }], adminPass: "fakefakefake" },
  };
  return { status: 202, headers: { location: `${call.base}/v2.1/servers/${server.id}` }, body: { server: body } };
}

function all(world: FakeWorld, call: FakeCall, show: (call: FakeCall, server: FakeServer) => object): FakeAnswer {
  const { query, caller, base, path } = call;
  const everyone = query.get("all_tenants");
  if (everyone !== null && everyone !== "0" && everyone !== "false")
    admitted(call, `servers:${path.endsWith("detail") ? "detail" : "index"}:get_all_tenants`);
  const since = sinceOf(query);
  const wanted = filtersOf(call);
  const deleted = query.get("deleted") === "true" && isAdmin(caller);
  const found = newestFirst(world.servers.values()).filter(
    (one) =>
      (isAdmin(caller) && everyone !== null ? true : one.project === caller.project.id) &&
      (deleted ? one.status === "DELETED" : one.status !== "DELETED" || since !== undefined) &&
      (since === undefined || Math.floor(one.updated.getTime() / 1000) * 1000 >= since) &&
      wanted.every((fits) => fits(one)),
  );
  const marker = query.get("marker");
  if (marker !== null && !world.servers.has(marker)) return errorAnswer("compute", 400, `marker [${marker}] not found`);
  const begin = marker === null ? 0 : found.findIndex(({ id }) => id === marker) + 1;
  const limit = Math.min(Number(query.get("limit") ?? 1000), 1000);
  const page = found.slice(begin, begin + limit);
  const next = new URLSearchParams({ ...Object.fromEntries(query), marker: page.at(-1)?.id ?? "" });
  const links = { servers_links: [{ rel: "next", href: `${base}${path}?${next}` }] };
  return ok({ servers: page.map((one) => show(call, one)), ...(page.length === limit && limit > 0 ? links : {}) });
}

function sinceOf(query: URLSearchParams): number | undefined {
  const since = query.get("changes-since");
  if (since === null) return undefined;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/.test(since)
    ? Date.parse(since)
    : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const why = `Invalid input for query parameters changes-since. Value: ${since}. '${since}' is not a 'date-time'`;
  throw refusal("compute", 400, why);
}

const silent = ["limit", "marker", "all_tenants", "changes-since", "deleted", "sort_key", "sort_dir", "changes-before"];
const adminFilters = ["host", "node", "hypervisor_hostname"];

/** What a server must be to be listed. Unknown filters are refused, as are those by metadata. */
function filtersOf({ query, caller }: FakeCall): ((server: FakeServer) => boolean)[] {
  return [...query].flatMap(([key, value]) => {
    const all = value.split(",");
    if (silent.includes(key)) return [];
    if (adminFilters.includes(key)) return isAdmin(caller) ? [({ host }: FakeServer) => host === value] : [];
    if (key === "tags") return [({ tags }: FakeServer) => all.every((tag) => tags.includes(tag))];
    if (key === "tags-any") return [({ tags }: FakeServer) => all.some((tag) => tags.includes(tag))];
    if (key === "name") return [({ name }: FakeServer) => new RegExp(value).test(name)];
    if (key === "status") return [({ status }: FakeServer) => status === value.toUpperCase()];
    if (key === "vm_state") return [({ status }: FakeServer) => vmStates[status] === value];
    if (key === "uuid") return [({ id }: FakeServer) => id === value];
    if (key === "flavor") return [({ flavor }: FakeServer) => flavor.id === value];
    if (key === "image") return [({ image }: FakeServer) => image === value];
    if (key === "project_id" || key === "tenant_id") return [({ project }: FakeServer) => project === value];
    if (key === "metadata") throw refusal("compute", 400, "Invalid filter field: metadata.");
    throw refusal("compute", 400, `'${key}' does not match any of the regexes: '^_'`);
  });
}

function rename(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const server = serverOf(world, call, id);
  const said = object(call.json.server);
  server.name = text(said.name) ?? server.name;
  server.description = text(said.description) ?? server.description;
  server.updated = world.now();
  return ok({ server: shownServer(world, call, server) });
}

function remove(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  world.life.remove(serverOf(world, call, id), { held: call.fault.hold === true });
  return { status: 204 };
}

function mayUpdate({ id, status }: FakeServer, what: string): void {
  if (["ACTIVE", "SHUTOFF", "PAUSED", "SUSPENDED"].includes(status)) return;
  throw refusal("compute", 409, `Cannot '${what}' instance ${id} while it is in vm_state ${vmStates[status]}`);
}

type Merge = (old: Record<string, string>, said: Record<string, string>) => Record<string, string>;

function setMetadata(world: FakeWorld, call: FakeCall, id: string, merge: Merge): FakeAnswer {
  const said = checkedMetadata(call.json.metadata);
  const server = serverOf(world, call, id);
  mayUpdate(server, "update metadata");
  const metadata = merge(server.metadata, said);
  tooMuchMetadata(metadata);
  world.life.setMetadata(server, metadata);
  return ok({ metadata });
}

function metadataItem({ metadata }: FakeServer, key: string): FakeAnswer {
  const value = metadata[key];
  return value === undefined ? noItem() : ok({ meta: { [key]: value } });
}

function dropMetadata(world: FakeWorld, call: FakeCall, id: string, key: string): FakeAnswer {
  const server = serverOf(world, call, id);
  const { [key]: value, ...rest } = server.metadata;
  if (value === undefined) return noItem();
  mayUpdate(server, "delete metadata");
  world.life.setMetadata(server, rest);
  return { status: 204 };
}

function noItem(): FakeAnswer {
  return errorAnswer("compute", 404, "Metadata item was not found");
}

function setTags(server: FakeServer, { json }: FakeCall): FakeAnswer {
  server.tags = checkedTags(json.tags);
  return ok({ tags: server.tags });
}

function addTag(server: FakeServer, tag: string): FakeAnswer {
  checkedTags([tag]);
  if (server.tags.includes(tag)) return { status: 204 };
  server.tags.push(tag);
  return { status: 201 };
}

function dropTag(server: FakeServer, tag: string): FakeAnswer {
  if (!server.tags.includes(tag)) return errorAnswer("compute", 404, `Instance ${server.id} has no tag '${tag}'`);
  server.tags = server.tags.filter((one) => one !== tag);
  return { status: 204 };
}

function ok(body: object): FakeAnswer {
  return { status: 200, body };
}
