// Our servers in a region, kept between two readings: Nova needs seconds to list a thousand with their details, most of
// which is the boot hook that each has as user data. Used by hosts.ts and list.ts.
//
// Invariant: what is kept is a full list of at most ten minutes ago with all changes since. Which servers there are is read
// each time. What Nova does not count as a change is read anew where it matters: metadata of a server whose guest does not
// have its secrets yet, or that still shows them, and addresses of one whose port was changed.

import { Compile } from "typebox/compile";
import { type Port, type Server, ServerAnswer, ServerIdSchema, ServerSchema } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";
import { isTold, readServersAt, unlessGone } from "./machines.ts";
import { hasSecrets } from "./secrets.ts";

const ServerIdItem = Compile(ServerIdSchema);

/** By id. */
export type Servers = ReadonlyMap<string, Server>;

export interface KnownServers {
  readonly servers: Servers;
  /** By the clock of the service: from when on changes are asked for. */
  readonly since: Date;
  /** When the full list was read, by performance.now(). */
  readonly at: number;
}

/** Of clocks that differ, and of changes that Nova commits late. */
const OVERLAP_MS = 60_000;
/** Operators purge deleted servers, which then are no changes; never those of the last minutes. */
const LONGEST_MS = 600_000;
/** More are read by a full list. */
const MOST_SINGLY = 20;

/** Which there are, in which state, since the last list. Throws as Client.call. */
export async function readChanged(cloud: Cloud, region: Region, signal: AbortSignal): Promise<Servers> {
  const known = cloud.servers.get(region);
  if (known === undefined || performance.now() - known.at > LONGEST_MS) return readFull(cloud, region, signal);
  // By name: deleted servers have no tags.
  const query = { name: "^lessor-", "changes-since": known.since.toISOString() };
  const { items, date } = await readServersAt(cloud, region, query, signal);
  const servers = new Map(known.servers);
  for (const server of items) {
    if (server.status === "DELETED") servers.delete(server.id);
    else if (server.tags.includes(cloud.owner)) servers.set(server.id, kept(server));
  }
  const since = date === undefined ? known.since : new Date(date.getTime() - OVERLAP_MS);
  cloud.servers.set(region, { servers, since, at: known.at });
  return servers;
}

/** All of them as they are. `ports`: ours, read before. Throws as Client.call. */
export async function readOwn(
  cloud: Cloud,
  region: Region,
  ports: readonly Port[],
  signal: AbortSignal,
): Promise<readonly Server[]> {
  const changed = await readChanged(cloud, region, signal);
  // After the changes: what is not listed now is gone.
  const ids = await readIds(cloud, region, signal);
  const portOf = new Map(ports.map((port) => [port.device_id, port]));
  const doubtful = ids.filter((id) => {
    const server = changed.get(id);
    return server === undefined || !isTold(server) || hasSecrets(server) || !fits(server, portOf.get(id));
  });
  if (doubtful.length > MOST_SINGLY) return [...(await readFull(cloud, region, signal)).values()];
  const servers = new Map(ids.flatMap((id) => (changed.has(id) ? [[id, changed.get(id)] as const] : [])));
  for (const id of doubtful) servers.set(id, await readOne(cloud, region, id, signal));
  const there = new Map([...servers].flatMap(([id, server]) => (server === undefined ? [] : [[id, server] as const])));
  const known = cloud.servers.get(region);
  if (known !== undefined) cloud.servers.set(region, { ...known, servers: there });
  return [...there.values()];
}

/** Whether it shows the addresses of its port. */
function fits({ addresses }: Server, port: Port | undefined): boolean {
  const shown = new Set(Object.values(addresses).flatMap((all) => all.map(({ addr }) => addr)));
  return port?.fixed_ips.every(({ ip_address }) => shown.has(ip_address)) === true;
}

async function readFull(cloud: Cloud, region: Region, signal: AbortSignal): Promise<Servers> {
  const { items, date } = await readServersAt(cloud, region, { tags: cloud.owner }, signal);
  const servers = new Map(items.map((server) => [server.id, kept(server)]));
  if (date !== undefined) {
    const since = new Date(date.getTime() - OVERLAP_MS);
    cloud.servers.set(region, { servers, since, at: performance.now() });
  }
  return servers;
}

async function readIds({ client, owner }: Cloud, { place }: Region, signal: AbortSignal): Promise<string[]> {
  const all = await client.readAll(place.compute, "/servers", "servers", ServerIdItem, signal, { tags: owner });
  return all.map(({ id }) => id);
}

/** Undefined: it is gone. */
async function readOne(
  { client }: Cloud,
  { place }: Region,
  id: string,
  signal: AbortSignal,
): Promise<Server | undefined> {
  const found = await client.read(place.compute, `/servers/${id}`, ServerAnswer, signal).catch(unlessGone);
  return found === undefined ? undefined : kept(found.server);
}

const fields = new Set(Object.keys(ServerSchema.properties));

/** Without what is not of the schema. */
function kept(server: Server): Server {
  return Object.fromEntries(Object.entries(server).filter(([name]) => fields.has(name))) as Server; // all of its fields
}
