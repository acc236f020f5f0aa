// The whole contract, on the fake. What real hosts do is proved on real ones.

import { randomBytes } from "node:crypto";
import { engineConformance } from "../../../test/engines/conformance.ts";
import { beginStand, installation, machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { standInIso } from "../../../test/support/stand-in.ts";
import type { Engine } from "../engine.ts";
import { LibvirtEngine } from "./engine.ts";
import { volumes } from "./labels.ts";

engineConformance("libvirt (a fake of it)", async () => {
  await standInIso();
  const { fake, settings } = await beginStand();
  // What a guest shows before its console is read is lost. On real hosts a boot takes seconds.
  fake.world.manners.bootMs = "until its console is read";
  const made: Engine[] = [];
  const another = () => {
    const engine = new LibvirtEngine(settings, installation, {
      connect: (uri) => fake.virsh(uri),
      // A disk takes several calls.
      copyPace: { copyMs: 0, partBytes: 50_000 },
    });
    made.push(engine);
    return engine;
  };
  return {
    engine: another(),
    spec: (part) => machineSpec(part),
    another: async () => another(),
    patienceMs: 5000,
    disk: {
      write: ({ id, host }) => {
        const { storage } = fake.world.host(host);
        const { size } = storage.volume("default", volumes.disk(id)).file;
        storage.upload("default", volumes.disk(id), randomBytes(size));
      },
      read: ({ id, host }) => fake.world.host(host).storage.read("default", volumes.disk(id)),
    },
    close: async () => void (await Promise.all(made.map((engine) => engine.close()))),
  };
});
