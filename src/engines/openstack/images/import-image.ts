// Imports a disk image into Glance, in each region of the cloud. Used by import-and-report.ts.
//
// Invariants. An existing image of the name is put aside only on request, which is checked in all regions before anything
// is sent, and never deleted. A repeated import sends only what is missing: images are identified by their hash, and what
// an interrupted import left is removed (unfinished.ts), but never what another one is sending.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type DiskFile, readDiskFile } from "../../images/disk-file.ts";
import { ImportError } from "../../images/import-error.ts";
import { ApiError, NoAnswer } from "../client/api-error.ts";
import type { Place } from "../client/catalog.ts";
import { Client } from "../client/client.ts";
import type { OpenStackSettings } from "../settings/settings.ts";
import { beFirst, COMPLETE, giveUp, Image, isUnfinished, removeInterrupted } from "./unfinished.ts";

export interface ImportOrder {
  readonly settings: OpenStackSettings;
  /** qcow2 or raw. */
  readonly file: string;
  /** Its name in the catalog. */
  readonly alias: string;
  /** Whether another image of the name may be put aside. */
  readonly replace: boolean;
  /** Progress: the current step and bytes done of all. */
  readonly onProgress: (at: string, done: number, all: number) => void;
}

/** The result in one region. */
export interface Imported {
  /** OpenStack's; undefined: the only one. */
  readonly region: string | undefined;
  readonly id: string;
  readonly name: string;
  /** False: it existed already. */
  readonly sent: boolean;
  /** Images that had the name, and the names that they have now. */
  readonly former: readonly { readonly id: string; readonly name: string }[];
}

interface Content extends DiskFile {
  readonly sha512: string;
  readonly md5: string;
}

/** Throws ImportError, what Client.call throws, or the reason of `signal`. */
export async function importImage(order: ImportOrder, signal: AbortSignal): Promise<Imported[]> {
  const { settings, alias, replace } = order;
  const source = Object.hasOwn(settings.images, alias) ? settings.images[alias] : undefined;
  if (source?.kind === "id") {
    throw new ImportError(`The setting images has ${alias} by id. Set its name instead, and import again.`);
  }
  const name = source?.name ?? alias;
  const content = await digest(order, signal);
  const client = new Client(settings.access);
  try {
    const regions = [...new Set(settings.regions.map(({ cloudRegion }) => cloudRegion ?? settings.access.region))];
    const found: { readonly place: Place; readonly images: readonly Image[] }[] = [];
    for (const region of regions) {
      const place: Place = { service: "image", region };
      const all = await client.readAll(place, "/images", "images", Image, signal, { name });
      const images = all.filter((image) => image.name === name);
      if (!replace && images.some((image) => image.status === COMPLETE && !has(image, content))) {
        throw new ImportError(
          `The cloud has another image with the name ${name}. Use another name, or put that image aside with --replace.`,
        );
      }
      found.push({ place, images });
    }
    const imported: Imported[] = [];
    for (const { place, images } of found) {
      imported.push(await bring({ client, place, name, content, order }, images, signal));
    }
    return imported;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NoAnswer) throw new ImportError(`${error.message} Try again; completed steps are skipped.`);
    throw error;
  } finally {
    await client.close();
  }
}

interface Bringing {
  readonly client: Client;
  readonly place: Place;
  readonly name: string;
  readonly content: Content;
  readonly order: ImportOrder;
}

async function bring(bringing: Bringing, images: readonly Image[], signal: AbortSignal): Promise<Imported> {
  const { client, place, name, content } = bringing;
  await removeInterrupted(client, place, name, images.filter(isUnfinished), signal);
  const active = images.filter(({ status }) => status === COMPLETE);
  const there = active.find((image) => has(image, content));
  const id = there?.id ?? (await send(bringing, signal));
  const former: { id: string; name: string }[] = [];
  for (const other of active) {
    if (has(other, content)) continue;
    const aside = `${name}-${other.id.slice(0, 8)}`;
    await rename(bringing, other.id, aside, signal);
    former.push({ id: other.id, name: aside });
  }
  return { region: place.region, id, name, sent: there === undefined, former };
}

/** Creates the image and answers its id, once Glance has all of the file. */
async function send({ client, place, name, content, order }: Bringing, signal: AbortSignal): Promise<string> {
  const body = {
    name,
    disk_format: content.format,
    container_format: "bare",
    min_disk: Math.ceil(content.diskBytes / 2 ** 30),
    lessor_import: content.sha512,
  };
  let begun: string | undefined;
  try {
    const created = await client.call(place, "/images", { method: "POST", body }, signal);
    if (!Image.Check(created.body)) throw new ImportError("Glance does not say which image it created.");
    const { id } = created.body;
    begun = id;
    await beFirst(client, place, name, created.body, signal);
    await upload(client, place, id, content, order, signal);
    const image = await client.read(place, `/images/${id}`, Image, signal);
    if (image.status === COMPLETE && has(image, content)) return id;
    throw new ImportError(
      `Glance received another file (its image is ${image.status}). The file might have changed during the import; try again.`,
    );
  } catch (error) {
    if (begun !== undefined) await giveUp(client, place, begun);
    signal.throwIfAborted();
    if (!(error instanceof ApiError)) throw error;
    throw new ImportError(`Glance rejected the file: ${error.message.replace(/\.$/, "")}.`);
  }
}

async function upload(
  client: Client,
  place: Place,
  id: string,
  { bytes: size }: Content,
  { file, onProgress }: ImportOrder,
  signal: AbortSignal,
): Promise<void> {
  const bytes = counting((done) => onProgress("sending", done, size));
  const headers = { "content-type": "application/octet-stream", "content-length": `${size}` };
  // A failure shows in the request, because this is its body.
  const reading = pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), bytes, { signal }).catch(() => {});
  try {
    await client.call(place, `/images/${id}/file`, { method: "PUT", bytes, headers }, signal);
  } finally {
    bytes.destroy();
    await reading;
  }
}

async function rename({ client, place }: Bringing, id: string, name: string, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(JSON.stringify([{ op: "replace", path: "/name", value: name }]));
  const headers = { "content-type": "application/openstack-images-v2.1-json-patch" };
  try {
    await client.call(place, `/images/${id}`, { method: "PATCH", bytes, headers }, signal);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ImportError(
      `The new image is in Glance, but the former image ${id} keeps its name: ${error.message.replace(/\.$/, "")}.`,
    );
  }
}

async function digest({ file, onProgress }: ImportOrder, signal: AbortSignal): Promise<Content> {
  const disk = await readDiskFile(file);
  const [sha512, md5] = [createHash("sha512"), createHash("md5")];
  const counted = counting((done) => onProgress("reading", done, disk.bytes));
  await pipeline(
    createReadStream(file, { highWaterMark: 1 << 20 }),
    counted,
    async (chunks) => {
      for await (const chunk of chunks) {
        sha512.update(chunk);
        md5.update(chunk);
      }
    },
    { signal },
  );
  return { ...disk, sha512: sha512.digest("hex"), md5: md5.digest("hex") };
}

/** Passes bytes through, and tells how many there were. */
function counting(onBytes: (done: number) => void): Transform {
  let done = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      done += chunk.length;
      onBytes(done);
      callback(null, chunk);
    },
  });
}

/** Glance hashes with SHA-512 unless configured otherwise, and adds an MD5. */
function has({ os_hash_algo, os_hash_value, checksum }: Image, { sha512, md5 }: Content): boolean {
  return os_hash_algo === "sha512" ? os_hash_value === sha512 : checksum === md5;
}
