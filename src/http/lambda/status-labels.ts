// The lambda edition: what it calls the states. Source: decisions, "What each variant shows". Its clients know a closed
// list of words, and stop when they meet another one.

import { type Health, healths, type State, states } from "../../rules/lifecycle.ts";
import type { StatusLabels } from "../api/status-labels.ts";

/** Every word that its clients know. `preempted` is one that this service never says: it takes no machine back. */
export const statuses = ["booting", "active", "unhealthy", "terminating", "terminated", "preempted"] as const;
export type Status = (typeof statuses)[number];

/** Of instances that can be reached. */
export const words = {
  booting: "booting",
  active: "active",
  stopping: "active",
  stopped: "unhealthy",
  terminating: "terminating",
  terminated: "terminated",
} as const satisfies StatusLabels & Record<State, Status>;

/** Of instances whose host does not answer. */
export const unreachableWords = { ...words, active: "unhealthy" } as const satisfies Record<State, Status>;

/** The word of an instance. */
export function statusOf({ state, health }: { readonly state: State; readonly health: Health }): Status {
  return (health === "ok" ? words : unreachableWords)[state];
}

/** The states and healths that are shown as this word; undefined (no filter) where no word is given. */
export function standingsShownAs(word: Status | undefined): { state: State; health: Health }[] | undefined {
  if (word === undefined) return undefined;
  const all = states.flatMap((state) => healths.map((health) => ({ state, health })));
  return all.filter((standing) => statusOf(standing) === word);
}
