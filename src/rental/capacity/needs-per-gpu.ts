// What a GPU of each model usually takes of its host, by the catalog: the vCPUs and memory that a free GPU needs to be
// rented. A GPU whose host has less left is free and yet of little use (host-order.ts).

import type { InstanceType } from "../instances/instance.ts";

/** Per GPU of one model. */
export interface NeedsPerGpu {
  readonly vcpus: number;
  readonly memoryGib: number;
}

/** What the catalog is judged by. */
export type GpuType = Pick<InstanceType, "gpuModel" | "gpus" | "vcpus" | "memoryGib">;

/** By GPU model: the medians of its instance types, each of them counted as often as it has GPUs. */
export function needsPerGpu(types: readonly GpuType[]): Map<string, NeedsPerGpu> {
  const models = Map.groupBy(types, ({ gpuModel }) => gpuModel);
  return new Map(
    [...models].flatMap(([model, ofModel]) => {
      if (model === null) return [];
      const each = (of: (type: GpuType) => number) =>
        ofModel.flatMap((type) => Array<number>(type.gpus).fill(of(type) / type.gpus));
      return [
        [model, { vcpus: median(each(({ vcpus }) => vcpus)), memoryGib: median(each(({ memoryGib }) => memoryGib)) }],
      ];
    }),
  );
}

/** The lower one of two. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
}
