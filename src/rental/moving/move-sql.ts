// The conditions of moves in SQL, of a row `moves m`, made from rules/moves.ts. Used wherever capacity is reserved,
// released or counted, and by the reconciler.

import { type RawBuilder, sql } from "kysely";
import { finalState } from "../../rules/lifecycle.ts";
import { phasesWhere } from "../../rules/moves.ts";

function phaseIn(phases: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`m.phase in (${sql.join(phases.map((phase) => sql.lit(phase)))})`;
}

/** Capacity is reserved on both hosts. */
export const holdsBoth = phaseIn(phasesWhere((traits) => traits.holdsBoth));

/** The reconciler has to do something at the engine. */
export const hasWork = phaseIn(phasesWhere((traits) => traits.work !== null));

/** Its disk is being copied, so it cannot start. */
export const isCopying = phaseIn(phasesWhere((traits) => traits.work === "copy"));

/** The host that is not the instance's. */
export const secondHost = sql<string>`case when ${phaseIn(phasesWhere((traits) => traits.isOnTarget))}
  then m.from_host else m.to_host end`;

/** How many instances hold capacity of the host: as theirs, or as the other one of a move. */
export function instancesOn(host: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`((
      select count(*) from instances i where i.host = ${host} and i.state <> ${sql.lit(finalState)}
    ) + (
      select count(*) from moves m
      where (m.from_host = ${host} or m.to_host = ${host}) and ${holdsBoth} and ${secondHost} = ${host}
    ))::integer`;
}
