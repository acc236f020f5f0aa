// File systems, as volumes of Cinder: made when a machine is created, and attached to its server from the first start. A
// guest finds them by the first 20 characters of their ids. Used by create.ts, start.ts and engine.ts.
//
// Clouds without Cinder have no file systems.

import { Compile } from "typebox/compile";
import { EngineError, type FileSystemRef, type GuestFileSystem } from "../engine.ts";
import { type Volume, VolumeSchema } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";
import { machineName } from "./labels.ts";
import { unlessGone } from "./machines.ts";

const VolumeItem = Compile(VolumeSchema);

/** In the metadata of a volume: whose it is. */
const ownerKey = "lessor";

/** Makes those that do not exist. Throws EngineError, and as Client.call. */
export async function makeVolumes(
  cloud: Cloud,
  region: Region,
  fileSystems: readonly GuestFileSystem[],
  signal: AbortSignal,
): Promise<void> {
  for (const { id, sizeGb } of fileSystems) {
    if ((await readVolume(cloud, region, id, signal)) !== undefined) continue;
    const { volumeType } = region.settings;
    const volume = {
      name: machineName(id),
      // Volumes have whole GiB, and a file system of 1 GB is to hold as much.
      size: Math.ceil((sizeGb * 1000 ** 3) / 1024 ** 3),
      metadata: { [ownerKey]: cloud.owner },
      ...(volumeType === undefined ? {} : { volume_type: volumeType }),
    };
    await cloud.client.call(region.place.volume, "/volumes", { method: "POST", body: { volume } }, signal);
  }
}

/** Their volumes, which are there and free, in their order. Throws EngineError (unavailable) otherwise, and as Client.call. */
export async function volumesFor(
  cloud: Cloud,
  region: Region,
  fileSystems: readonly GuestFileSystem[],
  signal: AbortSignal,
): Promise<Volume[]> {
  const volumes: Volume[] = [];
  for (const { id } of fileSystems) {
    const volume = await readVolume(cloud, region, id, signal);
    if (volume?.status !== "available") {
      throw new EngineError("unavailable", "file-system-busy", "A file system is not ready yet.");
    }
    volumes.push(volume);
  }
  return volumes;
}

/** Removes the volume and its data. Does nothing if it does not exist. Throws as Client.call. */
export async function removeVolume(cloud: Cloud, { id }: FileSystemRef, signal: AbortSignal): Promise<void> {
  for (const region of cloud.regions) {
    if (!(await cloud.client.offers(region.place.volume, signal))) continue;
    for (const volume of await readVolumes(cloud, region, id, signal)) {
      const path = `/volumes/${volume.id}`;
      await cloud.client.call(region.place.volume, path, { method: "DELETE" }, signal).catch(unlessGone);
    }
  }
}

/** Of two that calls at once have made, and of one and its copy from a backup, all take the first. */
async function readVolume(cloud: Cloud, region: Region, id: string, signal: AbortSignal): Promise<Volume | undefined> {
  const [volume] = await readVolumes(cloud, region, id, signal);
  if (volume?.status.startsWith("error") === true) {
    throw new EngineError("unavailable", "file-system-failed", "The cloud's storage failed to make a file system.");
  }
  return volume;
}

/** Ours of the file system that are not being removed, the oldest first: a later one is not taken for one with data. */
async function readVolumes(cloud: Cloud, { place }: Region, id: string, signal: AbortSignal): Promise<Volume[]> {
  const query = { name: machineName(id) };
  const found = await cloud.client.readAll(place.volume, "/volumes/detail", "volumes", VolumeItem, signal, query);
  return found
    .filter(({ status, metadata }) => status !== "deleting" && metadata[ownerKey] === cloud.owner)
    .sort((a, b) => a.created_at.localeCompare(b.created_at) || (a.id < b.id ? -1 : 1));
}
