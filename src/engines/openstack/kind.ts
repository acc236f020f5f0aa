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
};
