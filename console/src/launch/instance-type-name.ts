// What a product is called where its number of GPUs stands beside it. Pure.

import type { Shape } from "../../../src/client/index.ts";

type Named = Pick<Shape<"InstanceType">, "name" | "description" | "gpus" | "gpu_description">;

/** The GPU of a product; of one without GPUs what it is described as. */
export function productName({ name, description, gpus, gpu_description }: Named): string {
  return (gpus === 0 ? description : gpu_description) || description || name;
}
