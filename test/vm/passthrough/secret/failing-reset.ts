// A reset that fails: the GPU keeps the secret, and no tenant gets it. Used by story.ts.

import { nothing, rented } from "./cards.ts";
import { letReset, useMemory } from "./host-side.ts";
import type { Scene } from "./scene.ts";

/** `id`: ann's instance, which has the GPU. The kernel knows no way to reset that. */
export async function tryFailingReset(scene: Scene, id: string): Promise<void> {
  const { host, service, tenants } = scene;
  const { ann, bob } = tenants;
  await service.terminate(ann, id);
  const failed = await service.atRest(rented);
  scene.isAtRest("where the reset fails, the GPU is quarantined, with what the helper found", failed, "quarantined");
  scene.finds("it still has ann's secret", await useMemory(host, rented), ann.secret);
  const refusal = await service.refusal(bob);
  const isRefused = refusal?.endsWith("insufficient-capacity") === true;
  scene.holds("bob does not get it: there is no capacity", isRefused, refusal);
  await letReset(host, rented, true);
  await service.retest(rented);
  scene.isAtRest("once it can be reset, a retest offers it again", await service.atRest(rented), "free");
  scene.finds("and nothing is in it", await useMemory(host, rented), nothing);
}
