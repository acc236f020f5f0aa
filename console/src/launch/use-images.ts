// The images of the launch page: which fit the chosen instance type, and which one an order means.

import type { Shape } from "../../../src/client/client.ts";
import { useRead } from "../api/queries.ts";

/** What images have to fit; what is not chosen yet is left out. */
export interface ImageFit {
  /** Of the instance type; null: it has no GPU, or none is chosen. */
  readonly gpuModel: string | null;
  readonly architecture: "x86_64" | "arm64" | undefined;
}

/** `value`: the name of one; undefined: the operator's default. */
export function useImages({ gpuModel, architecture }: ImageFit, value: string | undefined) {
  const read = useRead(["images"], (client) => client.GET("/images"));
  const images: readonly Shape<"Image">[] = (read.data?.data ?? []).filter(
    (image) =>
      (architecture === undefined || image.architecture === architecture) &&
      (gpuModel === null || !image.unsupported_gpu_models.includes(gpuModel)),
  );
  const standard = images.find((image) => image.default);
  return { read, images, standard, chosen: images.find(({ name }) => name === value) ?? standard };
}
