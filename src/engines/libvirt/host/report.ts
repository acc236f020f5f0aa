// What a libvirt host can offer: what was discovered or declared, less `reserved`. Pure. Used by the engine, for its
// hosts. Each declared part takes precedence.

import type { HostReport } from "../../engine.ts";
import { modelOf, pciId } from "../../hardware/gpu-models.ts";
import type { LibvirtHostSettings } from "../settings/host.ts";
import type { LibvirtSettings } from "../settings/settings.ts";
import { kibIn, kibInPages } from "./huge-pages.ts";
import type { Inventory } from "./inventory.ts";

const KIB_PER_GIB = 1024 ** 2;

export type ReportSettings = Pick<LibvirtSettings, "reserved" | "cpuRatio" | "gpuModels" | "hugePages">;

/**
 * The reported host. `inventory` undefined: the host is unreachable. Then it is unavailable with its last report
 * (`known`), or with the declaration if that is complete. Otherwise undefined: it is left out and its stored data
 * stays, because a host without its GPUs would lose them.
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
    // Not even on a network file system: hosts cannot tell that two pools are the same export, and a volume that one
    // creates is unknown to the others until they refresh.
    sharedStorage: false,
    // A disk whose file system allows only one kernel.
    multiAttach: false,
    gpus,
  };
}

/**
 * Less `reserved`. Huge pages are used only by machines with that page size. With `hugePages`, machines get those
 * pages, and the reserved memory is outside of them; without, they get what is left besides all huge pages.
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

/** Declared GPUs have the health that the host reports, if it knows them, and otherwise count as healthy. */
function gpusToRent(
  { declared }: LibvirtHostSettings,
  { gpuModels }: ReportSettings,
  inventory: Inventory | undefined,
): HostReport["gpus"] | undefined {
  if (declared.gpus !== undefined) {
    const obstructed = new Set([
      ...(inventory?.gpus ?? []).filter(({ obstacle }) => obstacle !== undefined).map(({ address }) => address),
      // A mistyped address could be the host's own disk.
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
