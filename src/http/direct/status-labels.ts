// Variant D: its status labels, and its two numbers. Source: specification, Instance (variant D); decisions, "What each
// variant shows". Its restart responds in the shape of variant M, and so with that variant's labels.

import type { State } from "../../rules/lifecycle.ts";
import type { StatusLabels } from "../api/status-labels.ts";

export const statusWords = {
  booting: "rented",
  active: "rented",
  stopping: "rented",
  stopped: "rented",
  terminating: "terminated",
  terminated: "terminated",
} as const satisfies StatusLabels;

/** Whether it is running, or should be. */
export const activeNumbers = {
  booting: 1,
  active: 1,
  stopping: 1,
  stopped: 0,
  terminating: 0,
  terminated: 0,
} as const satisfies Record<State, 0 | 1>;

/** Whether its operating system is up. */
export const bootedNumbers = {
  booting: 0,
  active: 1,
  stopping: 1,
  stopped: 0,
  terminating: 0,
  terminated: 0,
} as const satisfies Record<State, 0 | 1>;

export const operationWords = {
  booting: "booting",
  active: "active",
  stopping: "stopping",
  stopped: "stopping",
  terminating: "terminated",
  terminated: "terminated",
} as const satisfies StatusLabels;
