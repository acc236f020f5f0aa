// How an engine is, in a word, and what is wrong with it in a sentence. Used by engines-page.tsx.

import type { Shape } from "../../../../src/client/index.ts";
import { formatNumber } from "../../shared/format-number.ts";

export interface Health {
  readonly word: "Well" | "Some hosts away" | "Not compared yet" | "Does not answer" | "Not set up";
  readonly color: "green" | "amber" | "red" | "gray";
  /** The worse, the higher. */
  readonly order: number;
  /** Empty where nothing is wrong. */
  readonly problem: string;
}

export function healthOf(engine: Shape<"Engine">): Health {
  const { kind, hosts, hosts_available, last_sweep_at, last_sweep_error } = engine;
  if (kind === null) {
    const problem = "It has hosts or machines, and is not in lessor.yaml: nothing is done to them.";
    return { word: "Not set up", color: "red", order: 4, problem };
  }
  if (last_sweep_error !== null) return { word: "Does not answer", color: "red", order: 3, problem: last_sweep_error };
  const away = hosts - hosts_available;
  if (away > 0) {
    const problem = away === 1 ? "One host is away." : `${formatNumber(away)} hosts are away.`;
    return { word: "Some hosts away", color: "amber", order: 2, problem };
  }
  if (last_sweep_at === null) return { word: "Not compared yet", color: "gray", order: 1, problem: "" };
  return { word: "Well", color: "green", order: 0, problem: "" };
}
