// The images of the lab's guests: made once, kept outside the checkout for later runs, and in every host's pool from the
// start. A new image is a row of `images` and, where it is made otherwise, a function that makes it.

import { copyFileSync, linkSync } from "node:fs";
import { join } from "node:path";
import { buildImage } from "../../../src/images/build.ts";
import { recipeDigest, recipeOf } from "../../../src/images/recipe.ts";
import { builtOnce } from "../../support/lab/image-cache.ts";
import type { HostLayout } from "./layout.ts";
import { buildLightGuest, lightDigest, lightFiles } from "./light-guest/build.ts";

interface Image {
  readonly name: string;
  /** The volumes that it consists of. */
  readonly files: readonly string[];
  /** Changes with the recipe. */
  readonly digest: () => string;
  /** Makes the files in the directory, which is empty. */
  readonly build: (directory: string) => Promise<void>;
}

/** What an operator builds for customers: systemd, real cloud-init, its own boot loader. */
export const fullImage = "debian-12";

const images: readonly Image[] = [
  { name: "light", files: lightFiles, digest: lightDigest, build: buildLightGuest },
  { name: fullImage, files: [`${fullImage}.qcow2`], digest: fullDigest, build: buildFull },
];

/** The volumes that are in every pool from the start, which no test removes. */
export const imageVolumes: readonly string[] = images.flatMap(({ files }) => files);

/** The paths of the files of all images; builds what no run has built by the same recipe. */
export async function cachedImages(log: (line: string) => void): Promise<string[]> {
  const paths: string[] = [];
  // One after the other: each of them keeps the machine busy.
  for (const image of images) {
    const directory = await builtOnce({ ...image, digest: image.digest() }, log);
    paths.push(...image.files.map((file) => join(directory, file)));
  }
  return paths;
}

/** Puts the files into the directory of the host's pool, before the pool is started. Costs nothing: they are links. */
export function placeImages(host: HostLayout, paths: readonly string[]): void {
  for (const path of paths) {
    const to = join(host.directory, "lib/images", path.split("/").at(-1) ?? "");
    try {
      linkSync(path, to);
    } catch {
      // On another file system.
      copyFileSync(path, to);
    }
  }
}

function fullDigest(): string {
  const recipe = recipeOf(fullImage, "virtual-machine");
  if (recipe === undefined) throw new Error(`BUG: there is no recipe of ${fullImage}`);
  return recipeDigest(recipe);
}

async function buildFull(directory: string): Promise<void> {
  const output = join(directory, `${fullImage}.qcow2`);
  await buildImage({ name: fullImage, kind: "virtual-machine", output, log: () => {} });
}
