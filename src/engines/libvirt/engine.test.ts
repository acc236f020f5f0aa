// The whole contract, on the fake. What real hosts do is proved on real ones.

import { engineConformance } from "../../../test/engines/conformance.ts";
import { beginStand, installation, machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { standInIso } from "../../../test/support/stand-in.ts";
import type { Engine } from "../engine.ts";
import { LibvirtEngine } from "./engine.ts";

engineConformance("libvirt (a fake of it)", async () => {
  await standInIso();
  const { fake, settings } = await beginStand();
  const made: Engine[] = [];
  const another = () => {
    const engine = new LibvirtEngine(settings, installation, { connect: (uri) => fake.virsh(uri) });
    made.push(engine);
    return engine;
  };
  return {
    engine: another(),
    spec: (part) => machineSpec(part),
    another: async () => another(),
    patienceMs: 5000,
    close: async () => void (await Promise.all(made.map((engine) => engine.close()))),
  };
});
