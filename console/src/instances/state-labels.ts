// The labels and colors of the states of an instance.

import type { State } from "../../../src/rules/lifecycle.ts";

interface StateWords {
  readonly title: string;
  readonly colour: string;
  /** The sentence of its event, if it says more than the title. */
  readonly event?: string;
}

export const stateWords: Readonly<Record<State, StateWords>> = {
  booting: { title: "Booting", colour: "var(--accent)" },
  active: { title: "Active", colour: "var(--good)" },
  stopping: { title: "Stopping", colour: "var(--warn)" },
  stopped: { title: "Stopped", colour: "var(--idle)" },
  terminating: { title: "Terminating", colour: "var(--warn)", event: "Terminating, billing ended" },
  terminated: { title: "Terminated", colour: "var(--idle)" },
};
