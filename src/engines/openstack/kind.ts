// Clouds of OpenStack: each item of `openstack:` in lessor.yaml is a project of one, and an engine.

import type { EngineKind } from "../kind.ts";
import { OpenStackSchema } from "./settings/schema.ts";
import { type OpenStackSettings, resolveOpenStack } from "./settings/settings.ts";

const loadEngine = () => import("./engine.ts");

export const openstack: EngineKind<typeof OpenStackSchema, OpenStackSettings> = {
  schema: OpenStackSchema,
  resolve: resolveOpenStack,
  load: loadEngine,
  open: async (settings, { installation }) => {
    const { OpenStackEngine } = await loadEngine();
    return new OpenStackEngine(settings, installation);
  },
  hardware: {
    check: async function* (settings, options, signal) {
      const { checkCloud } = await import("./check/check-cloud.ts");
      yield* checkCloud(settings, options, signal);
    },
    importImage: async (settings, order, signal) => {
      const { importAndReport } = await import("./images/import-and-report.ts");
      await importAndReport(settings, order, signal);
    },
    example: {
      what: "clouds",
      yaml: `openstack:                   # a cloud of OpenStack
  - name: cloud
    cloud: lessor              # the entry in clouds.yaml
    regions: { north: { network: rent } }`,
    },
  },
};
