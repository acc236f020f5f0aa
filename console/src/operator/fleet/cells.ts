// The states of a GPU on the fleet map. Single source of their labels, for the legend, the drawing, the numbers and screen
// readers.

import type { Shape } from "../../../../src/client/client.ts";
import { gpuTraits } from "../../../../src/rules/gpu-lifecycle.ts";
import { hostTraits } from "../../../../src/rules/host-lifecycle.ts";
import { isBooting } from "../../../../src/rules/lifecycle.ts";
import { formatNumber } from "../../shared/format-number.ts";

type Host = Shape<"Host">;
type Gpu = Shape<"Gpu">;

/** In the order of the legend. */
export const cellStates = {
  free: { label: "Free", meaning: "Available for launches." },
  held: { label: "Rented", meaning: "In use by an instance." },
  booting: { label: "Booting", meaning: "In use by a booting instance." },
  closed: { label: "Cordoned or unreachable", meaning: "Free, but its host accepts no new instances." },
  sanitizing: { label: "Being reset", meaning: gpuTraits.sanitizing.meaning },
  validating: { label: "Being validated", meaning: gpuTraits.validating.meaning },
  quarantined: { label: "Quarantined", meaning: gpuTraits.quarantined.meaning },
  unhealthy: { label: "Unhealthy", meaning: "Its engine reports a failure." },
} as const;
export type CellState = keyof typeof cellStates;

// Object.keys returns strings; these are the keys of the table.
export const cellOrder = Object.keys(cellStates) as readonly CellState[];

/** The state of a GPU. Unhealthy takes precedence over held: it needs attention. */
export function cellState(host: Pick<Host, "state">, gpu: Gpu): CellState {
  if (!gpu.healthy) return "unhealthy";
  if (gpu.held_by !== null) return gpu.holder_status !== null && isBooting[gpu.holder_status] ? "booting" : "held";
  if (gpu.state === "sanitizing" || gpu.state === "validating" || gpu.state === "quarantined") return gpu.state;
  return hostTraits[host.state].acceptsInstances ? "free" : "closed";
}

/** States that most fleets never have: the legend leaves them out while no GPU is in one. */
export const rareCells: readonly CellState[] = ["sanitizing", "validating", "quarantined"];

/** How many GPUs there are in each state. */
type CellCounts = Readonly<Record<CellState, number>>;

/** Of all these hosts together. */
export function countCells(hosts: readonly Host[]): CellCounts {
  const counts = {
    free: 0,
    held: 0,
    booting: 0,
    closed: 0,
    sanitizing: 0,
    validating: 0,
    quarantined: 0,
    unhealthy: 0,
  };
  for (const host of hosts) for (const gpu of host.gpus) counts[cellState(host, gpu)]++;
  return counts;
}

/** "3 free, 4 rented, 1 unhealthy": states without GPUs are left out. */
export function countsInWords(counts: CellCounts): string {
  const named = cellOrder.filter((state) => counts[state] > 0);
  return named.map((state) => `${formatNumber(counts[state])} ${cellStates[state].label.toLowerCase()}`).join(", ");
}

/** The cells and the status of a host, for screen readers. */
export function cellsInWords(host: Host): string {
  const cells = host.gpus.length === 0 ? "no GPUs" : countsInWords(countCells([host]));
  return host.available ? cells : `unreachable, ${cells}`;
}
