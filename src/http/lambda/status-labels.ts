// The lambda edition: its status labels. Source: decisions, "What each variant shows". Its clients know a closed list
// of labels, and fail on others.

import { type Health, healths, type State, states } from "../../rules/lifecycle.ts";
import type { StatusLabels } from "../api/status-labels.ts";

/** Every label that its clients know. This service never uses `preempted`: it preempts no instance. */
export const statuses = ["booting", "active", "unhealthy", "terminating", "terminated", "preempted"] as const;
export type Status = (typeof statuses)[number];

/** Of reachable instances. */
export const words = {
  booting: "booting",
  active: "active",
  stopping: "active",
  stopped: "unhealthy",
  terminating: "terminating",
  terminated: "terminated",
} as const satisfies StatusLabels & Record<State, Status>;

/** Of instances whose host does not respond. */
export const unreachableWords = { ...words, active: "unhealthy" } as const satisfies Record<State, Status>;

/** The label of an instance. */
export function statusOf({ state, health }: { readonly state: State; readonly health: Health }): Status {
  return (health === "ok" ? words : unreachableWords)[state];
}

/** The states and healths with this label; undefined (no filter) without a label. */
export function standingsShownAs(word: Status | undefined): { state: State; health: Health }[] | undefined {
  if (word === undefined) return undefined;
  const all = states.flatMap((state) => healths.map((health) => ({ state, health })));
  return all.filter((standing) => statusOf(standing) === word);
}
