// Removes one of two copies of a machine. Used by mover.ts.
//
// Invariant: the copy that machines were started from is removed only while the other host says that it has the machine.
// A copy that was never started is worth nothing without the move that made it.

import { EngineError } from "../../engine.ts";
import { readOwnDomain } from "../domains.ts";
import type { HostConnection } from "../host-connection.ts";
import { removeMachine } from "../remove.ts";
import { readMark } from "./mark.ts";

/** As `Mover.removeCopy` of the contract. `keptHas`: whether the other host has the machine. Throws EngineError, VirshError. */
export async function removeCopyOn(
  place: HostConnection,
  machineId: string,
  keptHas: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const domain = await readOwnDomain(place, machineId, signal);
  const isCopy = domain?.copied !== undefined || (await readMark(place, machineId, signal)) !== undefined;
  if (domain === undefined && !isCopy) return;
  if (!isCopy && !(await keptHas())) {
    throw new EngineError("unavailable", "no-other-copy", "The machine's other copy is not on its host.");
  }
  await removeMachine(place, machineId, signal);
}
