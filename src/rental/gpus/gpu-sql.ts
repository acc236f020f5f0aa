// The conditions of GPUs in SQL, made from rules/gpu-lifecycle.ts. Used wherever GPUs are offered, taken and counted.

import { type RawBuilder, sql } from "kysely";
import { gpuStatesWhere } from "../../rules/gpu-lifecycle.ts";

const list = (words: readonly string[]) => sql.join(words.map((word) => sql.lit(word)));

const offered = list(gpuStatesWhere((traits) => traits.isOffered));
const returning = list(gpuStatesWhere((traits) => traits.returns));

/** Whether an instance can get a GPU of this state, if it is healthy. `state`: the column. */
export function isOffered(state: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${state} in (${offered})`;
}

/** Whether the reconciler has work to do on a GPU of this state: to reset it, or to validate it. */
export function returnsByItself(state: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${state} in (${returning})`;
}
