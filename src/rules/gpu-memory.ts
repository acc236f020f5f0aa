// The memory of an instance type's GPU. The catalog has it only in the GPU's description, which every interface shows,
// such as "H100 (80 GB PCIe)"; so it is parsed from there. Single source for sorting and filtering by GPU memory in the
// command line and the console. Pure.

/** In GB; undefined if the description has no memory, as for a type without GPUs. */
export function gpuMemoryGb(gpuDescription: string): number | undefined {
  const [, amount] = /(?<![\d.])(\d{1,6}(?:\.\d+)?)\s*Gi?B\b/i.exec(gpuDescription) ?? [];
  return amount === undefined ? undefined : Number(amount);
}
