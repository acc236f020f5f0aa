// File systems as custom storage volumes, named by their ids. On local storage each is on one member: that of the first
// machine it was attached to (the rental keeps it there).

import { EngineError, type FileSystemRef, type MachineSpec } from "../engine.ts";
import { VolumeAnswer, VolumeStateAnswer } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { change } from "./client/operations.ts";
import { type Cluster, memberName, poolPath, targetOf } from "./cluster.ts";
import { marks, volumeName } from "./labels.ts";
import { isNotFound } from "./translate.ts";

/** Creates those of the machine's file systems that do not exist yet, on `member`. Throws as Client.call, EngineError. */
export async function makeVolumes(
  cluster: Cluster,
  { guest, accountId }: MachineSpec,
  member: string,
  signal: AbortSignal,
): Promise<void> {
  const target = await targetOf(cluster, member, signal);
  for (const { id, sizeGb } of guest.fileSystems) {
    const body = {
      name: volumeName(id),
      content_type: "filesystem",
      config: {
        size: `${sizeGb}GB`,
        [marks.installation]: cluster.installation,
        [marks.fileSystem]: id,
        [marks.account]: accountId,
      },
    };
    try {
      await change(cluster.client, volumesPath(cluster), { method: "POST", query: target, body }, signal);
    } catch (error) {
      if (!(error instanceof ApiError && /already exists/i.test(error.message))) throw error;
      await makeSureOurs(cluster, `${volumesPath(cluster)}/${volumeName(id)}`, target, signal);
    }
  }
}

/**
 * The used bytes of the volume; undefined: it does not exist, or its storage cannot say. Throws as Client.call,
 * EngineError.
 */
export async function measureVolume(
  cluster: Cluster,
  { id, host }: FileSystemRef,
  signal: AbortSignal,
): Promise<number | undefined> {
  const target = await targetOfHost(cluster, host, signal);
  const path = `${volumesPath(cluster)}/${volumeName(id)}`;
  try {
    await makeSureOurs(cluster, path, target, signal);
    return (await cluster.client.read(`${path}/state`, VolumeStateAnswer, signal, target)).usage?.used;
  } catch (error) {
    if (isNotFound(error) || isUseUnknown(error)) return undefined;
    throw error;
  }
}

/**
 * Directories without project quotas cannot report usage: newer clusters return no number, LXD 5.0 an error. LXD 5.0
 * also finds the state of a volume only on the member that gets the request.
 */
function isUseUnknown(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || /^not supported$/i.test(error.message));
}

/** Removes the volume and its data. Throws as Client.call, EngineError. */
export async function removeVolume(cluster: Cluster, { id, host }: FileSystemRef, signal: AbortSignal): Promise<void> {
  const { client } = cluster;
  const target = await targetOfHost(cluster, host, signal);
  const path = `${volumesPath(cluster)}/${volumeName(id)}`;
  try {
    await makeSureOurs(cluster, path, target, signal);
    await change(client, path, { method: "DELETE", query: target }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** `host` undefined: shared storage, so every member can respond. */
async function targetOfHost(
  cluster: Cluster,
  host: string | undefined,
  signal: AbortSignal,
): Promise<{ target?: string }> {
  const member = host === undefined ? undefined : memberName(cluster, host);
  return member === undefined ? {} : targetOf(cluster, member, signal);
}

/** Throws as Client.call, and EngineError if the volume does not have the label of this installation. */
async function makeSureOurs(
  { client, installation }: Cluster,
  path: string,
  target: { target?: string },
  signal: AbortSignal,
): Promise<void> {
  const { config } = await client.read(path, VolumeAnswer, signal, target);
  if (config?.[marks.installation] === installation) return;
  throw new EngineError("unavailable", "not-ours", "A volume with this name exists and belongs to something else.");
}

function volumesPath(cluster: Cluster): string {
  return `${poolPath(cluster)}/volumes/custom`;
}
