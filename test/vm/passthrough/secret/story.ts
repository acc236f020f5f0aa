// What is tried with the secrets that tenants leave in GPUs, through Lessor as it runs for operators. Used by secret.ts.

import { openVirsh } from "../../../../src/engines/libvirt/virsh/virsh.ts";
import { createGpuHelper } from "../../../../src/gpus/create-gpu-helper.ts";
import type { GpuHost } from "../gpu-host.ts";
import { setUpLibvirt } from "../libvirt-set-up.ts";
import type { Run } from "../program.ts";
import { tryBusReset } from "./bus-reset.ts";
import { alone, rented } from "./cards.ts";
import { tryFailingReset } from "./failing-reset.ts";
import { withoutSanitizing, withSanitizing } from "./handovers.ts";
import { bindToVfio } from "./host-side.ts";
import { installHelper } from "./install-helper.ts";
import { Scene } from "./scene.ts";
import { Service } from "./service.ts";
import type { Tenants } from "./tenants.ts";
import { tryValidation } from "./validation.ts";

export async function trySecrets(host: GpuHost, tenants: Tenants, run: Run): Promise<void> {
  const { report, directory, whenOver } = run;
  await setUpLibvirt(openVirsh(host.uri));
  await bindToVfio(host, [rented, alone]);
  const [program = "", ...args] = await installHelper(host, directory);
  const settings = { hosts: undefined, command: [program, ...args] as const, timeoutSeconds: 180 };
  const helper = createGpuHelper([settings])("gpu-host");
  if (helper === undefined) throw new Error("BUG: the settings have a helper for every host");
  const service = await Service.start({ host, tenants, helper: settings.command, directory, whenOver });
  try {
    report.tell("Lessor serves the GPU host");
    const scene = new Scene({ host, tenants, service, helper, report });
    await findGpus(scene);
    await tryBusReset(scene);
    const bobs = await withoutSanitizing(scene);
    const anns = await withSanitizing(scene, bobs);
    await tryFailingReset(scene, anns);
    await tryValidation(scene);
  } finally {
    await service.stop();
  }
}

async function findGpus(scene: Scene): Promise<void> {
  const { helper, service } = scene;
  const { gpus } = await helper.list("gpu-host", AbortSignal.timeout(60_000));
  const methods = gpus.map(({ address, resetMethods }) => `${address} ${resetMethods.join(" ")}`).join(", ");
  const expected = `${rented} function, ${alone} bus function`;
  scene.holds("the helper lists both GPUs over SSH, and how it can reset them", methods === expected, methods);
  for (const address of [rented, alone]) {
    const { state } = await service.gpu(address);
    scene.holds(`Lessor offers ${address}`, state === "free", state);
  }
}
