// Brings a disk image to the pool of every host of an engine, as the volume that an image's name means. Used by the
// command `lessor image import`.
//
// Invariants. A volume that is there and whole is never changed: machines may have it as what their disks begin with.
// That is found out at all hosts before anything is sent to one. Repeated, it sends only what is not there yet.

import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { wordsOf } from "../../check/finding.ts";
import { isOrphan } from "../../check/test-instance-label.ts";
import { EngineError } from "../../engine.ts";
import { ImportError } from "../../images/import-error.ts";
import { sideBySide } from "../bounded-concurrency.ts";
import { imageOf } from "../create.ts";
import type { HostConnection } from "../host-connection.ts";
import type { LibvirtSettings } from "../settings/settings.ts";
import { openVirsh, type Virsh } from "../virsh/virsh.ts";
import { says } from "../virsh/virsh-error.ts";
import { deleteVolume, filePools } from "../volumes.ts";
import { readOne } from "../xml/read.ts";
import { type DiskFile, readDiskFile } from "./disk-file.ts";
import { usersOf } from "./image-users.ts";
import { readVolume, sameContent } from "./same-content.ts";
import { makeRaw, markFinished, markUnfinished, readUnfinished } from "./unfinished.ts";

export interface VolumeImport {
  readonly settings: LibvirtSettings;
  /** qcow2 or raw. */
  readonly file: string;
  /** What the catalogue calls it. */
  readonly alias: string;
  /** Refused where it is true. */
  readonly replace: boolean;
  /** Told as it goes, of one host. */
  readonly onProgress: (host: string, done: number, all: number) => void;
  /** A host is done with. */
  readonly onHost: (outcome: HostImport) => void;
  /** How a host is spoken with; another way in tests. */
  readonly connect?: (uri: string) => Virsh;
}

/** `failed`: why, for the operator. */
export interface HostImport {
  readonly host: string;
  readonly volume: string;
  readonly outcome: "sent" | "was there" | { readonly failed: string };
}

/** Returns what became of it at each host. Throws ImportError, before anything is sent, or the reason of `signal`. */
export async function importVolume(order: VolumeImport, signal: AbortSignal): Promise<HostImport[]> {
  const { settings, alias, replace, connect = openVirsh } = order;
  if (replace) {
    throw new ImportError(
      "--replace is not for libvirt: machines read what they did not change themselves from the image for as long as " +
        "they live, so it must never change. Take another alias, and have the catalogue name that.",
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
      `${alias} is no name for an image: letters, digits and "._+-", with a letter or digit first.`,
    );
  }
}

type At = "nothing" | "the same" | "another" | "broken off" | { readonly failed: string };

interface State {
  readonly place: HostConnection;
  readonly at: At;
}

const LOOK_MS = 60_000;

/** What is there now. Throws only the reason of `signal`. */
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
    return { place, at: { failed: within.aborted ? `no answer within ${LOOK_MS / 1000} s` : wordsOf(error) } };
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
  if (!filePools.includes(type)) return { failed: `its pool is of type ${type}, and disks of machines are files` };
  const importer = await readUnfinished(place, volume, signal);
  if (importer !== undefined && !isOrphan(importer, Date.now())) {
    return { failed: `another import of it is under way (${importer.split(":")[0]})` };
  }
  if (importer !== undefined) return "broken off";
  const found = await readVolume(place, volume, signal);
  if (found !== undefined) return (await sameContent(place, found, file, path, signal)) ? "the same" : "another";
  const free = pool.one("available")?.bytes ?? 0;
  return free < file.storedBytes ? { failed: "its pool has no room for it" } : "nothing";
}

/** Files that came by another way are seen only then. Where something is being written, what is known has to do. */
async function refresh({ virsh, settings }: HostConnection, signal: AbortSignal): Promise<void> {
  await virsh.call(["pool-refresh", settings.pool], { signal }).catch((error: unknown) => {
    if (!says(error, "poolBusy")) throw error;
  });
}

function refuseOthers(states: readonly State[], volume: string, alias: string): void {
  const others = states.filter(({ at }) => at === "another").map(({ place }) => place.host.name);
  if (others.length === 0) return;
  throw new ImportError(
    `There is another image called ${volume} on ${others.join(", ")}, and machines may live on it. ` +
      `Take another alias than ${alias}, such as ${alias}-2, and have the catalogue name that.`,
  );
}

/** Throws only the reason of `signal`, after nothing half is left. */
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

/** Removes what another import left half. Throws where machines were made of it all the same. */
async function clearAway(place: HostConnection, volume: string, signal: AbortSignal): Promise<void> {
  const users = await usersOf(place, volume, signal);
  if (users.length > 0) {
    const [first, more] = [users[0], users.length === 1 ? "" : ` and ${users.length - 1} more`];
    throw new Error(`an import was broken off, and machines have what it left: ${first}${more}. Take another alias`);
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
  // One that is there is another import's, and so is a volume that is there: neither is ours to put away.
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
      throw new Error("what arrived is not what is in the file: did it change meanwhile?");
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
 * Removes what this import left half. Again and again, for libvirt holds on to a volume until it has noticed that nobody
 * sends any more. Where it is in vain the mark stays beside it, and the next import, or the check, finds it.
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

/** virsh says nothing while it sends, so the host is asked how much has arrived. Returns how to end that. */
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
