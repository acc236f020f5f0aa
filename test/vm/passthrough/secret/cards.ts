// The devices of the GPU host whose state a tenant can leave behind, as options of QEMU, and what is in them. Used by
// secret.ts and the story.
//
// Both are virtio-gpu, a display whose queues have registers that its owner writes and reads. In QEMU a
// reset of the function and one of the bus clear them; nothing else does but its own driver.

/** In a card that machines are rented with. */
export const rented = "0000:01:00.0";

/** Alone behind its bridge. No machine gets it: a process on the host plays its tenant. */
export const alone = "0000:03:00.0";

/**
 * The rented one has a bridge in its card, as boards with a switch do. The bridge stays with the host, and so VFIO, which
 * resets a bus only if it has everything on it, can reset this device by itself alone.
 *
 * Of the ports: a link of PCIe 2 has no training to wait for after a reset, which QEMU does not play; nor does a port
 * without hot plugging take the reset for a card that is pulled.
 */
export const cards = [
  ...["-device", "pcie-root-port,id=port1,chassis=1,slot=1,x-speed=5,hotplug=off"],
  ...["-device", "virtio-gpu-pci,bus=port1,addr=0.0,multifunction=on"],
  ...["-device", "pcie-pci-bridge,bus=port1,addr=0.1"],
  ...["-device", "pcie-root-port,id=port2,chassis=2,slot=2,x-speed=5,hotplug=off"],
  ...["-device", "virtio-gpu-pci,bus=port2"],
];

/** Vendor and product of both, as the settings of engines name them. */
export const pciId = "1af4:1050";

/** Of both: the region with the registers, and in it those of its first queue that hold addresses. */
export const memory = { region: 4, offsets: [0x20, 0x24, 0x28, 0x2c] } as const;

/** What a device says that was not written to since its reset. */
export const nothing = memory.offsets.map(() => "0x00000000").join(" ");
