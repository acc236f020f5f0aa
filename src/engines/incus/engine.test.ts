// The whole contract, on the fake. What a real cluster does is proved on a real one.

import { engineConformance } from "../../../test/engines/conformance.ts";
import { beginStand, machineSpec } from "../../../test/support/fake-incus/stand.ts";

for (const [kind, clustered] of [
  ["container", true],
  ["virtual-machine", false],
] as const) {
  engineConformance(`incus (${kind}s on ${clustered ? "a cluster" : "one server"})`, async () => {
    const { fake, engine, another } = await beginStand({ kind });
    fake.world.clustered = clustered;
    return {
      engine,
      spec: (part) => machineSpec(part),
      another: async () => another(),
      patienceMs: 5000,
      close: async () => {},
    };
  });
}
