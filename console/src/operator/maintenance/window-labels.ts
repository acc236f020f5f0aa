// The phases and modes of maintenance windows as the console shows them. Pure; used by the Maintenance page.

import type { MaintenanceMode, WindowPhase } from "../../../../src/rules/maintenance.ts";

/** Its title, and the color of its badge. */
export const phaseLabels = {
  scheduled: { title: "Scheduled", color: "green" },
  started: { title: "In progress", color: "amber" },
  ended: { title: "Ended", color: "gray" },
  canceled: { title: "Canceled", color: "gray" },
} as const satisfies Record<WindowPhase, { readonly title: string; readonly color: string }>;

/** In the form, and in the list. */
export const modeTitles = {
  stop: "Stop instances",
  move: "Move instances",
  nothing: "Keep instances running",
} as const satisfies Record<MaintenanceMode, string>;

export const modeEffects = { stop: "stop", move: "stop and move", nothing: "keep running" } as const satisfies Record<
  MaintenanceMode,
  string
>;
