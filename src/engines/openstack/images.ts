// Finds a machine's image in Glance. Used by start.ts and the check.

import { Compile } from "typebox/compile";
import { EngineError } from "../engine.ts";
import { ImageSchema } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";
import type { CloudImage } from "./settings/image.ts";

const ImageItem = Compile(ImageSchema);

/**
 * The id; of several with the name, the newest. Only those of our project and public ones count: an administrator sees also
 * what other projects keep for themselves, by any name. Throws EngineError image-missing (refused), and as Client.call.
 */
export async function imageId(
  { client, settings }: Cloud,
  { place }: Region,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const source = imageSource(settings.images, name);
  if (source.kind === "id") return source.id;
  const query = { name: source.name, status: "active", sort: "created_at:desc" };
  const found = await client.readAll(place.image, "/images", "images", ImageItem, signal, query);
  const { id: project } = await client.project(signal);
  const image = found.find(({ visibility, owner }) => visibility === "public" || owner === project);
  if (image !== undefined) return image.id;
  throw new EngineError("refused", "image-missing", "The image does not exist in the cloud.");
}

/** An image that the settings do not list has the name that the catalog gives it. */
export function imageSource(images: Readonly<Record<string, CloudImage>>, name: string): CloudImage {
  const listed = Object.hasOwn(images, name) ? images[name] : undefined;
  return listed ?? { kind: "name", name };
}
