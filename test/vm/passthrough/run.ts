// Gives a real PCI device to a real virtual machine, on a machine without any GPU and without KVM:
//
//   node test/vm/passthrough/run.ts
//
// A guest in emulation with an IOMMU plays the GPU host (gpu-host.ts); it is set up as docs/how-to/operators/set-up-libvirt.md says. The engine
// finds its cards, and starts a machine there, in emulation within emulation, that gets one through libvirt and VFIO. What
// is proved is everything between the engine and the kernel's IOMMU: what counts as a card that can be rented, the domain,
// taking the card from the host's drivers and giving it back, the refusal of a second machine, and that the guest
// really reads, writes and is written to by the device, and nothing else by it. Not proved is what only a GPU can show:
// its resets, its large memory windows, its own drivers.
//
// For people, not for CI: needs root on Debian 12 with the packages of the lab (test/vm/lab), takes five to ten minutes on
// two cores, 5 GiB of memory, and removes what it made but for the images, which are kept for the next time.

import { randomBytes } from "node:crypto";
import { makeKey } from "../../support/keys.ts";
import { cachedImages } from "../lab/images.ts";
import { cards } from "./cards.ts";
import { startGpuHost } from "./gpu-host.ts";
import { hostImage } from "./host-image.ts";
import { runProgram } from "./program.ts";
import { tryPassthrough } from "./story.ts";
import { makeWitness } from "./witness.ts";

await runProgram(async ({ report, directory }) => {
  const log = (line: string) => report.tell(line);
  const image = await hostImage(log);
  const light = (await cachedImages(log)).filter((path) => /\/light[^/]*$/.test(path));
  const key = await makeKey(directory, "host");
  const mark = `0x${randomBytes(4).toString("hex").toUpperCase()}`;
  const lightInitrd = light.find((path) => path.endsWith("/light-initrd"));
  if (lightInitrd === undefined) throw new Error("BUG: the light guest has no initrd");
  const witness = await makeWitness(lightInitrd, mark, directory);
  const host = await startGpuHost({ image, cards, pool: [...light, witness.initrd], key, directory });
  try {
    report.tell(`the GPU host is up at ${host.uri}`);
    await tryPassthrough(host, witness, report);
  } finally {
    await host.stop();
  }
});
