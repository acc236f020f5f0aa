// The mark of an incomplete volume: libvirt can neither rename nor label a volume, so a second volume beside it is the
// mark, from before the first byte is sent until the import is verified.
//
// Invariant: a volume whose import was interrupted in any way, also by a kill -9 or a host failure, has this mark.

import { checkerMark } from "../../check/test-instance-label.ts";
import type { HostConnection } from "../host-connection.ts";
import { unfinishedMark } from "../labels.ts";
import { fromInput, toOutput } from "../virsh/virsh.ts";
import { unless } from "../virsh/virsh-error.ts";
import { deleteVolume } from "../volumes.ts";
import { element, xmlText } from "../xml/element.ts";

/** How long an import from another machine counts as running. */
const BELIEVED_MS = 12 * 3_600_000;
const MARK_BYTES = 512;

/** The importer. Undefined: none, and an existing volume is complete. Throws VirshError. */
export async function readUnfinished({ virsh, settings }: HostConnection, volume: string, signal: AbortSignal) {
  const order = ["vol-download", "--pool", settings.pool, unfinishedMark(volume), toOutput];
  const bytes = await unless("noSuchVolume", virsh.bytes(order, { signal }));
  return bytes?.toString("latin1").replace(/[\0\s]+$/, "");
}

/** Throws VirshError, also if another import starts at the same time. */
export async function markUnfinished(place: HostConnection, volume: string, signal: AbortSignal): Promise<void> {
  const { virsh, settings } = place;
  const name = unfinishedMark(volume);
  const content = Buffer.alloc(MARK_BYTES, "\n");
  content.write(checkerMark(Date.now() + BELIEVED_MS));
  await makeRaw(place, name, MARK_BYTES, signal);
  await virsh.call(["vol-upload", "--pool", settings.pool, name, fromInput], { input: content, signal });
}

/** Throws VirshError. */
export async function markFinished(place: HostConnection, volume: string, signal: AbortSignal): Promise<void> {
  await deleteVolume(place, place.settings.pool, unfinishedMark(volume), signal);
}

/**
 * An empty volume of this size. Always raw, so that its size is that of the file: libvirt detects the format after the
 * upload. Readable by all: QEMU can be another user, and an image is not secret.
 */
export async function makeRaw(
  { virsh, settings }: HostConnection,
  name: string,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  const volume = element(
    "volume",
    {},
    element("name", {}, name),
    element("capacity", { unit: "bytes" }, `${bytes}`),
    element("allocation", { unit: "bytes" }, "0"),
    element("target", {}, element("format", { type: "raw" }), element("permissions", {}, element("mode", {}, "0644"))),
  );
  await virsh.call(["vol-create", settings.pool, fromInput], { input: xmlText(volume), signal });
}
