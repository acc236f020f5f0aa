// Reads machines: servers by their tags, and ports by their names. A port without a server is a machine that is halted and
// never ran, unless its server was made once. Used by everything that does something with a machine.

import { Compile } from "typebox/compile";
import { EngineError, type MachineRef, noSuchMachine } from "../engine.ts";
import { type Port, PortSchema, type Server, ServerSchema } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import type { Dated } from "./client/client.ts";
import { type Cloud, type Region, regionsOf } from "./cloud.ts";
import { isOwnerTag, keys, machineName, madeTag } from "./labels.ts";

const ServerItem = Compile(ServerSchema);
const PortItem = Compile(PortSchema);

/** Servers of a page: administrators get the user data with each, and a busy Nova needs ten milliseconds for one. */
const PAGE = "200";
/** Neutron's ports have four times as much. */
const portFields = Object.keys(PortSchema.properties);

export type Query = Readonly<Record<string, string>>;

/** A machine as the cloud shows it. */
export type Machine =
  | { readonly region: Region; readonly server: Server; readonly extras: readonly Server[] }
  /** Halted: its server was not made yet. */
  | { readonly region: Region; readonly server: undefined; readonly port: Port };

/** Undefined: it does not exist, or its server is gone. Throws as Client.call. */
export async function readMachine(
  cloud: Cloud,
  machine: MachineRef,
  signal: AbortSignal,
): Promise<Machine | undefined> {
  for (const region of regionsOf(cloud, machine)) {
    const [server, ...extras] = mainFirst(await readServersOf(cloud, region, machine.id, signal));
    if (server !== undefined) return { region, server, extras };
    const port = await readPort(cloud, region, machine.id, signal);
    if (port !== undefined && port.device_id !== "") await sureGone(cloud, region, port.device_id, signal);
    // Without our tag its create was interrupted, and is to be repeated.
    const isWhole = port?.tags.includes(cloud.owner) === true && !wasMade(port);
    if (port !== undefined && isWhole) return { region, server: undefined, port };
  }
  return undefined;
}

/** Nova leaves servers out of lists while the cell that has them does not respond. Throws EngineError, and as Client.call. */
async function sureGone({ client }: Cloud, { place }: Region, serverId: string, signal: AbortSignal): Promise<void> {
  const found = await client.call(place.compute, `/servers/${serverId}`, {}, signal).catch(unlessGone);
  if (found === undefined) return;
  throw new EngineError("unavailable", "machine-busy", "The cloud does not show the machine now.");
}

/** With all their details, and without deleted ones unless the query asks for changes. Throws as Client.call. */
export async function readServers(
  cloud: Cloud,
  region: Region,
  query: Query,
  signal: AbortSignal,
): Promise<readonly Server[]> {
  return (await readServersAt(cloud, region, query, signal)).items;
}

/** The same, with when the list was begun. */
export function readServersAt(
  { client }: Cloud,
  { place }: Region,
  query: Query,
  signal: AbortSignal,
): Promise<Dated<Server>> {
  const page = { ...query, limit: PAGE };
  return client.readDated(place.compute, "/servers/detail", "servers", ServerItem, signal, { query: page });
}

/** Those of the machine that this engine made. Throws as Client.call. */
export function readServersOf(
  cloud: Cloud,
  region: Region,
  machineId: string,
  signal: AbortSignal,
): Promise<readonly Server[]> {
  return readServers(cloud, region, { tags: `${machineName(machineId)},${cloud.owner}` }, signal);
}

/** Undefined: it has none. The first, if a create that was repeated made several. Throws as Client.call. */
export async function readPort(
  cloud: Cloud,
  region: Region,
  machineId: string,
  signal: AbortSignal,
): Promise<Port | undefined> {
  const [port] = await readPorts(cloud, region, { name: machineName(machineId) }, signal);
  return port;
}

/** Of our project, because an administrator sees all, and of no other engine or installation. In an order that never changes. Throws as Client.call. */
export async function readPorts(
  { client, owner }: Cloud,
  { place }: Region,
  query: Query,
  signal: AbortSignal,
): Promise<Port[]> {
  const { id: project_id } = await client.project(signal);
  const request = { ...query, project_id, fields: portFields };
  const all = await client.readAll(place.network, "/ports", "ports", PortItem, signal, request);
  const ports = all.filter(({ tags }) => !tags.some((tag) => isOwnerTag(tag) && tag !== owner));
  // One that has a server is the machine's, whatever else there is, and then one that a create has completed.
  const rank = ({ device_id, tags }: Port) => (device_id !== "" ? 0 : tags.includes(owner) ? 1 : 2);
  return ports.sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

/** For `catch`: what does not exist any more was removed. */
export function unlessGone(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}

export function wasMade({ tags }: Port): boolean {
  return tags.includes(madeTag);
}

/** Whether it has its secrets: from then on it holds customer data. */
export function isTold({ metadata }: Server): boolean {
  return metadata[keys.told] === "true";
}

/** Of several servers of one machine first the one that stays: with customer data, with an address, and the oldest. */
export function mainFirst(servers: readonly Server[]): Server[] {
  const rank = (server: Server) => [isTold(server), hasAddress(server), server.status !== "ERROR"].map(Number).join("");
  return servers.toSorted(
    (a, b) => rank(b).localeCompare(rank(a)) || a.created.localeCompare(b.created) || (a.id < b.id ? -1 : 1),
  );
}

export function hasAddress({ addresses }: Server): boolean {
  return Object.values(addresses).some((all) => all.length > 0);
}

export function nothingThere({ id }: Pick<MachineRef, "id">): EngineError {
  return new EngineError("unavailable", noSuchMachine, `Machine ${id} does not exist or is not running.`);
}
