// File systems, as volumes of Cinder: made when a machine is created, and attached to its server from the first start. A
// guest finds them by the first 20 characters of their ids. Used by create.ts, start.ts and engine.ts.
//
// Invariant: a volume that a server may have had is never deleted but with its file system. A new one is marked as empty
// (`keys.empty`) until before its first server is ordered.
//
// Clouds without Cinder have no file systems.

import { Compile } from "typebox/compile";
import { EngineError, type FileSystemRef, type GuestFileSystem, type MachineSpec } from "../engine.ts";
import { type Volume, VolumeSchema } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import type { Cloud, Region } from "./cloud.ts";
import { keys, machineName } from "./labels.ts";
import { unlessGone } from "./machines.ts";

const VolumeItem = Compile(VolumeSchema);

/** In the metadata of a volume: whose it is. */
const ownerKey = "lessor";

/** How often the storage may fail to make one for a machine. */
const MOST_TRIES = 3;

/** Makes those that do not exist, and anew those that the storage failed to make. Throws EngineError, and as Client.call. */
export async function makeVolumes(
  cloud: Cloud,
  region: Region,
  spec: Pick<MachineSpec, "id" | "guest">,
  signal: AbortSignal,
): Promise<void> {
  for (const fileSystem of spec.guest.fileSystems) await madeVolume(cloud, region, spec.id, fileSystem, signal);
}

/**
 * Their volumes, which are there and free, in their order; from here on they count as having data. Throws EngineError
 * (unavailable) otherwise, and as Client.call.
 */
export async function volumesFor(
  cloud: Cloud,
  region: Region,
  spec: Pick<MachineSpec, "id" | "guest">,
  signal: AbortSignal,
): Promise<Volume[]> {
  const volumes: Volume[] = [];
  for (const fileSystem of spec.guest.fileSystems) {
    const { volume, others } = await madeVolume(cloud, region, spec.id, fileSystem, signal);
    if (volume?.status !== "available") {
      throw new EngineError("unavailable", "file-system-busy", "A file system is not ready yet.");
    }
    const path = `/volumes/${volume.id}/metadata`;
    const metadata = { [keys.empty]: "no" };
    if (isEmpty(volume))
      await cloud.client.call(region.place.volume, path, { method: "POST", body: { metadata } }, signal);
    for (const other of others.filter(isEmpty)) await removeEmpty(cloud, region, other, signal);
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

interface Made {
  /** Undefined: it was ordered now. */
  readonly volume: Volume | undefined;
  /** Orders that came late have made them. */
  readonly others: readonly Volume[];
}

async function madeVolume(
  cloud: Cloud,
  region: Region,
  machineId: string,
  { id, sizeGb }: GuestFileSystem,
  signal: AbortSignal,
): Promise<Made> {
  const all = await readVolumes(cloud, region, id, signal);
  const [volume, ...others] = all.filter((one) => !(isFailed(one) && isEmpty(one)));
  if (volume !== undefined && isFailed(volume)) throw failed();
  if (volume !== undefined) return { volume, others };
  const tries = Math.max(0, ...all.map(({ metadata }) => triesIn(metadata, machineId)));
  if (tries >= MOST_TRIES) throw failed();
  for (const one of all) await removeEmpty(cloud, region, one, signal);
  const { volumeType } = region.settings;
  const order = {
    name: machineName(id),
    // Volumes have whole GiB, and a file system of 1 GB is to hold as much.
    size: Math.ceil((sizeGb * 1000 ** 3) / 1024 ** 3),
    metadata: { [ownerKey]: cloud.owner, [keys.empty]: `${tries + 1} ${machineId}` },
    ...(volumeType === undefined ? {} : { volume_type: volumeType }),
  };
  await cloud.client.call(region.place.volume, "/volumes", { method: "POST", body: { volume: order } }, signal);
  return { volume: undefined, others: [] };
}

function failed(): EngineError {
  return new EngineError("unavailable", "file-system-failed", "The cloud's storage failed to make a file system.");
}

/** The storage did not make it, or failed later. */
function isFailed({ status }: Volume): boolean {
  return status.startsWith("error");
}

/** No server ever had it. One without the mark may have data. */
function isEmpty({ metadata }: Volume): boolean {
  return /^\d/.test(metadata[keys.empty] ?? "");
}

/** How often the storage was told to make one for this machine. */
function triesIn(metadata: Volume["metadata"], machineId: string): number {
  const [tries, machine] = (metadata[keys.empty] ?? "").split(" ");
  return machine === machineId ? Number(tries) : 0;
}

/** One that cannot be deleted now stays until its file system is removed. */
async function removeEmpty({ client }: Cloud, { place }: Region, { id }: Volume, signal: AbortSignal): Promise<void> {
  await client.call(place.volume, `/volumes/${id}`, { method: "DELETE" }, signal).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status < 500)) throw error;
  });
}

/**
 * Ours of the file system that are not being removed: first those that may have data, the oldest first, so that a later
 * one, or a copy from a backup, is not taken for it.
 */
async function readVolumes(cloud: Cloud, { place }: Region, id: string, signal: AbortSignal): Promise<Volume[]> {
  const query = { name: machineName(id) };
  const found = await cloud.client.readAll(place.volume, "/volumes/detail", "volumes", VolumeItem, signal, query);
  return found
    .filter(({ status, metadata }) => status !== "deleting" && metadata[ownerKey] === cloud.owner)
    .sort(
      (a, b) =>
        Number(isEmpty(a)) - Number(isEmpty(b)) || a.created_at.localeCompare(b.created_at) || (a.id < b.id ? -1 : 1),
    );
}
