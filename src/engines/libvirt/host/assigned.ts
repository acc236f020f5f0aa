// Which PCI devices a machine is given for its GPUs. Pure. Used where a machine is described to libvirt.
// Invariant: machines with different GPUs have no device in common.

import { EngineError } from "../../engine.ts";
import type { Inventory } from "./inventory.ts";

/**
 * The addresses of the GPUs, each followed by the rest of its card, in order of the GPUs' addresses; at the end the
 * NVSwitches, where they belong to the machine. A GPU that is declared and not found on the host stands for itself
 * alone.
 */
export function assignedDevices(
  inventory: Pick<Inventory, "gpus" | "switches" | "others">,
  gpuAddresses: readonly string[],
): string[] {
  const addresses = [...new Set(gpuAddresses)].sort();
  if (addresses.some((address) => inventory.others.includes(address))) {
    throw new EngineError(
      "refused",
      "gpu-missing",
      "What should be a GPU of the machine is something else on the host.",
    );
  }
  const found = new Map(inventory.gpus.map((gpu) => [gpu.address, gpu]));
  const cards = addresses.flatMap((address) => [address, ...(found.get(address)?.companions ?? [])]);
  return [...new Set([...cards, ...switchesFor(inventory, addresses)])];
}

/**
 * On a baseboard such as HGX the GPUs of a guest do not even start without either the NVSwitches in the guest, or a
 * manager of them on the host. The operator decides: switches that are bound to vfio-pci go to a machine that has all
 * the GPUs of their maker, which excludes every other one from having them; switches with any other driver stay with
 * the host.
 */
function switchesFor({ gpus, switches }: Pick<Inventory, "gpus" | "switches">, addresses: readonly string[]): string[] {
  const has = new Set(addresses);
  return switches
    .filter(({ driver, obstacle }) => driver === "vfio-pci" && obstacle === undefined)
    .filter(({ vendorId }) => {
      const connected = gpus.filter((gpu) => gpu.vendorId === vendorId);
      return connected.length > 1 && connected.every(({ address }) => has.has(address));
    })
    .flatMap(({ address, companions }) => [address, ...companions]);
}
