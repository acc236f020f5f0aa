// A GPU is validated by a machine that fills its memory and looks for what earlier ones have left there: the policy
// "reset+validate", on demand and with a retest. Used by story.ts.

import { nothing, rented } from "./cards.ts";
import { letReset, useMemory } from "./host-side.ts";
import type { Scene } from "./scene.ts";

/** The GPU is free, and nothing is in it. */
export async function tryValidation(scene: Scene): Promise<void> {
  const { host, service } = scene;
  await service.setHandover("reset+validate");
  // As for the tenants: nothing but the helper resets it.
  await letReset(host, rented, false);
  scene.tell("a GPU that was reset is validated on demand");
  await service.validate(rented);
  const first = await service.atRest(rented);
  scene.isAtRest("the machine of the validation finds no pattern of an earlier one", first, "free");
  scene.holds("the verdict is stored", first.last_validation?.verdict === "passed", first.last_validation?.verdict);
  const pattern = await useMemory(host, rented);
  scene.holds("it has left its own pattern", pattern !== nothing, pattern);

  scene.tell("it is validated again, without a reset between");
  await service.validate(rented);
  const second = await service.atRest(rented);
  scene.isAtRest("the next one finds that pattern, and the GPU is quarantined", second, "quarantined");
  const told = second.evidence?.split("\n")[0] ?? "";
  scene.holds("the evidence says so", told.includes("still has the pattern of validation"), told);

  await letReset(host, rented, true);
  await service.retest(rented);
  const third = await service.atRest(rented);
  scene.isAtRest("a retest resets it, and its validation passes", third, "free");
  scene.holds("the verdict is stored", third.last_validation?.verdict === "passed", third.last_validation?.verdict);
}
