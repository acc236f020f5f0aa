// Imports an image file to a cluster and points an alias at it. Used by `lessor image import`.
//
// Invariant: an alias that points to another image is moved only on request, which is checked before anything is sent.
// The import can be repeated: an image is identified by the SHA-256 of its file, and an existing one is not sent again.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { fileSize } from "../../images/file-size.ts";
import { ImportError } from "../../images/import-error.ts";
import { ApiError, NoAnswer } from "../client/api-error.ts";
import { Client } from "../client/client.ts";
import { change } from "../client/operations.ts";
import type { IncusSettings } from "../settings/settings.ts";

export interface ImportOrder {
  readonly settings: IncusSettings;
  /** A unified tarball: metadata.yaml beside rootfs/ (container), rootfs.img or a squashfs (virtual machine). */
  readonly file: string;
  readonly alias: string;
  /** Whether to move an alias that points to another image. */
  readonly replace: boolean;
  /** Progress: the current step and bytes done of all. */
  readonly onProgress: (at: "reading" | "sending", done: number, all: number) => void;
}

export interface Imported {
  readonly fingerprint: string;
  /** False: it existed already. */
  readonly sent: boolean;
  readonly kind: "virtual-machine" | "container" | undefined;
  readonly alias: "made" | "moved" | "as it was";
  /** What the alias pointed to before it was moved; that image stays. */
  readonly former: string | undefined;
}

const Alias = Compile(Type.Object({ target: Type.String() }));
const Image = Compile(Type.Object({ type: Type.Optional(Type.String()) }));

/** Throws ImportError, what Client.call throws, or the reason of `signal`. */
export async function importImage(order: ImportOrder, signal: AbortSignal): Promise<Imported> {
  const { fingerprint, size } = await digest(order, signal);
  const client = new Client(order.settings);
  try {
    const target = await aliasTarget(client, order.alias, signal);
    if (target !== undefined && target !== fingerprint && !order.replace) {
      throw new ImportError(
        `The alias ${order.alias} points to another image (${target.slice(0, 12)}). ` +
          "Use another alias, or move this one with --replace.",
      );
    }
    const there = await findImage(client, fingerprint, signal);
    if (there === undefined) await send(client, order, size, signal);
    const image = there ?? (await findImage(client, fingerprint, signal));
    if (image === undefined) {
      throw new ImportError(
        "The cluster received the file but has no image of it. The file might have changed during the import; try again.",
      );
    }
    const alias = await pointAlias(client, order.alias, fingerprint, target, signal);
    return {
      fingerprint,
      sent: there === undefined,
      kind: kindOf(image.type),
      alias,
      former: alias === "moved" ? target : undefined,
    };
  } finally {
    await client.close();
  }
}

/** A unified image is identified by the SHA-256 of its file, in Incus and LXD. */
async function digest({ file, onProgress }: ImportOrder, signal: AbortSignal) {
  const size = await fileSize(file);
  const hash = createHash("sha256");
  let done = 0;
  for await (const chunk of createReadStream(file, { signal, highWaterMark: 1 << 20 })) {
    hash.update(chunk);
    done += chunk.length;
    onProgress("reading", done, size);
  }
  return { fingerprint: hash.digest("hex"), size };
}

async function send(
  client: Client,
  { file, onProgress }: ImportOrder,
  size: number,
  signal: AbortSignal,
): Promise<void> {
  let done = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      done += chunk.length;
      onProgress("sending", done, size);
      callback(null, chunk);
    },
  });
  const name = basename(file).replace(/[^\x20-\x7e]/g, "_");
  const headers = {
    "content-type": "application/octet-stream",
    "content-length": `${size}`,
    "X-LXD-filename": name,
    "X-Incus-filename": name,
  };
  // A failure shows in the request, because this is its body.
  const reading = pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), counted, { signal }).catch(() => {});
  try {
    await change(client, "/1.0/images", { method: "POST", bytes: counted, headers }, signal);
  } catch (error) {
    signal.throwIfAborted();
    // The same image was sent concurrently.
    if (error instanceof ApiError && /already exists/i.test(error.message)) return;
    if (error instanceof ApiError) throw new ImportError(`The cluster rejected the file: ${error.message}.`);
    if (error instanceof NoAnswer) throw new ImportError(`${error.message} Try again; completed steps are skipped.`);
    throw error;
  } finally {
    counted.destroy();
    await reading;
  }
}

async function findImage(client: Client, fingerprint: string, signal: AbortSignal) {
  return client.read(`/1.0/images/${fingerprint}`, Image, signal).catch(nothingFound);
}

async function aliasTarget(client: Client, alias: string, signal: AbortSignal): Promise<string | undefined> {
  return (await client.read(aliasPath(alias), Alias, signal).catch(nothingFound))?.target;
}

function nothingFound(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

async function pointAlias(
  client: Client,
  alias: string,
  fingerprint: string,
  target: string | undefined,
  signal: AbortSignal,
): Promise<Imported["alias"]> {
  if (target === fingerprint) return "as it was";
  const body = { description: "", target: fingerprint };
  if (target !== undefined) {
    await change(client, aliasPath(alias), { method: "PUT", body }, signal);
    return "moved";
  }
  await change(client, "/1.0/images/aliases", { method: "POST", body: { ...body, name: alias } }, signal);
  return "made";
}

function aliasPath(alias: string): string {
  return `/1.0/images/aliases/${encodeURIComponent(alias)}`;
}

function kindOf(type: string | undefined): Imported["kind"] {
  return type === "container" || type === "virtual-machine" ? type : undefined;
}
