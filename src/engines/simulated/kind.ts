// The simulated engine: one in every installation, also beside others. It has no hardware to check.

import type { EngineKind } from "../kind.ts";
import { resolveSimulated, SimulatedSchema, type SimulatedSettings } from "./settings.ts";

const loadEngine = () => import("./engine.ts");

export const simulated: EngineKind<typeof SimulatedSchema, SimulatedSettings> = {
  schema: SimulatedSchema,
  resolve: resolveSimulated,
  load: loadEngine,
  open: async (settings, { db }) => {
    const { SimulatedEngine } = await loadEngine();
    return new SimulatedEngine(db, settings);
  },
};
