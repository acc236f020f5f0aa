// Plain Linux hosts with libvirt: each item of `libvirt:` in lessor.yaml is a group of hosts, and an engine.

import type { EngineKind } from "../kind.ts";
import { LibvirtSchema } from "./settings/schema.ts";
import { type LibvirtSettings, resolveLibvirt } from "./settings/settings.ts";

const loadEngine = () => import("./engine.ts");

export const libvirt: EngineKind<typeof LibvirtSchema, LibvirtSettings> = {
  schema: LibvirtSchema,
  resolve: (settings, file) => resolveLibvirt(settings, file.name),
  load: loadEngine,
  open: async (settings, { installation }) => {
    const { LibvirtEngine } = await loadEngine();
    return new LibvirtEngine(settings, installation);
  },
  hardware: {
    check: async function* (settings, options, signal) {
      const { checkHosts } = await import("./check/check-hosts.ts");
      yield* checkHosts(settings, options, signal);
    },
    importImage: async (settings, order, signal) => {
      const { importAndReport } = await import("./images/import-and-report.ts");
      await importAndReport(settings, order, signal);
    },
    example: {
      what: "libvirt hosts",
      yaml: `libvirt:                     # and, or, plain hosts with libvirt
  - name: metal
    hosts:
      - { name: gpu-1, region: north, uri: qemu+ssh://root@gpu-1/system }`,
    },
  },
};
