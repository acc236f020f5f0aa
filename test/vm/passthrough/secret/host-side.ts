// What is done on the GPU host itself to its devices, through sysfs. Used by the story.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GpuHost } from "../gpu-host.ts";
import { memory } from "./cards.ts";

const pathOf = (gpu: string) => `/sys/bus/pci/devices/${gpu}`;

/**
 * Gives the devices to vfio-pci, as docs/how-to/operators/set-up-libvirt.md has it done at the start of a host. One by
 * one here: the host's own disk is a device of the same driver.
 */
export async function bindToVfio(host: GpuHost, gpus: readonly string[]): Promise<void> {
  const bind = (gpu: string) => `
    echo vfio-pci >${pathOf(gpu)}/driver_override
    [ ! -e ${pathOf(gpu)}/driver ] || echo ${gpu} >${pathOf(gpu)}/driver/unbind
    echo ${gpu} >/sys/bus/pci/drivers_probe`;
  await host.on(["set -e; modprobe vfio-pci", ...gpus.map(bind)].join("\n"));
}

/** What the kernel could reset it by, such as "flr bus"; "": nothing. */
export async function resetMethods(host: GpuHost, gpu: string): Promise<string> {
  return (await host.on(`cat ${pathOf(gpu)}/reset_method`)).trim();
}

/** Without a method the kernel never resets it: not for VFIO when a machine opens it, nor for the helper. */
export async function letReset(host: GpuHost, gpu: string, isLet: boolean): Promise<void> {
  await host.on(`echo ${isLet ? "default" : ""} >${pathOf(gpu)}/reset_method`);
}

const program = readFileSync(join(import.meta.dirname, "device_memory.py"), "utf8");

/** What a process on the host finds in the memory of the device, after it has written `secret` there, if that is given. */
export async function useMemory(host: GpuHost, gpu: string, secret = ""): Promise<string> {
  // Awake, and with its memory switched on in the command register, the word at 4.
  const open = `echo on >${pathOf(gpu)}/power/control
    printf '\\002\\000' | dd of=${pathOf(gpu)}/config bs=1 seek=4 conv=notrunc status=none`;
  const read = `python3 - ${pathOf(gpu)}/resource${memory.region} ${memory.offsets.join(",")} ${secret}`;
  return (await host.on(`set -e; ${open}\n${read}`, program)).trim();
}
