// Catalog names and memory of GPUs, by PCI vendor and device: no engine's API reports them. An operator's `gpu_models`
// takes precedence. A card in neither table is not offered, because it might be the graphics chip of a remote console;
// `lessor engine check` lists those. Used by every engine that discovers GPUs. Source: the PCI ID database
// (pci-ids.ucw.cz) and the makers' data sheets.

import type { GpuModels } from "../settings/common.ts";

export interface GpuModel {
  readonly model: string;
  readonly memoryGib: number;
}

const known: Readonly<Record<string, GpuModel>> = {
  "10de:1db1": { model: "v100_sxm2", memoryGib: 16 },
  "10de:1db4": { model: "v100_pcie", memoryGib: 16 },
  "10de:1db5": { model: "v100_sxm2_32gb", memoryGib: 32 },
  "10de:1db6": { model: "v100_pcie_32gb", memoryGib: 32 },
  "10de:1eb8": { model: "t4", memoryGib: 16 },
  "10de:20b0": { model: "a100_sxm4_40gb", memoryGib: 40 },
  "10de:20b2": { model: "a100_sxm4_80gb", memoryGib: 80 },
  "10de:20b5": { model: "a100_pcie_80gb", memoryGib: 80 },
  "10de:20f1": { model: "a100_pcie_40gb", memoryGib: 40 },
  "10de:20b7": { model: "a30", memoryGib: 24 },
  "10de:2230": { model: "rtx_a6000", memoryGib: 48 },
  "10de:2231": { model: "rtx_a5000", memoryGib: 24 },
  "10de:24b0": { model: "rtx_a4000", memoryGib: 16 },
  "10de:2235": { model: "a40", memoryGib: 48 },
  "10de:2236": { model: "a10", memoryGib: 24 },
  "10de:2204": { model: "rtx_3090", memoryGib: 24 },
  "10de:2684": { model: "rtx_4090", memoryGib: 24 },
  "10de:2b85": { model: "rtx_5090", memoryGib: 32 },
  "10de:26b1": { model: "rtx_6000_ada", memoryGib: 48 },
  "10de:26b5": { model: "l40", memoryGib: 48 },
  "10de:26b9": { model: "l40s", memoryGib: 48 },
  "10de:27b8": { model: "l4", memoryGib: 24 },
  "10de:2330": { model: "h100_sxm5", memoryGib: 80 },
  "10de:2331": { model: "h100_pcie", memoryGib: 80 },
  "10de:2335": { model: "h200_sxm5", memoryGib: 141 },
  "10de:2901": { model: "b200", memoryGib: 180 },
  "1002:7408": { model: "mi250x", memoryGib: 128 },
  "1002:740f": { model: "mi210", memoryGib: 64 },
  "1002:74a1": { model: "mi300x", memoryGib: 192 },
};

/** "10de:2331" of "10DE" and "2331"; undefined if one of them is missing. */
export function pciId(vendorId: string | undefined, productId: string | undefined): string | undefined {
  if (!vendorId || !productId) return undefined;
  return `${vendorId}:${productId}`.toLowerCase();
}

/** The GPU model with that id (from `pciId`); undefined if unknown. */
export function modelOf(id: string | undefined, gpuModels: GpuModels): GpuModel | undefined {
  if (id === undefined) return undefined;
  if (Object.hasOwn(gpuModels, id)) return gpuModels[id];
  return Object.hasOwn(known, id) ? known[id] : undefined;
}
