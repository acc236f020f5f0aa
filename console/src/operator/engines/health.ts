// How an engine is, in a word, and what is wrong with it in a sentence. Used by engines-page.tsx.

import type { Shape } from "../../../../src/client/index.ts";
import { formatNumber } from "../../shared/format-number.ts";

export interface Health {
  readonly word: "Healthy" | "Degraded" | "Not synced yet" | "Unreachable" | "Not configured";
  readonly color: "green" | "amber" | "red" | "gray";
  /** The worse, the higher. */
  readonly order: number;
  /** Empty where nothing is wrong. */
  readonly problem: string;
}

export function healthOf(engine: Shape<"Engine">): Health {
  const { kind, hosts, hosts_available, last_sweep_at, last_sweep_error } = engine;
  if (kind === null) {
    const problem = "It has hosts or instances but is not in lessor.yaml, so they are not managed.";
    return { word: "Not configured", color: "red", order: 4, problem };
  }
  if (last_sweep_error !== null) return { word: "Unreachable", color: "red", order: 3, problem: last_sweep_error };
  const unavailable = hosts - hosts_available;
  if (unavailable > 0) {
    const problem =
      unavailable === 1 ? "One host is unavailable." : `${formatNumber(unavailable)} hosts are unavailable.`;
    return { word: "Degraded", color: "amber", order: 2, problem };
  }
  if (last_sweep_at === null) return { word: "Not synced yet", color: "gray", order: 1, problem: "" };
  return { word: "Healthy", color: "green", order: 0, problem: "" };
}
