// A machine's port, and its floating address where the settings want one. Used by create.ts and remove.ts.

import { Compile } from "typebox/compile";
import { EngineError, type MachineSpec } from "../engine.ts";
import { FloatingAddressSchema, type Network, NetworkSchema, type Port, PortAnswer, SubnetSchema } from "./api.ts";
import { type Cloud, lookUp, type Region } from "./cloud.ts";
import { machineName, portText } from "./labels.ts";
import { type Query, readPorts, unlessGone } from "./machines.ts";

const NetworkItem = Compile(NetworkSchema);
const SubnetItem = Compile(SubnetSchema);
const FloatingItem = Compile(FloatingAddressSchema);

/**
 * The id of a network by its name or id. By name, only of those that our project may use: first its own. Other projects
 * can share theirs with it by any name, so of several of those none is used. Throws EngineError no-network, and as
 * Client.call.
 */
export function networkId(cloud: Cloud, region: Region, network: string, signal: AbortSignal): Promise<string> {
  return lookUp(cloud, region, `network ${network}`, async () => {
    const read = (query: Record<string, string>) =>
      cloud.client.readAll(region.place.network, "/networks", "networks", NetworkItem, signal, query);
    const { id: project } = await cloud.client.project(signal);
    const named = usableOf(await read({ name: network }), project);
    const [found, other] = named.length > 0 || !isId(network) ? named : await read({ id: network });
    if (other !== undefined) {
      const message = "The cloud has several networks with the name in the settings.";
      throw new EngineError("refused", "no-network", message);
    }
    if (found !== undefined) return found.id;
    throw new EngineError("refused", "no-network", "The network of the settings does not exist in the cloud.");
  });
}

/** The guest network's subnets, in CIDR notation. Throws as networkId. */
export async function subnetsOf(cloud: Cloud, region: Region, signal: AbortSignal): Promise<readonly string[]> {
  const network_id = await networkId(cloud, region, region.settings.network, signal);
  const known = await lookUp(cloud, region, `subnets of ${network_id}`, async () => {
    const { network } = region.place;
    const found = await cloud.client.readAll(network, "/subnets", "subnets", SubnetItem, signal, { network_id });
    return found.map(({ cidr }) => cidr).join(" ");
  });
  return known.split(" ").filter(Boolean);
}

/** Our project's own; without such, those of others that it may use. An administrator sees all. */
export function usableOf<T extends Pick<Network, "project_id" | "shared" | "router:external">>(
  networks: readonly T[],
  project: string,
): readonly T[] {
  const own = networks.filter(({ project_id }) => project_id === project);
  return own.length > 0 ? own : networks.filter((one) => one.shared === true || one["router:external"] === true);
}

function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text);
}

/** Makes the port with its address. Of several that calls at once have made, one stays. Throws as Client.call, EngineError. */
export async function makePort(
  cloud: Cloud,
  region: Region,
  spec: Pick<MachineSpec, "id" | "host">,
  group: string,
  signal: AbortSignal,
): Promise<Port> {
  const { client } = cloud;
  const name = machineName(spec.id);
  const port = {
    name,
    network_id: await networkId(cloud, region, region.settings.network, signal),
    security_groups: [group],
    // The host is for machines that have no server yet.
    description: portText(spec.host, cloud.owner),
  };
  const { place } = region;
  const made = await client.call(place.network, "/ports", { method: "POST", body: { port } }, signal);
  const [first, ...others] = await readPorts(cloud, region, { name }, signal);
  for (const { id, device_id } of others) if (device_id === "") await removePort(cloud, region, id, signal);
  if (first !== undefined) return first;
  if (PortAnswer.Check(made.body)) return made.body.port;
  throw new EngineError("unavailable", "engine-error", "The cloud lost a port.");
}

/** The machine's port; undefined: it has none. Removes others that a create has left unfinished. Throws as Client.call. */
export async function onlyPort(
  cloud: Cloud,
  region: Region,
  machineId: string,
  signal: AbortSignal,
): Promise<Port | undefined> {
  const [port, ...others] = await readPorts(cloud, region, { name: machineName(machineId) }, signal);
  for (const { id, device_id, tags } of others) {
    // A server is made only with a port that is tagged.
    if (device_id === "" && !tags.includes(cloud.owner)) await removePort(cloud, region, id, signal);
  }
  return port;
}

/** Adds the tag to the port. Neutron takes none with a new port. Throws as Client.call. */
export async function tagPort(
  { client }: Cloud,
  { place }: Region,
  { id, tags }: Port,
  tag: string,
  signal: AbortSignal,
): Promise<void> {
  if (tags.includes(tag)) return;
  await client.call(place.network, `/ports/${id}/tags/${tag}`, { method: "PUT" }, signal);
}

/** Removes the tag from the port. Throws as Client.call. */
export async function untagPort(
  { client }: Cloud,
  { place }: Region,
  { id, tags }: Port,
  tag: string,
  signal: AbortSignal,
): Promise<void> {
  if (!tags.includes(tag)) return;
  await client.call(place.network, `/ports/${id}/tags/${tag}`, { method: "DELETE" }, signal).catch(unlessGone);
}

/** Gives the port a floating address, unless it has one or the settings want none. Throws as Client.call, EngineError. */
export async function giveFloatingAddress(
  cloud: Cloud,
  region: Region,
  port: Port,
  signal: AbortSignal,
): Promise<void> {
  const { floatingNetwork } = region.settings;
  if (
    floatingNetwork === undefined ||
    (await floatingAddresses(cloud, region, { port_id: port.id }, signal)).length > 0
  )
    return;
  const network = await networkId(cloud, region, floatingNetwork, signal);
  const floatingip = { floating_network_id: network, port_id: port.id, description: cloud.owner };
  await cloud.client.call(region.place.network, "/floatingips", { method: "POST", body: { floatingip } }, signal);
}

/**
 * Removes the port with the floating addresses that we gave it; Neutron takes others off it and keeps them. Does nothing
 * if it does not exist. Throws as Client.call.
 */
export async function removePort(cloud: Cloud, region: Region, portId: string, signal: AbortSignal): Promise<void> {
  const remove = async (path: string) => {
    await cloud.client.call(region.place.network, path, { method: "DELETE" }, signal).catch(unlessGone);
  };
  if (region.settings.floatingNetwork !== undefined) {
    const ours = { port_id: portId, description: cloud.owner };
    const addresses = await floatingAddresses(cloud, region, ours, signal);
    for (const { id } of addresses) await remove(`/floatingips/${id}`);
  }
  await remove(`/ports/${portId}`);
}

/** Removes our floating addresses that are left of ports that others have removed: clouds have few. Throws as Client.call. */
export async function removeLeftAddresses(cloud: Cloud, region: Region, signal: AbortSignal): Promise<void> {
  if (region.settings.floatingNetwork === undefined) return;
  const ours = await floatingAddresses(cloud, region, { description: cloud.owner }, signal);
  for (const { id, port_id } of ours) {
    if (typeof port_id === "string") continue;
    await cloud.client.call(region.place.network, `/floatingips/${id}`, { method: "DELETE" }, signal).catch(unlessGone);
  }
}

async function floatingAddresses({ client }: Cloud, { place }: Region, query: Query, signal: AbortSignal) {
  const { id: project_id } = await client.project(signal);
  const all = { ...query, project_id };
  return client.readAll(place.network, "/floatingips", "floatingips", FloatingItem, signal, all);
}
