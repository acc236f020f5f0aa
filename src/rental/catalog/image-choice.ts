// Chooses the image of a launch. Images are not bound to regions, but clients of the lambda family expect an id per
// region, so an image has one in each; it is derived from both names and stable. Used by launches, and by the lambda
// edition to show the ids.

import { v5 as uuidv5 } from "uuid";
import { invalid, RentalError, unknownName } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import { parseUuid } from "../uuid.ts";
import type { Image } from "./image-store.ts";
import { anyRegion } from "./region-store.ts";

/** How a launch names its image; undefined: the default. */
export type AskedImage =
  | ByName
  /** Its id in the region of the launch. */
  | { readonly id: string }
  /** The newest of the family that runs on the instance type. */
  | { readonly family: string }
  | undefined;

/** The UUID namespace of these ids. Changing it would change every image's ids. */
const namespace = "5b0c51ad-3e0f-4a7b-9b77-2f4c1b7c8a64";

type ByName = { readonly name: string } | { readonly number: number };

/** The id of an image in a region. */
export function imageIdIn(image: string, region: string): string {
  return uuidv5(JSON.stringify([image, region]), namespace);
}

/** Where to search: all images, the names of all regions, and the region of the launch (or "any"). */
export interface ImagePlace {
  readonly images: readonly Image[];
  readonly regions: Iterable<string>;
  readonly region: string;
}

/** The variant's field names of image and instance type. */
interface Fields {
  readonly image: string;
  readonly instanceType: string;
}

/**
 * The image for a launch of `product`. Throws RentalError unknown-name, invalid-parameters (an id of another region),
 * image-not-supported.
 */
export function chosenImage(place: ImagePlace, asked: AskedImage, product: InstanceType, fields: Fields): Image {
  const field = fields.image;
  if (asked !== undefined && "family" in asked) return newestOf(place.images, asked.family, product, field);
  const image =
    asked !== undefined && "id" in asked ? withId(place, asked.id, field) : known(place.images, asked, field);
  if (!runsOn(image, product)) throw notSupported(image, product, asked === undefined ? fields.instanceType : field);
  return image;
}

/** The image of a name or a number, or the default; undefined if there is none. */
export function imageOf(images: readonly Image[], asked: ByName | undefined): Image | undefined {
  if (asked !== undefined && "name" in asked) return images.find(({ name }) => name === asked.name);
  if (asked !== undefined) return images.find(({ number }) => number === asked.number);
  return images.find(({ isDefault }) => isDefault) ?? images.toSorted((a, b) => a.number - b.number)[0];
}

function known(images: readonly Image[], asked: ByName | undefined, field: string): Image {
  const image = imageOf(images, asked);
  if (image !== undefined) return image;
  throw unknownName(field, "image", asked === undefined ? "default" : "name" in asked ? asked.name : `${asked.number}`);
}

/** If the region is "any", the id of any region is accepted: every image is in all of them. */
function withId({ images, regions, region }: ImagePlace, id: string, field: string): Image {
  const wanted = parseUuid(id);
  const names = [...regions];
  for (const image of images) {
    const home = names.find((name) => imageIdIn(image.name, name) === wanted);
    if (home === undefined) continue;
    if (region === anyRegion || home === region) return image;
    const there = imageIdIn(image.name, region);
    throw invalid(field, `This is the image ${image.name} in region ${home}; in ${region} its id is ${there}.`);
  }
  throw unknownName(field, "image", id);
}

function newestOf(images: readonly Image[], family: string, product: InstanceType, field: string): Image {
  const members = images.filter((image) => image.family === family).toSorted(newestFirst);
  const [newest] = members;
  if (newest === undefined) throw unknownName(field, "image family", family);
  const image = members.find((one) => runsOn(one, product));
  if (image === undefined) throw notSupported(newest, product, field);
  return image;
}

/** The newest in the catalog; of equally new ones the highest number. */
function newestFirst(a: Image, b: Image): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || b.number - a.number;
}

function runsOn({ architecture, unsupportedGpuModels }: Image, product: InstanceType): boolean {
  if (architecture !== product.architecture) return false;
  return product.gpuModel === null || !unsupportedGpuModels.includes(product.gpuModel);
}

function notSupported(image: Image, product: InstanceType, field: string): RentalError {
  return new RentalError("image-not-supported", { field, product: product.name, image: image.name });
}
