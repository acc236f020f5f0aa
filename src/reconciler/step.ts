// What to do next about an instance, as one table: where it should be × what its engine says → one action. Pure, so that
// the exhaustive test can go through every cell; reconcile.ts does what it says.
//
// The table is level-triggered: it never asks what happened before, so it is right after any crash, repeated call or
// accident. Also the sweep reads it: where it names an action for an instance that nobody works on, that one is woken.

import type { MachineReport } from "../engines/engine.ts";
import { afterObservation, type Observation, type State } from "../rules/lifecycle.ts";

/**
 * What is seen of the machine. `unmade`: there is none, and the instance was never active, so nothing is lost.
 * `missing`: there is none, but there was one. `running`: it runs, and nobody can use it (yet). `usable`: it runs, has
 * an address and answers. `untold`: it runs, and its guest waits to be told its secrets.
 */
export const observedStates = ["unmade", "missing", "halted", "starting", "running", "untold", "usable"] as const;
export type ObservedState = (typeof observedStates)[number];

/**
 * `create`, `start`, `stop`, `remove`: that engine call. `ready`, `down`, `halted`, `vanished`: record that fact. `wait`: it is
 * on its way, look again. `settle`: it is as it should be.
 */
export type Action =
  | "create"
  | "start"
  | "stop"
  | "remove"
  | "ready"
  | "down"
  | "halted"
  | "vanished"
  | "wait"
  | "settle";

export const steps = {
  booting: {
    unmade: "create",
    missing: "vanished",
    halted: "start",
    starting: "wait",
    running: "wait",
    untold: "start", // which tells it
    usable: "ready",
  },
  active: {
    unmade: "vanished", // an active one was made; the row says otherwise only if someone edited it
    missing: "vanished",
    halted: "halted",
    starting: "wait", // a reboot from inside
    running: "wait",
    untold: "wait",
    usable: "settle",
  },
  stopping: {
    unmade: "create", // stopped before it was made: what a later restart starts must exist
    missing: "vanished",
    halted: "halted",
    starting: "stop",
    running: "stop",
    untold: "stop",
    usable: "stop",
  },
  stopped: {
    unmade: "create",
    missing: "vanished",
    halted: "settle",
    starting: "stop",
    running: "stop",
    untold: "stop",
    usable: "stop",
  },
  // Only a removal that resolved is sure to have left nothing, so it is not even looked first (`observesFirst`).
  terminating: {
    unmade: "remove",
    missing: "remove",
    halted: "remove",
    starting: "remove",
    running: "remove",
    untold: "remove",
    usable: "remove",
  },
  terminated: {
    unmade: "settle",
    missing: "settle",
    halted: "settle",
    starting: "settle",
    running: "settle",
    untold: "settle",
    usable: "settle",
  },
} as const satisfies Record<State, Record<ObservedState, Action>>;

/** Instead of the row of `booting` while the machine is to be halted first (a reboot): the two tables meet in `halted`. */
export const stepsToDown = {
  unmade: "create", // it is down as soon as it is made
  missing: "vanished",
  halted: "down",
  starting: "stop",
  running: "stop",
  untold: "stop",
  usable: "stop",
} as const satisfies Record<ObservedState, Action>;

/** Whether the engine is asked what it has before anything is done: not where nobody has begun anything (reconcile.ts). */
export const observesFirst = {
  booting: true,
  active: true,
  stopping: true,
  stopped: true,
  terminating: false,
  terminated: false,
} as const satisfies Record<State, boolean>;

/**
 * Whether the engine is told of changed firewall rules before this is done. Not before facts, which have to be known
 * whatever the rules are, nor on the way to a halt; and a machine that is made now is made with them.
 */
export const isFilteredFirst = {
  create: false,
  start: true,
  stop: false,
  remove: false,
  ready: true,
  halted: false,
  down: false,
  vanished: false,
  wait: true,
  settle: true,
} as const satisfies Record<Action, boolean>;

/** `haltsFirst`: the instance boots, and its machine is to be halted before (the column `halt_first`). */
export function nextStep(state: State, sight: ObservedState, haltsFirst = false): Action {
  return haltsFirst ? stepsToDown[sight] : steps[state][sight];
}

/** Whether a machine that runs is told to halt, so that one that is halted was told to. */
export function isToldToHalt(state: State): boolean {
  return nextStep(state, "running") === "stop";
}

/** What the engine's report means for an instance that was, or never was, active. */
export function observedStateOf(report: MachineReport | undefined, wasActive: boolean): ObservedState {
  if (report === undefined) return wasActive ? "missing" : "unmade";
  if (report.power !== "running") return report.power;
  if (report.untold === true) return "untold";
  return report.usable && report.ip !== undefined ? "usable" : "running";
}

/**
 * The fact that ends a boot which failed for good: what was never active is removed, what was is kept, stopped.
 * Undefined in states that go on trying for ever, such as a removal.
 */
export function bootFailure(state: State, wasActive: boolean): "launchFailed" | "startFailed" | undefined {
  const fact = wasActive ? "startFailed" : "launchFailed";
  return afterObservation(state, fact satisfies Observation) === undefined ? undefined : fact;
}
