// Reads machines: servers by their tags, and ports by their names. A port without a server is a machine that is halted and
// never ran, unless its server was made once. Used by everything that does something with a machine.

import { Compile } from "typebox/compile";
import { EngineError, type MachineRef, noSuchMachine } from "../engine.ts";
import { type Port, PortSchema, type Server, ServerSchema } from "./api.ts";
import { type Cloud, type Region, regionsOf } from "./cloud.ts";
import { keys, machineName, madeTag } from "./labels.ts";

const ServerItem = Compile(ServerSchema);
const PortItem = Compile(PortSchema);

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
    const [server, ...extras] = mainFirst(await readServers(cloud, region, { tags: machineName(machine.id) }, signal));
    if (server !== undefined) return { region, server, extras };
    const port = await readPort(cloud, region, machine.id, signal);
    if (port !== undefined && !wasMade(port)) return { region, server: undefined, port };
  }
  return undefined;
}

/** With all their details, and without deleted ones unless the query asks for changes. Throws as Client.call. */
export function readServers(
  { client }: Cloud,
  { place }: Region,
  query: Query,
  signal: AbortSignal,
): Promise<Server[]> {
  return client.readAll(place.compute, "/servers/detail", "servers", ServerItem, signal, query);
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

/** In an order that never changes. Throws as Client.call. */
export async function readPorts(
  { client }: Cloud,
  { place }: Region,
  query: Query,
  signal: AbortSignal,
): Promise<Port[]> {
  const ports = await client.readAll(place.network, "/ports", "ports", PortItem, signal, query);
  // One that has a server is the machine's, whatever else there is.
  return ports.sort((a, b) => Number(a.device_id === "") - Number(b.device_id === "") || (a.id < b.id ? -1 : 1));
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
