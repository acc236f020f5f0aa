// A GPU goes from one tenant to the other, without sanitizing and with it. Used by story.ts.

import { nothing, rented } from "./cards.ts";
import { letReset, resetMethods } from "./host-side.ts";
import type { Scene } from "./scene.ts";
import type { Seen, Tenant } from "./tenants.ts";

/** For a guest in emulation within emulation. What it writes to its console is read for no longer. */
const bootMinutes = 10;

/** The policy "none", which is that of every model at first. Returns bob's instance, which has the GPU. */
export async function withoutSanitizing(scene: Scene): Promise<string> {
  const { host, service, tenants } = scene;
  const { ann, bob } = tenants;
  // Otherwise VFIO does at each opening what the helper does.
  await letReset(host, rented, false);
  const methods = await resetMethods(host, rented);
  scene.holds("from now on nothing but the helper resets the GPU", methods === "", methods);
  const first = await tenancy(scene, ann);
  scene.finds("ann's machine finds nothing in the GPU", first.seen.found, nothing);
  scene.finds("and leaves a secret there", first.seen.left, ann.secret);
  await service.terminate(ann, first.id);
  scene.isAtRest("it is offered again as ann's machine has left it", await service.atRest(rented), "free");
  const second = await tenancy(scene, bob);
  scene.finds("without sanitizing bob's machine reads ann's secret", second.seen.found, ann.secret);
  scene.finds("and leaves another", second.seen.left, bob.secret);
  scene.holds("the log tells of no reset", service.resets(rented) === 0);
  return second.id;
}

/** The policy "reset", of the same two tenants. `before`: bob's instance. Returns ann's, which has the GPU. */
export async function withSanitizing(scene: Scene, before: string): Promise<string> {
  const { host, service, tenants } = scene;
  const { ann, bob } = tenants;
  await service.setHandover("reset");
  // VFIO has decided when bob's machine opened the device that it does not reset it at the end.
  await letReset(host, rented, true);
  await service.terminate(bob, before);
  scene.isAtRest("Lessor has the helper reset it after bob", await service.atRest(rented), "free");
  await letReset(host, rented, false);
  const resets = service.resets(rented);
  scene.holds("the log tells of one reset", resets === 1, `${resets}`);
  const { id, seen } = await tenancy(scene, ann);
  scene.finds("with sanitizing ann's machine reads nothing of bob's", seen.found, nothing);
  scene.finds("and leaves her secret", seen.left, ann.secret);
  return id;
}

/** Launches an instance, and returns what its guest saw in the GPU. */
async function tenancy(scene: Scene, tenant: Tenant): Promise<{ readonly id: string; readonly seen: Seen }> {
  const { service } = scene;
  scene.tell(`${tenant.name} launches an instance, at most ${bootMinutes} minutes from its start`);
  const id = await service.launch(tenant);
  const seen = await service.seen(id, 2 * bootMinutes);
  const { held_by: holder } = await service.gpu(rented);
  scene.holds(`${tenant.name} has the GPU`, holder === id, holder ?? "no instance has it");
  return { id, seen };
}
