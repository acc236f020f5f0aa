// How far a move is, in words. Used by `lessor move` and `lessor show`.

import type { Shape } from "../client/client.ts";

type Move = Shape<"Move">;

/** Of the disk; "" while its size is not known. */
export function movePercent({ copied_bytes: copied, total_bytes: total }: Move): string {
  return total === 0 ? "" : `${Math.floor((copied / total) * 100)} %`;
}

/** One line: from where to where, and how far. */
export function moveText(move: Move): string {
  const { from, to, phase, failure } = move;
  const way = `${from} to ${to}`;
  if (failure !== null) return `${way}: failed. ${failure.message} (${failure.code})`;
  const percent = movePercent(move);
  return `${way}: ${phase}${percent === "" ? "" : `, ${percent} copied`}`;
}
