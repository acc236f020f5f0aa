// The contract of engines, unchanged, on real hosts. Several tests at once: each of them mostly waits for a guest that
// boots in emulation.

import { expect, inject, it } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import { LibvirtEngine } from "../../src/engines/libvirt/engine.ts";
import { engineConformance } from "../engines/conformance.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, labSettings, machineOn } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const settings = labSettings(lab, { stop_grace_seconds: 60 });
let count = 0;

engineConformance(
  "libvirt, on three hosts",
  async () => {
    // Each test is an installation of its own, so none sees what another makes.
    const installation = crypto.randomUUID();
    const engine = new LibvirtEngine(settings, installation);
    const made: MachineSpec[] = [];
    return {
      engine,
      patienceMs: 240_000,
      lookEveryMs: 100,
      spec: (part) => {
        const spec = machineOn(lab.hosts[count++ % lab.hosts.length]?.name ?? "", part);
        made.push(spec);
        return spec;
      },
      another: async () => new LibvirtEngine(settings, installation),
      close: async () => {
        await engine.close();
        const broom = new LibvirtEngine(settings, installation);
        // One that has moved is on another host, or on two.
        const everywhere = made.flatMap(({ id }) => lab.hosts.map(({ name: host }) => ({ id, host })));
        await Promise.all(everywhere.map((machine) => broom.remove(machine, AbortSignal.timeout(120_000))));
        await broom.close();
      },
    };
  },
  { atOnce: true },
);

it("nothing is left when all of them are over", async () => {
  expect(await lab.leftovers()).toEqual([]);
});
