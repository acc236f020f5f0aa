// The host's processors, memory, NUMA nodes and huge pages; and for each GPU whether it is offered, or why not.

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
  if (report !== undefined) yield describeHost(report, "lower reserved, or remove the host from the settings");
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

/** Memory reserved as huge pages serves only machines that use that page size. */
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
      `no ${hugePages} pages are reserved`,
      `on the host: ${pages[hugePages].advice}; or remove huge_pages`,
    );
  } else if (hugePages !== undefined) {
    yield ok(what, `${size(sum(used))} of ${hugePages}${used.length < 2 ? "" : ` (${used.map(size).join(" + ")})`}`);
  }
  if (lost > 0) {
    const of =
      hugePages === undefined
        ? "reserved as huge pages, which no machine uses"
        : "of another size, which no machine uses";
    yield warning(what, `${size(lost)} ${of}`, "release them, or set huge_pages to their size");
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function* tellIommu(place: HostConnection, { iommu, gpus }: Inventory): Generator<Finding> {
  if (gpus.length === 0 && (place.host.declared.gpus ?? []).length === 0) return;
  const what = on(place, "IOMMU");
  if (iommu) return yield ok(what, "enabled");
  yield problem(
    what,
    "is disabled, so no GPU can be assigned to a machine",
    "enable it in the firmware (VT-d, AMD-Vi), with Intel also on the kernel's command line: intel_iommu=on iommu=pt",
  );
}

/** The host's own drivers, which must release a card before a machine can use it. */
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
  if (model === undefined) return yield ok(what, `${named} is not declared and not offered`);
  if (obstacle !== undefined) {
    return yield warning(
      what,
      `${named} cannot be assigned to a machine: ${obstacle}`,
      "enable ACS in the firmware or use another slot, for an IOMMU group of its own; until then it counts as unhealthy",
    );
  }
  const along = companions.length === 0 ? "" : ` with ${listed(companions)}`;
  yield ok(what, `${named}${along}, NUMA node ${numaNode}, ${driver === undefined ? "no driver" : `driver ${driver}`}`);
  if (driver === undefined || !ownDrivers.has(driver)) return;
  yield warning(
    what,
    `${address} is used by the host's driver ${driver}, which must release it at each start of a machine`,
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
      `${address} (${model}) is declared, but is not a GPU on the host`,
      "check: lspci -nn on the host; correct declared.gpus",
    );
  }
}
