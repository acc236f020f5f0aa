// The lambda edition: its status labels. Source: decisions, "What each variant shows". Its clients know a closed list
// of labels, and fail on others.

import type { Instance } from "../../rental/instances/instance.ts";
import { type Health, healths, type State, states } from "../../rules/lifecycle.ts";
import type { StatusLabels } from "../api/status-labels.ts";

/** Every label that its clients know. */
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

/** Of spot instances that were evicted: the label that only this edition has. */
export const preemptedWords = { ...words, terminated: "preempted" } as const satisfies Record<State, Status>;

interface Standing {
  readonly state: State;
  readonly health: Health;
  readonly isPreempted: boolean;
}

/** The label of an instance. */
export function statusOf({ state, health, endedBy }: Pick<Instance, "state" | "health" | "endedBy">): Status {
  return labelOf({ state, health, isPreempted: endedBy === "preempted" });
}

function labelOf({ state, health, isPreempted }: Standing): Status {
  if (isPreempted) return preemptedWords[state];
  return (health === "ok" ? words : unreachableWords)[state];
}

/** What has this label; undefined (no filter) without a label. */
export function standingsShownAs(word: Status | undefined): Standing[] | undefined {
  if (word === undefined) return undefined;
  const all = states.flatMap((state) =>
    healths.flatMap((health) => [true, false].map((isPreempted) => ({ state, health, isPreempted }))),
  );
  return all.filter((standing) => labelOf(standing) === word);
}
