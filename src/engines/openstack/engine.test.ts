// The whole contract, on the fake, in both forms: hosts that Lessor chooses among, and pools in which Nova chooses. What a real
// cloud does is proved on a real one (test/openstack).

import { engineConformance } from "../../../test/engines/conformance.ts";
import { beginStand, type Stand, type StandOptions } from "../../../test/support/fake-openstack/stand.ts";
import { machineSpecOn } from "../../../test/support/machine-spec.ts";
import { OpenStackEngine } from "./engine.ts";
import type { OpenStackSettings } from "./settings/settings.ts";

const pool = { gpu: "CUSTOM_GPU_H200", count: 16, vcpus: 64, memoryGib: 512, storageGb: 4000 };

const forms: Readonly<Record<string, readonly [StandOptions, (stand: Stand) => OpenStackSettings, string]>> = {
  "hosts that are visible": [{}, ({ settings }) => settings, "gpu1"],
  "a pool": [
    { role: "member" },
    ({ settings, world }) => {
      world.addFlavor("of the operator", { vcpus: 4, ram: 16 * 1024, disk: 100 });
      const [region] = settings.regions;
      if (region === undefined) throw new Error("BUG: a stand without a region");
      return { ...settings, flavors: "mapped", regions: [{ ...region, pools: [pool] }] };
    },
    "north-gpu-h200",
  ],
};

for (const [name, [options, settingsOf, host]] of Object.entries(forms)) {
  engineConformance(`openstack (${name}, on a fake)`, async () => {
    const stand = await beginStand(options);
    const settings = settingsOf(stand);
    const made: OpenStackEngine[] = [];
    const another = () => {
      const engine = new OpenStackEngine(settings, "installation-1");
      made.push(engine);
      return engine;
    };
    return {
      engine: another(),
      spec: (part) => machineSpecOn(host, part),
      another: async () => another(),
      patienceMs: 10_000,
      close: async () => void (await Promise.all(made.map((engine) => engine.close()))),
    };
  });
}
