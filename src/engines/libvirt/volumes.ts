// The volumes of a host: disks in the operator's pool, and what must not reach a disk in a pool of our own in memory.
//
// Invariant: every step can be repeated. The pool in memory is started but not defined: it is lost when the host
// restarts, and is created again before the next machine starts.

import { randomBytes } from "node:crypto";
import { EngineError } from "../engine.ts";
import type { HostConnection } from "./host-connection.ts";
import { unfinishedMark } from "./labels.ts";
import { fromInput } from "./virsh/virsh.ts";
import { says, unless } from "./virsh/virsh-error.ts";
import { element, xmlText } from "./xml/element.ts";
import { readOne, readXml } from "./xml/read.ts";

/** The pool in memory and its directory: /run is in memory on every host. */
export const memoryPool = "lessor-run";
export const memoryPath = "/run/lessor";

/** What was interrupted may take this long to clean up after itself, in milliseconds: its caller waits for that. */
export const cleanUpMs = 10_000;

/** Of what is removed right after its use. Has the time in it, so that what is left of it is found (virtualization.ts). */
export function temporaryName(kind: "proof" | "mark"): string {
  return `lessor-${kind}-${Math.floor(Date.now() / 1000)}-${randomBytes(6).toString("hex")}`;
}

/** Types of pools whose volumes are files, which an overlay needs: a directory, a file system, or a network file system. */
export const filePools: readonly string[] = ["dir", "fs", "netfs"];

/** Creates the pool in memory if it does not exist. Throws VirshError. */
export async function makeMemoryPool({ virsh }: HostConnection, signal: AbortSignal): Promise<void> {
  const pool = element(
    "pool",
    { type: "dir" },
    element("name", {}, memoryPool),
    // QEMU can be another user, which must be able to open a known file.
    element("target", {}, element("path", {}, memoryPath), element("permissions", {}, element("mode", {}, "0711"))),
  );
  await unless("exists", virsh.call(["pool-create", fromInput, "--build"], { input: xmlText(pool), signal }));
}

/** The directory of the operator's pool. Throws EngineError if it has none, VirshError. */
export async function poolPath({ virsh, settings }: HostConnection, signal: AbortSignal): Promise<string> {
  const pool = readOne(await virsh.call(["pool-dumpxml", settings.pool], { signal }));
  const path = pool.one("target", "path")?.text;
  if (!filePools.includes(pool.attribute("type") ?? "") || path === undefined) {
    throw new EngineError("refused", "host-misconfigured", "The host's storage cannot hold machines.");
  }
  return path;
}

/** An image's format and location. Throws EngineError image-missing and image-unfinished, VirshError. */
export async function readImage(
  { virsh, settings }: HostConnection,
  volume: string,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly format: string; readonly bytes: number }> {
  const commands = [unfinishedMark(volume), volume].map((name) => ["vol-dumpxml", "--pool", settings.pool, name]);
  const text = await unless("noSuchVolume", virsh.all(commands, { signal }));
  // Once the image is complete, only it exists, and not its mark.
  const [found, another] = text === undefined ? [] : readXml(text);
  if (another !== undefined) {
    throw new EngineError("refused", "image-unfinished", "The image is not completely on the host yet.");
  }
  const path = found?.one("target", "path")?.text;
  if (found === undefined || path === undefined) {
    throw new EngineError("refused", "image-missing", "The image is not on the host.");
  }
  return {
    path,
    format: found.one("target", "format")?.attribute("type") ?? "raw",
    bytes: found.one("capacity")?.bytes ?? 0,
  };
}

/**
 * A disk that is based on the image. `bytes`: its size. A smaller existing one is left over from an interrupted create,
 * so no machine uses it: it is recreated. Throws VirshError.
 */
export async function makeOverlay(
  place: HostConnection,
  name: string,
  image: { readonly path: string; readonly format: string },
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  const backing = element(
    "backingStore",
    {},
    element("path", {}, image.path),
    element("format", { type: image.format }),
  );
  const { pool } = place.settings;
  const make = () => makeVolume(place, pool, { name, bytes, format: "qcow2", backing }, signal);
  if ((await make()) === "made") return;
  // libvirt rounds up.
  if (((await sizeOf(place, pool, name, signal)) ?? 0) >= bytes) return;
  await deleteVolume(place, pool, name, signal);
  await make();
}

/**
 * A separate disk that takes space only as it is written. Not raw: as root, libvirt detects the format of every file of
 * a pool and follows references in it, which a guest could write. Throws VirshError.
 */
export async function makeDisk(place: HostConnection, name: string, bytes: number, signal: AbortSignal): Promise<void> {
  await makeVolume(place, place.settings.pool, { name, bytes, format: "qcow2", backing: undefined }, signal);
}

interface VolumeSpec {
  readonly name: string;
  readonly bytes: number;
  readonly format: "qcow2" | "raw";
  readonly backing: ReturnType<typeof element> | undefined;
}

async function makeVolume(
  { virsh }: HostConnection,
  pool: string,
  spec: VolumeSpec,
  signal: AbortSignal,
): Promise<"made" | "there"> {
  const input = xmlText(volumeElement(pool, spec));
  const made = await unless("exists", virsh.call(["vol-create", pool, fromInput], { input, signal }));
  return made === undefined ? "there" : "made";
}

function volumeElement(pool: string, { name, bytes, format, backing }: VolumeSpec): ReturnType<typeof element> {
  return element(
    "volume",
    {},
    element("name", {}, name),
    element("capacity", { unit: "bytes" }, `${bytes}`),
    // Fully allocated in memory: an upload into a full file system reports success.
    element("allocation", { unit: "bytes" }, pool === memoryPool ? `${bytes}` : "0"),
    element("target", {}, element("format", { type: format }), element("permissions", {}, element("mode", {}, "0600"))),
    backing,
  );
}

/**
 * A volume in memory with these bytes. Replaces an existing one, which no running machine uses. If another service
 * writes the same at this moment, it is complete for both: one of the right size is never removed. Throws VirshError.
 */
export async function putInMemory(
  place: HostConnection,
  name: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  const spec = { name, bytes: bytes.length, format: "raw", backing: undefined } as const;
  const make = () => makeVolume(place, memoryPool, spec, signal);
  const outcome = await make().catch(async (error: unknown) => {
    if (!says(error, "noSuchPool")) throw error;
    // The host has restarted since the pool was created.
    await makeMemoryPool(place, signal);
    return make();
  });
  if (outcome === "there") {
    let size = await sizeOf(place, memoryPool, name, signal);
    if (size === undefined) {
      // A file that the pool does not know yet can be deleted only after a refresh. Everything in there is ours:
      // libvirt reads every file, so nothing written by a guest can be there.
      await lookAnew(place, signal);
      size = await sizeOf(place, memoryPool, name, signal);
    }
    if (size !== bytes.length) {
      await deleteVolume(place, memoryPool, name, signal);
      await make();
    }
  }
  await place.virsh.call(["vol-upload", "--pool", memoryPool, name, fromInput], { input: bytes, signal });
}

/**
 * Makes a volume of one byte in memory and removes it, also if the signal aborts in between. Returns its description, with
 * the host's time of its making. One process of virsh. Throws VirshError, and the signal's reason.
 */
export async function markInMemory(place: HostConnection, signal: AbortSignal): Promise<string> {
  const name = `${temporaryName("mark")}.img`;
  const spec = { name, bytes: 1, format: "raw", backing: undefined } as const;
  const commands = [
    ["vol-create", memoryPool, fromInput],
    ["vol-dumpxml", "--pool", memoryPool, name],
    ["vol-delete", "--pool", memoryPool, name],
  ];
  const mark = async () => {
    try {
      return await place.virsh.all(commands, { input: xmlText(volumeElement(memoryPool, spec)), signal });
    } catch (error) {
      // Its process was killed, after any of its commands. If this fails too, a later verification cleans up.
      if (signal.aborted) await deleteVolume(place, memoryPool, name, AbortSignal.timeout(cleanUpMs)).catch(() => {});
      throw error;
    }
  };
  const text = await unless("noSuchPool", mark());
  if (text !== undefined) return text;
  // The host has restarted since the pool was created, or no machine was verified on it yet.
  await makeMemoryPool(place, signal);
  return mark();
}

/**
 * Does nothing if it does not exist, or was lost with the host's memory. A missing operator's pool is an error, because
 * its content is unknown. Throws VirshError.
 */
export async function deleteVolume(
  { virsh }: HostConnection,
  pool: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const gone = unless("noSuchVolume", virsh.call(["vol-delete", "--pool", pool, name], { signal }));
  await (pool === memoryPool ? unless("noSuchPool", gone) : gone);
}

const BUSY_PAUSE_MS = 100;

/** Makes libvirt see the files in memory. It cannot while one is being written. Throws VirshError. */
async function lookAnew({ virsh }: HostConnection, signal: AbortSignal): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      await virsh.call(["pool-refresh", memoryPool], { signal });
      return;
    } catch (error) {
      if (!says(error, "poolBusy") || attempts === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
    }
  }
}

/** How many bytes the volume takes in the operator's pool; undefined if it does not exist. Throws VirshError. */
export async function allocatedOf(
  place: HostConnection,
  name: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { virsh, settings } = place;
  const text = await unless("noSuchVolume", virsh.call(["vol-dumpxml", "--pool", settings.pool, name], { signal }));
  return text === undefined ? undefined : readXml(text)[0]?.one("allocation")?.bytes;
}

async function sizeOf(
  { virsh }: HostConnection,
  pool: string,
  name: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const text = await unless("noSuchVolume", virsh.call(["vol-dumpxml", "--pool", pool, name], { signal }));
  return text === undefined ? undefined : readXml(text)[0]?.one("capacity")?.bytes;
}
