// Whether the images of the settings and their boot files are in the host's pool and complete.

import { type Finding, listed, ok, problem } from "../../check/finding.ts";
import type { HostConnection } from "../host-connection.ts";
import { unfinishedMark } from "../labels.ts";
import type { LibvirtImage } from "../settings/settings.ts";
import { unless } from "../virsh/virsh-error.ts";
import { readVolumeNames } from "../volume-names.ts";
import { readOne, type XmlNode } from "../xml/read.ts";
import { commandAt, on, type Subject } from "./subject.ts";

const GB = 1000 ** 3;

export async function* checkImages({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { settings } = place;
  const names = await readVolumeNames(place, signal);
  for (const [name, image] of Object.entries(settings.images)) yield* checkImage(place, name, image, names, signal);
  // An image that the settings do not list is the volume <name>.qcow2.
  const nameable = nameableIn(names);
  if (nameable.length > 0) {
    yield ok(on(place, "images"), `volumes that the catalog can use: ${listed(nameable)}`);
  } else if (Object.keys(settings.images).length === 0) {
    yield problem(
      on(place, "images"),
      "there is no image in the pool, and images lists none",
      importing(place, "<alias>"),
    );
  }
}

/** Images that the catalog can use without an entry in the settings. Throws VirshError. */
export async function imageNames(place: HostConnection, signal: AbortSignal): Promise<string[]> {
  return nameableIn(await readVolumeNames(place, signal));
}

function nameableIn(volumes: readonly string[]): string[] {
  return volumes.flatMap((name) => (name.startsWith("lessor-") ? [] : (/^(.+)\.qcow2$/.exec(name)?.[1] ?? [])));
}

async function* checkImage(
  place: HostConnection,
  name: string,
  { volume, boot }: LibvirtImage,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const what = on(place, `image ${name}`);
  const { pool } = place.settings;
  const found = await readVolume(place, volume, signal);
  if (found === undefined) {
    const refresh = commandAt(place, "pool-refresh", pool);
    return yield problem(
      what,
      `the volume ${volume} does not exist`,
      `${importing(place, name)}; if the file is in the pool: ${refresh}`,
    );
  }
  if (names.includes(unfinishedMark(volume))) {
    return yield problem(
      what,
      `the volume ${volume} is incomplete: its import was interrupted`,
      importing(place, name),
    );
  }
  const missing = boot === undefined ? [] : [boot.kernel, boot.initrd].filter((one) => !names.includes(one));
  for (const one of missing) {
    const make = commandAt(place, "vol-create-as", pool, one, "0");
    yield problem(
      what,
      `its boot volume ${one} does not exist`,
      `${make}, then vol-upload --pool ${pool} ${one} <file>`,
    );
  }
  if (missing.length > 0) return;
  const format = found.one("target", "format")?.attribute("type") ?? "raw";
  const bytes = found.one("capacity")?.bytes ?? 0;
  const booted = boot === undefined ? "" : ", with a kernel of its own";
  yield ok(what, `${volume}, ${format}, a disk of ${(bytes / GB).toFixed(1)} GB${booted}`);
}

async function readVolume(
  { virsh, settings }: HostConnection,
  name: string,
  signal: AbortSignal,
): Promise<XmlNode | undefined> {
  const text = await unless("noSuchVolume", virsh.call(["vol-dumpxml", "--pool", settings.pool, name], { signal }));
  return text === undefined ? undefined : readOne(text);
}

function importing({ settings }: HostConnection, alias: string): string {
  return `lessor image import <file> --cluster ${settings.name} --alias ${alias}`;
}
