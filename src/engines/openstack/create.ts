// Creates a machine, halted: its volumes, its security group, and its port with its address. Its server is made by the first
// start, because Nova has no servers that were made and never ran. Used by engine.ts.

import { EngineError, type MachineSpec } from "../engine.ts";
import { type Cloud, noSuchHost, type Region } from "./cloud.ts";
import { flavorFor } from "./flavors.ts";
import { regionOfHost } from "./hosts.ts";
import { imageId } from "./images.ts";
import { madeTag } from "./labels.ts";
import { untagPort } from "./network.ts";
import { completePort } from "./port.ts";
import { piecesOf } from "./secrets.ts";
import { userDataOf } from "./server-body.ts";
import { makeVolumes } from "./volumes.ts";

/** Throws as Client.call, EngineError. */
export async function createMachine(cloud: Cloud, spec: MachineSpec, signal: AbortSignal): Promise<void> {
  const region = await regionOfHost(cloud, spec.host, signal);
  if (region === undefined) throw noSuchHost();
  await refuseInVain(cloud, region, spec, signal);
  await makeVolumes(cloud, region, spec, signal);
  const port = await completePort(cloud, region, spec, signal);
  // Its server was deleted by others before it was ever ready, or it would not be created again.
  await untagPort(cloud, region, port, madeTag, signal);
}

/** What the first start would be refused for is refused before anything is made. */
async function refuseInVain(cloud: Cloud, region: Region, spec: MachineSpec, signal: AbortSignal): Promise<void> {
  piecesOf(spec.guest);
  userDataOf(spec, []);
  await imageId(cloud, region, spec.image, signal);
  await flavorFor(cloud, region, spec, signal);
  if (spec.guest.fileSystems.length > 0 && !(await cloud.client.offers(region.place.volume, signal))) {
    throw new EngineError("refused", "not-supported", "The cloud has no service for file systems.");
  }
}
