// Variant R 1.0.3: its status labels. Source: decisions, "What each variant shows".

import type { StatusLabels } from "../api/status-labels.ts";

export const words = {
  booting: "booting",
  active: "active",
  stopping: "stopping",
  stopped: "stopped",
  terminating: "terminated",
  terminated: "terminated",
} as const satisfies StatusLabels;
