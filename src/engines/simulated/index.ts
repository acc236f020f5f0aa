// The public interface of the simulated engine. composition.ts creates it, the control API and tests change its
// database.

import type { Database } from "../../database/connect.ts";
import { SimulatedEngine } from "./engine.ts";
import type { SimulatedDurations } from "./settings.ts";

export * from "./database.ts";
export { faultsAsMarkdown } from "./documentation.ts";
export type { SimulatedEngine } from "./engine.ts";
export type { FaultOrder } from "./fault-store.ts";
export {
  type Effect as FaultEffect,
  type Kind as FaultKind,
  kindNames as faultKindNames,
  kinds as faultKinds,
} from "./faults.ts";

export function createSimulatedEngine(parts: { db: Database; settings: SimulatedDurations }): SimulatedEngine {
  return new SimulatedEngine(parts.db, parts.settings);
}
