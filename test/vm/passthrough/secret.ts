// A secret that one tenant leaves in a GPU, and what the next tenant of that GPU reads: without sanitizing the secret, and
// with it nothing. On a machine without any GPU and without KVM:
//
//   node test/vm/passthrough/secret.ts
//
// The GPU host is that of run.ts, with other devices (secret/cards.ts): real PCI devices as far as the host's kernel can
// tell, whose state outlives a machine. Lessor itself serves it, as operators run it: rentals by its API, the libvirt
// engine, the policy for handovers, the reset claimed in the database, the helper of the package called over SSH with a
// key that can start nothing else, its reset through sysfs, the verdict stored. Tenants are virtual machines that get the
// device through libvirt and VFIO, in emulation within emulation.
//
// Without sanitizing, the second of two tenants has to read what the first has left: so it is shown that what is tried
// can fail. VFIO would reset the device when a machine opens it, if the kernel knew how. So the kernel is told to know no
// way to reset it (`reset_method`) all the while but for the time in which the helper is at work, and the device shares its
// card with a bridge, which keeps VFIO from resetting the bus. Nothing else differs between both halves.
//
// A bus that has nothing else on it, VFIO resets by itself. So the helper's reset of a bus is shown with a second device
// whose tenants are processes on the host, which use its memory through sysfs. A reset that fails is shown then, and at last
// validations: a machine leaves a pattern in the GPU, and the next one, without a reset between, finds it.
//
// Not proved is what only a GPU can show. The state here is registers, which a reset clears by its definition; that a
// reset erases a GPU's memory is not promised, and not tried.
//
// For people, not for CI: needs root on Debian 12 with the packages of the lab (test/vm/lab), takes 20 to 60 minutes on two
// cores, 5 GiB of memory, and removes what it made but for the images, which are kept for the next time.

import { makeKey } from "../../support/keys.ts";
import { cachedImages } from "../lab/images.ts";
import { startGpuHost } from "./gpu-host.ts";
import { hostImage } from "./host-image.ts";
import { runProgram } from "./program.ts";
import { cards } from "./secret/cards.ts";
import { trySecrets } from "./secret/story.ts";
import { makeTenants } from "./secret/tenants.ts";

await runProgram(async (run) => {
  const { report, directory } = run;
  const log = (line: string) => report.tell(line);
  const image = await hostImage(log);
  const light = (await cachedImages(log)).filter((path) => /\/light[^/]*$/.test(path));
  const lightInitrd = light.find((path) => path.endsWith("/light-initrd"));
  if (lightInitrd === undefined) throw new Error("BUG: the light guest has no initrd");
  const tenants = await makeTenants(lightInitrd, directory);
  const key = await makeKey(directory, "host");
  const host = await startGpuHost({
    image,
    cards,
    pool: [...light, tenants.initrd, tenants.validator.initrd],
    key,
    directory,
  });
  try {
    report.tell(`the GPU host is up at ${host.uri}`);
    await trySecrets(host, tenants, run);
  } finally {
    await host.stop();
  }
});
