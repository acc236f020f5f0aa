// The reset of a bus, which the helper prefers. Used by story.ts. VFIO would reset this bus itself when a machine leaves
// the device, so its tenants are processes on the host.

import { alone, nothing } from "./cards.ts";
import { useMemory } from "./host-side.ts";
import type { Scene } from "./scene.ts";
import { newSecret } from "./tenants.ts";

const reserved = "No machine gets it in this run";

/** Leaves the GPU in quarantine. */
export async function tryBusReset(scene: Scene): Promise<void> {
  const { host, service, helper } = scene;
  await service.quarantine(alone, reserved);
  const secret = newSecret();
  const left = await useMemory(host, alone, secret);
  scene.finds("a process leaves a secret in the GPU that is alone behind its bridge", left, secret);
  scene.finds("without sanitizing the next one reads it", await useMemory(host, alone), secret);
  await service.retest(alone);
  scene.isAtRest("Lessor has the helper reset it, and offers it again", await service.atRest(alone), "free");
  scene.finds("and then the next one reads nothing", await useMemory(host, alone), nothing);
  await service.quarantine(alone, reserved);
  await useMemory(host, alone, secret);
  // The service does not keep how a GPU was reset.
  const [verdict] = await helper.reset("gpu-host", [alone], AbortSignal.timeout(60_000));
  scene.holds("it is the bus that is reset", verdict?.isReset === true && verdict.method === "bus", verdict);
  scene.finds("each time", await useMemory(host, alone), nothing);
}
