// The cards of the GPU host whose machines story.ts starts, as options of QEMU. Used by run.ts.

/**
 * The first has three functions: a display, which plays the GPU, behind which Debian's kernel puts a driver that must be
 * taken from it; a sound device, likewise; and "edu", a device for teaching that reads and writes memory when it is told
 * to. The second card is a display too, on an old bus that it shares with another device.
 */
export const cards = [
  ...["-device", "pcie-root-port,id=port1,chassis=1,slot=1"],
  ...["-device", "bochs-display,bus=port1,addr=0.0,multifunction=on"],
  ...["-device", "ich9-intel-hda,bus=port1,addr=0.1"],
  // Any address of 32 bits, so that it can reach for what is not its guest's.
  ...["-device", "edu,bus=port1,addr=0.2,dma_mask=0xffffffff"],
  ...["-device", "pcie-root-port,id=port2,chassis=2,slot=2", "-device", "pcie-pci-bridge,id=old,bus=port2"],
  ...["-device", "bochs-display,bus=old,addr=1.0", "-device", "edu,bus=old,addr=2.0"],
];
