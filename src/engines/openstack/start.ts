// Starts a machine: makes its server if it has none, wakes it if it is halted, and delivers its secrets once it runs. Used by
// engine.ts.
//
// Nova's create is not idempotent: it accepts every repetition. So servers are looked for by the machine's tag first; the
// port admits one server at a time; one replica works on an instance; and of several servers all but one are removed.
// A server without secrets holds no customer data: one that failed, or lost its port to another, is made again.

import { EngineError, type MachineSpec, noCapacityNow } from "../engine.ts";
import { type Port, type Server, ServerAnswer } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";
import { flavorFor, unlessThere } from "./flavors.ts";
import { imageId } from "./images.ts";
import { madeTag } from "./labels.ts";
import { hasAddress, isTold, nothingThere, readMachine, readPort, unlessGone } from "./machines.ts";
import { giveFloatingAddress, onlyPort, tagPort, untagPort } from "./network.ts";
import { completePort } from "./port.ts";
import { powerOf, wakeAction } from "./report.ts";
import { tell } from "./secrets.ts";
import { serverBody } from "./server-body.ts";
import { volumesFor } from "./volumes.ts";

/** Resolves when the cloud has accepted the next step: read its state, and call it again for the one after. Throws as Client.call, EngineError. */
export async function startMachine(cloud: Cloud, spec: MachineSpec, signal: AbortSignal): Promise<void> {
  const machine = await readMachine(cloud, spec, signal);
  if (machine === undefined) throw nothingThere(spec);
  const { region } = machine;
  if (machine.server === undefined) return makeServer(cloud, region, spec, machine.port, signal);
  const { server, extras } = machine;
  for (const extra of extras) await removeExtra(cloud, region, extra, signal);
  if (isBeingDeleted(server)) throw busy();
  await keepPort(cloud, region, spec.id, signal);
  const power = powerOf(server);
  if (isTold(server) || power === "starting") {
    if (power === "halted") await wake(cloud, region, server, signal);
    else if (power === "running" && !hasAddress(server)) await connect(cloud, region, spec, server, signal);
  } else if (server.status === "ERROR") await makeAgain(cloud, region, spec.id, server, signal);
  else if (power === "halted") await wake(cloud, region, server, signal);
  else if (!hasAddress(server)) await removeToMakeAgain(cloud, region, spec.id, server, signal);
  else await tell(cloud, region, server, spec, signal);
}

async function makeServer(
  cloud: Cloud,
  region: Region,
  spec: MachineSpec,
  port: Port,
  signal: AbortSignal,
): Promise<void> {
  const body = serverBody(cloud, region, spec, {
    portId: port.id,
    imageId: await imageId(cloud, region, spec.image, signal),
    flavorId: await flavorFor(cloud, region, spec, signal),
    volumes: await volumesFor(cloud, region, spec, signal),
  });
  await cloud.client.call(region.place.compute, "/servers", { method: "POST", body }, signal);
  await tagPort(cloud, region, port, madeTag, signal);
}

/** Gives a server with customer data its port again, or a new one: others removed it, or it was lost to another server. */
async function connect(
  cloud: Cloud,
  region: Region,
  spec: MachineSpec,
  server: Server,
  signal: AbortSignal,
): Promise<void> {
  const port = await completePort(cloud, region, spec, signal);
  await tagPort(cloud, region, port, madeTag, signal);
  // Nova shows it late.
  if (port.device_id !== "") return;
  const body = { interfaceAttachment: { port_id: port.id } };
  await cloud.client.call(region.place.compute, `/servers/${server.id}/os-interface`, { method: "POST", body }, signal);
}

/** Marks it: a server that others delete would look like one that was never made. And gives back an address that they took. */
async function keepPort(cloud: Cloud, region: Region, machineId: string, signal: AbortSignal): Promise<void> {
  const port = await onlyPort(cloud, region, machineId, signal);
  if (port === undefined) return;
  await tagPort(cloud, region, port, madeTag, signal);
  await giveFloatingAddress(cloud, region, port, signal);
}

async function wake({ client }: Cloud, { place }: Region, server: Server, signal: AbortSignal): Promise<void> {
  const action = { method: "POST", body: wakeAction(server) } as const;
  // 409: it is on its way already, or its status has changed since.
  await unlessThere(client.call(place.compute, `/servers/${server.id}/action`, action, signal));
}

/** Nova's own words for a lack of room, which it finds after it has accepted the order. */
const noRoom = /no valid host|exhausted all hosts|quota exceeded/i;

/** Characters; Nova's have 255 at most. */
const MOST_FAULT = 1000;

/** Read singly: in lists Nova leaves out the faults of servers that no host was found for. */
async function faultOf({ client }: Cloud, { place }: Region, { id }: Server, signal: AbortSignal): Promise<string> {
  const { server } = await client.read(place.compute, `/servers/${id}`, ServerAnswer, signal);
  return server.fault?.message.slice(0, MOST_FAULT) ?? "no fault";
}

async function makeAgain(
  cloud: Cloud,
  region: Region,
  machineId: string,
  server: Server,
  signal: AbortSignal,
): Promise<never> {
  const message = await faultOf(cloud, region, server, signal);
  const hadPort = await removeToMakeAgain(cloud, region, machineId, server, signal);
  // Nova says the same of a port that others have removed.
  if (hadPort && noRoom.test(message)) throw noCapacity(new Error(message));
  throw new EngineError("unavailable", "server-failed", "The cloud failed to start the machine.", {
    cause: new Error(message),
  });
}

/** `cause`: the cloud's own words. */
export function noCapacity(cause: unknown): EngineError {
  return new EngineError("refused", noCapacityNow, "The cloud has no room for the machine now.", { cause });
}

/** Its port stays, and belongs to no server again. False: it has none, and the machine is gone. */
export async function removeToMakeAgain(
  cloud: Cloud,
  region: Region,
  machineId: string,
  server: Server,
  signal: AbortSignal,
): Promise<boolean> {
  const port = await readPort(cloud, region, machineId, signal);
  // First: with the mark and without a server the machine would count as gone.
  if (port !== undefined) await untagPort(cloud, region, port, madeTag, signal);
  await cloud.client
    .call(region.place.compute, `/servers/${server.id}`, { method: "DELETE" }, signal)
    .catch(unlessGone);
  return port !== undefined;
}

/** Never one that has a customer's data. */
export async function removeExtra(
  { client }: Cloud,
  { place }: Region,
  extra: Server,
  signal: AbortSignal,
): Promise<void> {
  if (isTold(extra) || isBeingDeleted(extra)) return;
  await client.call(place.compute, `/servers/${extra.id}`, { method: "DELETE" }, signal).catch(unlessGone);
}

export function isBeingDeleted(server: Server): boolean {
  return (
    server["OS-EXT-STS:task_state"] === "deleting" || server.status === "DELETED" || server.status === "SOFT_DELETED"
  );
}

export function busy(): EngineError {
  return new EngineError("unavailable", "machine-busy", "Another operation on the machine is in progress.");
}
