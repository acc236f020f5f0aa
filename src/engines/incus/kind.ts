// Clusters of Incus or LXD: each item of `incus:` in lessor.yaml is a cluster, and an engine.

import type { EngineKind } from "../kind.ts";
import { IncusSchema } from "./settings/schema.ts";
import { type IncusSettings, resolveIncus } from "./settings/settings.ts";

const loadEngine = () => import("./engine.ts");

export const incus: EngineKind<typeof IncusSchema, IncusSettings> = {
  schema: IncusSchema,
  resolve: resolveIncus,
  load: loadEngine,
  open: async (settings, { installation }) => {
    const { IncusEngine } = await loadEngine();
    return new IncusEngine(settings, installation);
  },
  hardware: {
    check: async function* (settings, options, signal) {
      const { checkCluster } = await import("./check/check-cluster.ts");
      yield* checkCluster(settings, options, signal);
    },
    importImage: async (settings, order, signal) => {
      const { importAndReport } = await import("./images/import-and-report.ts");
      await importAndReport(settings, order, signal);
    },
    example: {
      what: "clusters",
      yaml: `incus:                       # a cluster of Incus or LXD
  - name: north
    urls: [unix:///var/lib/incus/unix.socket]
    region: north
    network: incusbr0`,
    },
  },
};
