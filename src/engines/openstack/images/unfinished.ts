// Images whose import has not ended: one that was interrupted, which is removed, and one that is in progress, which is left
// alone. Used by import-image.ts.
//
// Invariant: no import removes what another sends. Of two that begin at once, one gives up before it sends anything; if
// Glance's seconds do not tell which, both may go on, and there are two images of the name.

import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { ImportError } from "../../images/import-error.ts";
import { ApiError } from "../client/api-error.ts";
import type { Place } from "../client/catalog.ts";
import { checked } from "../client/checked.ts";
import type { Client } from "../client/client.ts";

const nullable = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const ImageSchema = Type.Object({
  id: Type.String(),
  name: nullable,
  status: Type.String(),
  created_at: nullable,
  updated_at: nullable,
  os_hash_algo: nullable,
  os_hash_value: nullable,
  checksum: nullable,
  /** Ours: an import was begun. */
  lessor_import: nullable,
});
export const Image = Compile(ImageSchema);
export type Image = Static<typeof ImageSchema>;

/** Glance's status of an image with all of its data. */
export const COMPLETE = "active";

/** An import that is cut off is queued again; one that is not sends its file within seconds. */
const QUEUED_MS = 60_000;
/** Longer than an upload takes. Glance leaves an image in "saving" only if it is killed itself. */
const SENDING_MS = 3_600_000;

export function isUnfinished({ status, lessor_import }: Image): boolean {
  return status !== COMPLETE && status !== "deactivated" && typeof lessor_import === "string";
}

/** Throws ImportError while another import is in progress, and as Client.call. */
export async function removeInterrupted(
  client: Client,
  place: Place,
  name: string,
  unfinished: readonly Image[],
  signal: AbortSignal,
): Promise<void> {
  for (const { id } of unfinished) {
    const path = `/images/${id}`;
    const read = await client.call(place, path, {}, signal).catch(unlessGone);
    if (read === undefined) continue;
    const image = checked(read.body, Image, path);
    if (!isUnfinished(image)) continue;
    // By the clock of Glance.
    const ageMs = (read.date ?? new Date()).getTime() - Date.parse(image.updated_at ?? "");
    const isOld = ageMs > (image.status === "queued" ? QUEUED_MS : SENDING_MS);
    if (!isOld) throw inProgress(name, image);
    await client.call(place, path, { method: "DELETE" }, signal).catch(unlessGone);
  }
}

/** To be called with an image just created. Throws ImportError if another import began before it, and as Client.call. */
export async function beFirst(
  client: Client,
  place: Place,
  name: string,
  own: Image,
  signal: AbortSignal,
): Promise<void> {
  const all = await client.readAll(place, "/images", "images", Image, signal, { name });
  const other = all.find((one) => one.name === name && isUnfinished(one) && isBefore(one, own));
  if (other !== undefined) throw inProgress(name, other);
}

/** Removes an image that was not completed, as far as possible: also where the import was interrupted. */
export async function giveUp(client: Client, place: Place, id: string): Promise<void> {
  await client.call(place, `/images/${id}`, { method: "DELETE" }, AbortSignal.timeout(10_000)).catch(() => {});
}

function isBefore(one: Image, own: Image): boolean {
  const [a, b] = [one.created_at ?? "", own.created_at ?? ""];
  return a === b ? one.id < own.id : a < b;
}

function inProgress(name: string, { id, status }: Image): ImportError {
  return new ImportError(
    `Another import of ${name} is in progress: its image ${id} is ${status}. Import again when it has ended, or delete that image if it was interrupted.`,
  );
}

function unlessGone(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}
