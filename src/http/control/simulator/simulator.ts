// What operators do with the simulated engine: the port between the control interface and the simulator
// (engines/simulated/database.ts). composition.ts passes it, because http cannot import an engine.

import type { Database, Transaction } from "../../../database/connect.ts";
import type { FaultOrder, StoredFault } from "../../../rules/simulator-faults.ts";

/** Every change is in effect on all servers as soon as its transaction is committed. */
export interface Simulator {
  /** The order has no problem (problemOfFault). */
  add(tx: Transaction, order: FaultOrder): Promise<StoredFault>;
  /** In the order in which they apply. */
  list(db: Database): Promise<StoredFault[]>;
  /** False: there is no such fault. */
  remove(tx: Transaction, id: number): Promise<boolean>;
  removeAll(tx: Transaction): Promise<void>;
  /** Lets a host fail, or revives it. False: the simulator has no such host. */
  setAlive(tx: Transaction, host: string, alive: boolean): Promise<boolean>;
}
