// A machine's port, and its floating address where the settings want one. Used by create.ts and remove.ts.

import { Compile } from "typebox/compile";
import { EngineError, type MachineSpec } from "../engine.ts";
import { FloatingAddressSchema, NetworkSchema, type Port, PortAnswer } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { type Cloud, lookUp, type Region } from "./cloud.ts";
import { machineName } from "./labels.ts";
import { readPorts } from "./machines.ts";

const NetworkItem = Compile(NetworkSchema);
const FloatingItem = Compile(FloatingAddressSchema);

/** The id of a network by its name or id. Throws EngineError no-network, and as Client.call. */
export function networkId(cloud: Cloud, region: Region, network: string, signal: AbortSignal): Promise<string> {
  return lookUp(cloud, region, `network ${network}`, async () => {
    const read = (query: Record<string, string>) =>
      cloud.client.readAll(region.place.network, "/networks", "networks", NetworkItem, signal, query);
    const [found] = [...(await read({ name: network })), ...(isId(network) ? await read({ id: network }) : [])];
    if (found !== undefined) return found.id;
    throw new EngineError("refused", "no-network", "The network of the settings does not exist in the cloud.");
  });
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
    // The host, for machines that have no server yet.
    description: spec.host,
  };
  const { place } = region;
  const made = await client.call(place.network, "/ports", { method: "POST", body: { port } }, signal);
  const [first, ...others] = await readPorts(cloud, region, { name }, signal);
  for (const { id, device_id } of others) if (device_id === "") await removePort(cloud, region, id, signal);
  if (first !== undefined) return first;
  if (PortAnswer.Check(made.body)) return made.body.port;
  throw new EngineError("unavailable", "engine-error", "The cloud lost a port.");
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

/** Gives the port a floating address, unless it has one or the settings want none. Throws as Client.call, EngineError. */
export async function giveFloatingAddress(
  cloud: Cloud,
  region: Region,
  port: Port,
  signal: AbortSignal,
): Promise<void> {
  const { floatingNetwork } = region.settings;
  if (floatingNetwork === undefined || (await floatingAddresses(cloud, region, port.id, signal)).length > 0) return;
  const network = await networkId(cloud, region, floatingNetwork, signal);
  const floatingip = { floating_network_id: network, port_id: port.id, description: cloud.owner };
  await cloud.client.call(region.place.network, "/floatingips", { method: "POST", body: { floatingip } }, signal);
}

/** Removes the port with its floating addresses. Does nothing if it does not exist. Throws as Client.call. */
export async function removePort(cloud: Cloud, region: Region, portId: string, signal: AbortSignal): Promise<void> {
  const remove = async (path: string) => {
    await cloud.client.call(region.place.network, path, { method: "DELETE" }, signal).catch(unlessGone);
  };
  if (region.settings.floatingNetwork !== undefined) {
    for (const { id } of await floatingAddresses(cloud, region, portId, signal)) await remove(`/floatingips/${id}`);
  }
  await remove(`/ports/${portId}`);
}

function floatingAddresses({ client }: Cloud, { place }: Region, portId: string, signal: AbortSignal) {
  return client.readAll(place.network, "/floatingips", "floatingips", FloatingItem, signal, { port_id: portId });
}

/** For `catch`: what does not exist any more was removed. */
export function unlessGone(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}
