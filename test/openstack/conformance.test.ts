// The contract of engines, unchanged, on the real services, in both modes. Terminals are left out: the fake hosts of the lab
// have no serial consoles to connect to.

import { afterAll, inject } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import { OpenStackEngine } from "../../src/engines/openstack/engine.ts";
import { engineConformance } from "../engines/conformance.ts";
import { machineSpecOn } from "../support/machine-spec.ts";
import { extent } from "../support/short.ts";
import { engineSettings, type Mode } from "./ground.ts";
import { labOf } from "./lab/lab.ts";

const lab = labOf(inject("openStackLab"));

/** Security groups stay for the next list of their installation, of which there is none. */
afterAll(() => lab.wipe());

const size: Readonly<Record<Mode, Partial<MachineSpec>>> = {
  visible: { vcpus: 1, memoryGib: 1, storageGb: 1 },
  // The flavor that the lab has.
  pool: { vcpus: 2, memoryGib: 4, storageGb: 20 },
};
const hostOf: Readonly<Record<Mode, string>> = { visible: "gpu1", pool: "lab-gpu-h200" };

const modes: readonly Mode[] = extent<readonly Mode[]>(["visible", "pool"], ["visible"]);

for (const mode of modes) {
  const settings = engineSettings(lab, mode);
  engineConformance(
    `openstack, on real services (${mode})`,
    async () => {
      // Each test is an installation of its own, so none sees what another left or is about to remove.
      const installation = crypto.randomUUID();
      const made: MachineSpec[] = [];
      const engine = new OpenStackEngine(settings, installation);
      return {
        engine,
        patienceMs: 60_000,
        lookEveryMs: 200,
        hasTerminals: false,
        spec: (part) => {
          const spec = machineSpecOn(hostOf[mode], { ...size[mode], ...part });
          made.push(spec);
          return spec;
        },
        another: async () => new OpenStackEngine(settings, installation),
        close: async () => {
          await engine.close();
          const broom = new OpenStackEngine(settings, installation);
          for (const spec of made) await broom.remove(spec, AbortSignal.timeout(120_000));
          await broom.close();
        },
      };
    },
    { atOnce: true },
  );
}
