// What the host has: processors, memory, NUMA nodes, huge pages; and each of its GPUs: whether it is rented, or why not.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import { describeHost, unknownGpu } from "../../check/hosts.ts";
import { modelOf, pciId } from "../../hardware/gpu-models.ts";
import type { Passable } from "../host/gpus.ts";
import { type Inventory, readInventory } from "../host/inventory.ts";
import { hostReport } from "../host/report.ts";
import type { HostConnection } from "../host-connection.ts";
import { on, type Subject } from "./subject.ts";

export async function* checkHardware({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { host, settings, virsh } = place;
  const inventory = await readInventory(virsh, settings, signal);
  const report = hostReport(host, settings, inventory);
  if (report !== undefined) yield describeHost(report, "lower reserved, or take the host out of the settings");
  yield ok(on(place, "hardware"), `${inventory.threads} threads, ${size(inventory.memoryGib)} on ${nodes(inventory)}`);
  yield* tellHugePages(place, inventory);
  yield* tellIommu(place, inventory);
  for (const gpu of inventory.gpus) yield* tellGpu(place, gpu);
  yield* tellMissing(place, inventory);
}

function nodes({ cells }: Inventory): string {
  return cells.length === 1 ? "one NUMA node" : `${cells.length} NUMA nodes`;
}

function size(gib: number): string {
  return `${Math.floor(gib)} GiB`;
}

const KIB_PER_GIB = 1024 ** 2;
const pages = {
  "2MiB": { sizeKib: 2048, advice: "sysctl vm.nr_hugepages=<how many>, in /etc/sysctl.d too" },
  "1GiB": {
    sizeKib: KIB_PER_GIB,
    advice: "on its kernel's command line: hugepagesz=1G hugepages=<how many>, and restart",
  },
} as const;

/** What is set aside as huge pages is for machines alone, or for nobody. */
function* tellHugePages(place: HostConnection, { cells }: Inventory): Generator<Finding> {
  const { hugePages } = place.settings;
  const what = on(place, "huge pages");
  const wanted = hugePages && pages[hugePages].sizeKib;
  const inNodes = (counts: (sizeKib: number) => boolean) =>
    cells.map(({ hugePages: all }) =>
      all
        .filter(({ sizeKib }) => counts(sizeKib))
        .reduce((sum, one) => sum + (one.sizeKib * one.count) / KIB_PER_GIB, 0),
    );
  const used = inNodes((sizeKib) => sizeKib === wanted);
  const lost = sum(inNodes((sizeKib) => sizeKib !== wanted));
  if (hugePages !== undefined && sum(used) === 0) {
    yield problem(
      what,
      `none of ${hugePages} is set aside`,
      `on the host: ${pages[hugePages].advice}; or remove huge_pages`,
    );
  } else if (hugePages !== undefined) {
    yield ok(what, `${size(sum(used))} of ${hugePages}${used.length < 2 ? "" : ` (${used.map(size).join(" + ")})`}`);
  }
  if (lost > 0) {
    const of = hugePages === undefined ? "set aside, which no machine uses" : "of another size, which no machine uses";
    yield warning(what, `${size(lost)} ${of}`, "give them back, or name their size in huge_pages");
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** Only for hosts with GPUs. */
function* tellIommu(place: HostConnection, { iommu, gpus }: Inventory): Generator<Finding> {
  if (gpus.length === 0 && (place.host.declared.gpus ?? []).length === 0) return;
  const what = on(place, "IOMMU");
  if (iommu) return yield ok(what, "switched on");
  yield problem(
    what,
    "is not on, and no GPU can be given to a machine",
    "switch it on in the firmware (VT-d, AMD-Vi), with Intel also on the kernel's command line: intel_iommu=on iommu=pt",
  );
}

/** Drivers of the host's own, which must let a card go before a machine can have it. */
const ownDrivers = new Set(["nvidia", "nouveau", "amdgpu", "radeon", "i915", "xe"]);

function* tellGpu(place: HostConnection, gpu: Passable): Generator<Finding> {
  const { address, vendorId, productId, vendor, product, numaNode, driver, companions, obstacle } = gpu;
  const { settings, host } = place;
  const what = on(place, "GPU");
  const id = pciId(vendorId, productId) ?? "";
  const declared = host.declared.gpus?.find((one) => one.address === address);
  const model = host.declared.gpus === undefined ? modelOf(id, settings.gpuModels)?.model : declared?.model;
  if (model === undefined && host.declared.gpus === undefined) {
    const unknown = unknownGpu(what, id, [vendor, product].filter(Boolean).join(" "), address);
    if (unknown !== undefined) yield unknown;
    return;
  }
  const named = `${address} (${model ?? id})`;
  if (model === undefined) return yield ok(what, `${named} is not among the declared ones, and not rented`);
  if (obstacle !== undefined) {
    return yield warning(
      what,
      `${named} cannot be given to a machine: ${obstacle}`,
      "ACS on in the firmware or another slot may give it an IOMMU group of its own; until then it counts as unhealthy",
    );
  }
  const along = companions.length === 0 ? "" : ` with ${listed(companions)}`;
  yield ok(what, `${named}${along}, NUMA node ${numaNode}, ${driver === undefined ? "no driver" : `driver ${driver}`}`);
  if (driver === undefined || !ownDrivers.has(driver)) return;
  yield warning(
    what,
    `${address} is held by the host's driver ${driver}, which has to let it go at each start of a machine`,
    `bind it to vfio-pci, on the host: echo "options vfio-pci ids=${id}" > /etc/modprobe.d/vfio.conf, ` +
      `echo "softdep ${driver} pre: vfio-pci" >> /etc/modprobe.d/vfio.conf, update-initramfs -u, and restart`,
  );
}

function* tellMissing(place: HostConnection, { gpus }: Inventory): Generator<Finding> {
  const there = new Set(gpus.map(({ address }) => address));
  for (const { address, model } of place.host.declared.gpus ?? []) {
    if (there.has(address)) continue;
    yield warning(
      on(place, "GPU"),
      `${address} (${model}) is declared, and the host does not know it as a GPU`,
      "look at it: lspci -nn on the host; correct declared.gpus",
    );
  }
}
