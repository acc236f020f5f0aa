// Makes images fit for renting, with Debian's own tools. Used by the command line; clusters import the result.

export { buildImage, type ImageOrder } from "./build.ts";
export { ImageError } from "./image-error.ts";
export { imageNames, recipeDigest, recipeOf } from "./recipe.ts";
