// How much memory a GPU of an instance type has. The catalog says it only in words, in the description of the GPU that
// every interface shows, such as "H100 (80 GB PCIe)"; so it is read from there. Single source: sorting and filtering by GPU
// memory in the command line and the console. Pure.

/** In GB, as the description says it; undefined where it says nothing of memory, as for a type without GPUs. */
export function gpuMemoryGb(gpuDescription: string): number | undefined {
  const [, amount] = /(?<![\d.])(\d{1,6}(?:\.\d+)?)\s*Gi?B\b/i.exec(gpuDescription) ?? [];
  return amount === undefined ? undefined : Number(amount);
}
