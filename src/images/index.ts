// Makes images fit for renting, with Debian's own tools. Used by the command line; clusters and hosts import the result.

export { buildImage, type ImageOrder } from "./build.ts";
export { ImageError } from "./image-error.ts";
export { type ImageKind, imageFileName, imageKinds, imageNames, recipeDigest, recipeOf } from "./recipe.ts";
