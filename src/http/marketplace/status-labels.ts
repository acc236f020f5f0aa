// Variant M: its status labels. Lists and reads have one table, the responses to stop, restart and terminate another.
// Source: specification, States and transitions; decisions, "What each variant shows".

import type { StatusLabels } from "../api/status-labels.ts";

export const listWords = {
  booting: "booting",
  active: "active",
  stopping: "active",
  stopped: "stopped",
  terminating: "terminated",
  terminated: "terminated",
} as const satisfies StatusLabels;

export const operationWords = {
  booting: "booting",
  active: "active",
  stopping: "stopping",
  stopped: "stopping",
  terminating: "terminated",
  terminated: "terminated",
} as const satisfies StatusLabels;
