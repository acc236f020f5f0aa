// The simulated engine: what other rooms may use. composition.ts makes it, the control API changes its world, tests do both.

import type { Database, Transaction } from "../../database/connect.ts";
import { putSimulatedHost, removeSimulatedHost, type SimulatedHost } from "./database.ts";
import { SimulatedEngine, type SimulatedEngineSettings } from "./engine.ts";

export * from "./database.ts";
export { faultsAsMarkdown } from "./documentation.ts";
export type { SimulatedEngine, SimulatedEngineSettings } from "./engine.ts";
export type { FaultOrder } from "./fault-store.ts";
export {
  type Effect as BehaviourEffect,
  type Kind as BehaviourKind,
  kindNames as behaviourKindNames,
  kinds as behaviourKinds,
} from "./faults.ts";

/** An engine on the simulated world of this database. */
export function createSimulatedEngine(parts: { db: Database; settings: SimulatedEngineSettings }): SimulatedEngine {
  return new SimulatedEngine(parts.db, parts.settings);
}

/** How an operator's PUT and DELETE of a host reach the world (rental/capacity/host-registry.ts). */
export const simulatedHostWorld = {
  storage: { sharedStorage: true, multiAttach: true },
  put: (tx: Transaction, host: SimulatedHost): Promise<void> => putSimulatedHost(tx, host),
  remove: (tx: Transaction, name: string): Promise<void> => removeSimulatedHost(tx, name),
};
