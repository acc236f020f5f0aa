// What of a libvirt host is there to rent: what was found or declared, less what is kept back. Pure.
// Used by the engine, for its hosts. What was declared wins, each part for itself.

import type { HostReport } from "../../engine.ts";
import { modelOf, pciId } from "../../hardware/gpu-models.ts";
import type { LibvirtHostSettings } from "../settings/host.ts";
import type { LibvirtSettings } from "../settings/settings.ts";
import { kibIn, kibInPages } from "./huge-pages.ts";
import type { Inventory } from "./inventory.ts";

const KIB_PER_GIB = 1024 ** 2;

export type ReportSettings = Pick<LibvirtSettings, "reserved" | "cpuRatio" | "gpuModels" | "hugePages">;

/**
 * The host as it is reported. `inventory` undefined: it does not answer. Then it is unavailable with what was said of
 * it last (`known`), or with what is declared where that is everything. Otherwise undefined: it is left out, which
 * leaves what was stored of it before the service started as it is, and unavailable; a host without its GPUs would lose
 * them.
 */
export function hostReport(
  host: LibvirtHostSettings,
  settings: ReportSettings,
  inventory: Inventory | undefined,
  known?: HostReport,
): HostReport | undefined {
  if (inventory === undefined && known !== undefined) return { ...known, available: false };
  const { declared, name, region } = host;
  const { reserved, cpuRatio } = settings;
  const threads = declared.vcpus ?? inventory?.threads;
  const memoryGib = memoryToRent(declared.memoryGib, settings, inventory);
  const storageGb = declared.storageGb ?? inventory?.storageGb;
  const gpus = gpusToRent(host, settings, inventory);
  if (threads === undefined || memoryGib === undefined || storageGb === undefined || gpus === undefined) {
    return undefined;
  }
  return {
    name,
    region,
    vcpus: atLeastNone(threads * cpuRatio - reserved.vcpus),
    memoryGib: atLeastNone(memoryGib),
    storageGb: atLeastNone(storageGb - reserved.storageGb),
    available: inventory !== undefined,
    // Also on a network file system: each host sees a pool of its own, nobody can tell that two of them are the same
    // export, and a volume that one of them makes is unknown to the others until they look again.
    sharedStorage: false,
    // A disk with a file system that one kernel writes to.
    multiAttach: false,
    gpus,
  };
}

/**
 * Less what is kept back. Huge pages are nobody's but their own: with them machines have what is in pages of that size,
 * so that what is kept back is already beside them; without them machines have what is left beside all pages.
 */
function memoryToRent(
  declaredGib: number | undefined,
  { reserved, hugePages }: ReportSettings,
  inventory: Inventory | undefined,
): number | undefined {
  if (declaredGib !== undefined) return declaredGib - reserved.memoryGib;
  if (inventory === undefined) return undefined;
  const pages = inventory.cells.flatMap((cell) => cell.hugePages);
  if (hugePages === undefined) return inventory.memoryGib - kibIn(pages) / KIB_PER_GIB - reserved.memoryGib;
  return Math.min(kibInPages(pages, hugePages) / KIB_PER_GIB, inventory.memoryGib - reserved.memoryGib);
}

/** Declared ones are as healthy as the host says, where it knows them; and believed where it does not. */
function gpusToRent(
  { declared }: LibvirtHostSettings,
  { gpuModels }: ReportSettings,
  inventory: Inventory | undefined,
): HostReport["gpus"] | undefined {
  if (declared.gpus !== undefined) {
    const obstructed = new Set([
      ...(inventory?.gpus ?? []).filter(({ obstacle }) => obstacle !== undefined).map(({ address }) => address),
      // A wrong digit may name the host's own disk.
      ...(inventory?.others ?? []),
    ]);
    return declared.gpus.map((gpu) => ({ ...gpu, healthy: !obstructed.has(gpu.address) }));
  }
  return inventory?.gpus.flatMap(({ address, vendorId, productId, numaNode, obstacle }) => {
    const model = modelOf(pciId(vendorId, productId), gpuModels);
    return model === undefined ? [] : [{ ...model, address, numaNode, healthy: obstacle === undefined }];
  });
}

function atLeastNone(amount: number): number {
  return Math.max(Math.floor(amount), 0);
}
