// Imports a disk image to the pool of every host of an engine, as the volume of an image's name. Used by `lessor image
// import`.
//
// Invariants. A complete existing volume is never changed, because machines' disks can be based on it. All hosts are
// checked before anything is sent. A repeated import sends only what is missing.

import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { wordsOf } from "../../check/finding.ts";
import { isOrphan } from "../../check/test-instance-label.ts";
import { EngineError } from "../../engine.ts";
import { type DiskFile, readDiskFile } from "../../images/disk-file.ts";
import { ImportError } from "../../images/import-error.ts";
import { sideBySide } from "../bounded-concurrency.ts";
import { imageOf } from "../create.ts";
import type { HostConnection } from "../host-connection.ts";
import type { LibvirtSettings } from "../settings/settings.ts";
import { openVirsh, type Virsh } from "../virsh/virsh.ts";
import { says } from "../virsh/virsh-error.ts";
import { deleteVolume, filePools } from "../volumes.ts";
import { readOne } from "../xml/read.ts";
import { usersOf } from "./image-users.ts";
import { readVolume, sameContent } from "./same-content.ts";
import { makeRaw, markFinished, markUnfinished, readUnfinished } from "./unfinished.ts";

export interface VolumeImport {
  readonly settings: LibvirtSettings;
  /** qcow2 or raw. */
  readonly file: string;
  /** Its name in the catalog. */
  readonly alias: string;
  /** Rejected if true. */
  readonly replace: boolean;
  /** Progress of one host. */
  readonly onProgress: (host: string, done: number, all: number) => void;
  /** A host is finished. */
  readonly onHost: (outcome: HostImport) => void;
  /** The connection to a host; replaced in tests. */
  readonly connect?: (uri: string) => Virsh;
}

/** `failed`: the reason, for the operator. */
export interface HostImport {
  readonly host: string;
  readonly volume: string;
  readonly outcome: "sent" | "was there" | { readonly failed: string };
}

/** Returns the result of each host. Throws ImportError, before anything is sent, or the reason of `signal`. */
export async function importVolume(order: VolumeImport, signal: AbortSignal): Promise<HostImport[]> {
  const { settings, alias, replace, connect = openVirsh } = order;
  if (replace) {
    throw new ImportError(
      "--replace is not possible with libvirt: machines read unchanged data from the image for as long as " +
        "they exist, so it must never change. Use another alias, and set it in the catalog.",
    );
  }
  const volume = volumeOf(settings, alias);
  const file = await readDiskFile(order.file);
  const places = settings.hosts.map((host) => ({ host, settings, installation: "", virsh: connect(host.uri) }));
  const states: State[] = [];
  const looking = sideBySide<HostConnection, State>(places, async function* (place) {
    yield await lookAt(place, volume, file, order, signal);
  });
  for await (const state of looking) states.push(state);
  refuseOthers(states, volume, alias);
  const outcomes: HostImport[] = [];
  for (const { place, at } of states) {
    const outcome = await bring(place, volume, file, at, order, signal);
    outcomes.push({ host: place.host.name, volume, outcome });
    order.onHost({ host: place.host.name, volume, outcome });
  }
  return outcomes;
}

function volumeOf(settings: LibvirtSettings, alias: string): string {
  try {
    return imageOf(settings, alias).volume;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new ImportError(
      `${alias} is not a valid image name: use letters, digits and "._+-", with a letter or digit first.`,
    );
  }
}

type At = "nothing" | "the same" | "another" | "broken off" | { readonly failed: string };

interface State {
  readonly place: HostConnection;
  readonly at: At;
}

const LOOK_MS = 60_000;

/** The current state. Throws only the reason of `signal`. */
async function lookAt(
  place: HostConnection,
  volume: string,
  file: DiskFile,
  order: VolumeImport,
  signal: AbortSignal,
): Promise<State> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  try {
    return { place, at: await look(place, volume, file, order.file, within) };
  } catch (error) {
    signal.throwIfAborted();
    return { place, at: { failed: within.aborted ? `no response within ${LOOK_MS / 1000} s` : wordsOf(error) } };
  }
}

async function look(
  place: HostConnection,
  volume: string,
  file: DiskFile,
  path: string,
  signal: AbortSignal,
): Promise<At> {
  await refresh(place, signal);
  const pool = readOne(await place.virsh.call(["pool-dumpxml", place.settings.pool], { signal }));
  const type = pool.attribute("type") ?? "";
  if (!filePools.includes(type)) return { failed: `its pool is of type ${type}, but disks of machines are files` };
  const importer = await readUnfinished(place, volume, signal);
  if (importer !== undefined && !isOrphan(importer, Date.now())) {
    return { failed: `another import of it is in progress (${importer.split(":")[0]})` };
  }
  if (importer !== undefined) return "broken off";
  const found = await readVolume(place, volume, signal);
  if (found !== undefined) return (await sameContent(place, found, file, path, signal)) ? "the same" : "another";
  const free = pool.one("available")?.bytes ?? 0;
  return free < file.storedBytes ? { failed: "its pool has no room for it" } : "nothing";
}

/** Makes libvirt see files that were added in another way. If something is being written, the current state is used. */
async function refresh({ virsh, settings }: HostConnection, signal: AbortSignal): Promise<void> {
  await virsh.call(["pool-refresh", settings.pool], { signal }).catch((error: unknown) => {
    if (!says(error, "poolBusy")) throw error;
  });
}

function refuseOthers(states: readonly State[], volume: string, alias: string): void {
  const others = states.filter(({ at }) => at === "another").map(({ place }) => place.host.name);
  if (others.length === 0) return;
  throw new ImportError(
    `Another image named ${volume} exists on ${others.join(", ")}, and machines might use it. ` +
      `Use an alias other than ${alias}, such as ${alias}-2, and set it in the catalog.`,
  );
}

/** Throws only the reason of `signal`, after removing incomplete data. */
async function bring(
  place: HostConnection,
  volume: string,
  file: DiskFile,
  at: At,
  order: VolumeImport,
  signal: AbortSignal,
): Promise<HostImport["outcome"]> {
  if (at === "the same") return "was there";
  if (typeof at === "object") return at;
  try {
    if (at === "broken off") await clearAway(place, volume, signal);
    await send(place, volume, file, order, signal);
    return "sent";
  } catch (error) {
    signal.throwIfAborted();
    return { failed: wordsOf(error) };
  }
}

/** Removes the incomplete volume of another import. Throws if machines are based on it all the same. */
async function clearAway(place: HostConnection, volume: string, signal: AbortSignal): Promise<void> {
  const users = await usersOf(place, volume, signal);
  if (users.length > 0) {
    const [first, more] = [users[0], users.length === 1 ? "" : ` and ${users.length - 1} more`];
    throw new Error(
      `an import was interrupted, and machines use its incomplete image: ${first}${more}. Use another alias`,
    );
  }
  await deleteVolume(place, place.settings.pool, volume, signal);
  await markFinished(place, volume, signal);
}

async function send(
  place: HostConnection,
  volume: string,
  file: DiskFile,
  { file: path, onProgress }: VolumeImport,
  signal: AbortSignal,
): Promise<void> {
  const { pool } = place.settings;
  // An existing mark or volume belongs to another import and must not be removed.
  await markUnfinished(place, volume, signal);
  const stopTelling = tellProgress(place, volume, file, onProgress, signal);
  let isOurs = false;
  try {
    await makeRaw(place, volume, file.bytes, signal);
    isOurs = true;
    const sparse = file.storedBytes < file.bytes ? ["--sparse"] : [];
    // virsh reads the file itself. A path that begins with "-" would be an option.
    await place.virsh.call(["vol-upload", "--pool", pool, volume, resolve(path), ...sparse], { signal });
    await refresh(place, signal);
    const made = await readVolume(place, volume, signal);
    if (made === undefined || !(await sameContent(place, made, file, path, signal))) {
      throw new Error("the received data differs from the file, which might have changed during the import");
    }
    await markFinished(place, volume, signal);
  } catch (error) {
    await putAway(place, volume, isOurs);
    throw error;
  } finally {
    stopTelling();
  }
}

const PUT_AWAY_MS = 30_000;
const TRY_EVERY_MS = 300;

/**
 * Removes the incomplete volume of this import. Repeated, because libvirt holds the volume until it notices the end of
 * the upload. If it fails, the mark stays, and the next import or the check finds it.
 */
async function putAway(place: HostConnection, volume: string, isOurs: boolean): Promise<void> {
  const patience = AbortSignal.timeout(PUT_AWAY_MS);
  while (!patience.aborted) {
    try {
      if (isOurs) await deleteVolume(place, place.settings.pool, volume, patience);
      return await markFinished(place, volume, patience);
    } catch {
      await pause(TRY_EVERY_MS);
    }
  }
}

const TELL_EVERY_MS = 1000;

/** Reports progress by asking the host, because virsh prints none. Returns a function that ends it. */
function tellProgress(
  place: HostConnection,
  volume: string,
  { storedBytes, bytes }: DiskFile,
  onProgress: VolumeImport["onProgress"],
  signal: AbortSignal,
): () => void {
  const all = Math.min(storedBytes, bytes);
  const ended = new AbortController();
  const within = AbortSignal.any([signal, ended.signal]);
  const tell = async () => {
    const arrived = (await readVolume(place, volume, within).catch(() => undefined))?.storedBytes ?? 0;
    if (within.aborted) return;
    onProgress(place.host.name, Math.min(arrived, all), all);
    timer = setTimeout(tell, TELL_EVERY_MS);
  };
  onProgress(place.host.name, 0, all);
  let timer = setTimeout(tell, TELL_EVERY_MS);
  return () => {
    clearTimeout(timer);
    ended.abort(new Error("it was sent"));
  };
}
