// The contract of engines, unchanged, on the real cluster.

import { inject } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import { IncusEngine } from "../../src/engines/incus/engine.ts";
import { engineConformance } from "../engines/conformance.ts";
import { labSettings, machineOn } from "./engine-settings.ts";
import { labOf } from "./lab/lab.ts";

const lab = labOf(inject("lab"));
const settings = labSettings(lab);

engineConformance("incus, on a cluster of LXD", async () => {
  // Each test is an installation of its own, so none sees what another left or is about to remove.
  const installation = crypto.randomUUID();
  const engine = new IncusEngine(settings, installation);
  const made: MachineSpec[] = [];
  return {
    engine,
    patienceMs: 60_000,
    lookEveryMs: 50,
    spec: (part) => {
      const spec = machineOn(lab.members[made.length % lab.members.length]?.name ?? "", part);
      made.push(spec);
      return spec;
    },
    another: async () => new IncusEngine(settings, installation),
    close: async () => {
      await engine.close();
      const broom = new IncusEngine(settings, installation);
      for (const spec of made) await broom.remove(spec, AbortSignal.timeout(120_000));
      await broom.close();
    },
  };
});
