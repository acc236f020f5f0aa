// The PCI devices that a machine gets for its GPUs. Pure. Used where a domain is described to libvirt. Invariant:
// machines with different GPUs share no device.

import { EngineError } from "../../engine.ts";
import type { Inventory } from "./inventory.ts";

/**
 * The addresses of the GPUs in order, each followed by the rest of its card; then the NVSwitches, if the machine gets
 * them. A declared GPU that is not found on the host stands alone.
 */
export function assignedDevices(
  inventory: Pick<Inventory, "gpus" | "switches" | "others">,
  gpuAddresses: readonly string[],
): string[] {
  const addresses = [...new Set(gpuAddresses)].sort();
  if (addresses.some((address) => inventory.others.includes(address))) {
    throw new EngineError("refused", "gpu-missing", "A GPU of the machine is another kind of device on the host.");
  }
  const found = new Map(inventory.gpus.map((gpu) => [gpu.address, gpu]));
  const cards = addresses.flatMap((address) => [address, ...(found.get(address)?.companions ?? [])]);
  return [...new Set([...cards, ...switchesFor(inventory, addresses)])];
}

/**
 * On a baseboard such as HGX, a guest's GPUs start only with the NVSwitches in the guest, or with a manager of them on
 * the host. The operator decides: switches bound to vfio-pci go to a machine that has all the maker's GPUs, so no other
 * machine can have them; with any other driver they stay with the host.
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
