// The image of the lab's guests: the one that operators build, made once and kept outside the checkout for later runs.

import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { buildImage } from "../../../src/images/build.ts";
import { recipeDigest, recipeOf } from "../../../src/images/recipe.ts";
import { imageCache } from "../../support/lab/grounds.ts";
import { lxc } from "./cluster.ts";
import type { Layout } from "./layout.ts";

/** The alias in the cluster, and the name of the recipe. */
export const imageAlias = "debian-12";

/** The path of the image; builds it where no run has built it by the same recipe. `metrics`: with the agent for them. */
export async function cachedImage(log: (line: string) => void, metrics = false): Promise<string> {
  const recipe = recipeOf(imageAlias, "container", metrics);
  if (recipe === undefined) throw new Error(`BUG: there is no recipe of ${imageAlias}`);
  const path = join(imageCache, `${imageAlias}-${recipeDigest(recipe).slice(0, 16)}.tar.zst`);
  if (existsSync(path)) return path;
  log(`building ${path}`);
  mkdirSync(imageCache, { recursive: true });
  // Under a name of our own, because two labs may build at once; the later one replaces an equal image.
  const built = await buildImage({ name: imageAlias, metrics, output: `${path}.${process.pid}`, log: () => {} });
  renameSync(built, path);
  return path;
}

/** Copies it to every member, so that a first launch takes no longer than the others. */
export async function importImage(layout: Layout, path: string): Promise<void> {
  const [first] = layout.members;
  if (first === undefined) throw new Error("BUG: a lab without members");
  await lxc(layout, first, ["image", "import", path, "--alias", imageAlias, "--quiet"]);
}
