// What to do next about an instance, as one table: desired state × observed state → one action. Pure, so that a test
// can check every cell; reconcile.ts acts on it.
//
// The table is level-triggered: it never asks what happened before, so it is right after any crash, repeated call or
// accident. The full resync uses it too: if it names an action for an instance that is not scheduled, that instance is
// woken.

import type { ListedMachine, MachineReport } from "../engines/engine.ts";
import { afterObservation, holdsCapacity, type Observation, type State } from "../rules/lifecycle.ts";

/**
 * The observed state of the machine. `unmade`: none exists, and the instance was never active, so nothing is lost.
 * `missing`: it existed and is gone. `running`: not reachable (yet). `usable`: ready, it has an address and responds.
 * `untold`: running, secrets pending.
 */
export const observedStates = ["unmade", "missing", "halted", "starting", "running", "untold", "usable"] as const;
export type ObservedState = (typeof observedStates)[number];

/**
 * `create`, `start`, `stop`, `remove`: that engine call. `ready`, `down`, `halted`, `vanished`: record that
 * observation. `wait`: in progress, check again. `settle`: nothing to do. Of a machine that moves: `move` copies the next
 * part of it to its new host, `change-host` records that nothing has to be copied, `give-up` that the copy cannot be trusted, and
 * `remove-copy` removes the copy that is not the machine.
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
  | "settle"
  | "move"
  | "change-host"
  | "give-up"
  | "remove-copy";

export const steps = {
  booting: {
    unmade: "create",
    missing: "vanished",
    halted: "start",
    starting: "wait",
    running: "wait",
    untold: "start", // delivers its secrets
    usable: "ready",
  },
  active: {
    unmade: "vanished", // an active one exists; only an edited row says otherwise
    missing: "vanished",
    halted: "halted",
    starting: "wait", // a reboot from inside
    running: "wait",
    untold: "wait",
    usable: "settle",
  },
  stopping: {
    unmade: "create", // stopped before it was created: a later restart needs a machine
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
  // Only a successful removal is sure to leave nothing behind, so it is not observed first (`observesFirst`).
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

/** Replaces the row of `booting` while the machine is to be halted first (a reboot): the two tables meet in `halted`. */
export const stepsToDown = {
  unmade: "create", // it is halted when created
  missing: "vanished",
  halted: "down",
  starting: "stop",
  running: "stop",
  untold: "stop",
  usable: "stop",
} as const satisfies Record<ObservedState, Action>;

/**
 * Replaces the rows of `copiesIn` while the machine is being copied. It starts only when the copy is complete. One that ran
 * meanwhile, started by somebody else, has another disk than the copy.
 */
export const stepsToMove = {
  unmade: "change-host",
  // The copy may be complete, on an engine that moves by itself.
  missing: "move",
  halted: "move",
  starting: "give-up",
  running: "give-up",
  untold: "give-up",
  usable: "give-up",
} as const satisfies Record<ObservedState, Action>;

/** Whether a machine is copied in this state. In the others it is as it would be without a move. */
export const copiesIn = {
  booting: true,
  active: false,
  stopping: false,
  stopped: true,
  terminating: false,
  terminated: false,
} as const satisfies Record<State, boolean>;

/** Whether to observe the machine first. */
export const observesFirst = {
  booting: true,
  active: true,
  stopping: true,
  stopped: true,
  terminating: false,
  terminated: false,
} as const satisfies Record<State, boolean>;

/**
 * Whether to apply changed firewall rules before this action. Not before recording an observation, which does not
 * depend on the rules, nor before a halt; and `create` applies them itself.
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
  move: false, // `copy` applies them itself
  "change-host": false,
  "give-up": false,
  "remove-copy": false,
} as const satisfies Record<Action, boolean>;

/** What changes the table for one instance. */
export interface StepConditions {
  /** The machine is to be halted before it boots (column `halt_first`). */
  readonly haltsFirst?: boolean;
  /** What its move has to do at the engine (rules/moves.ts). */
  readonly moveWork?: "copy" | "remove" | null;
}

/** The next action. The second copy of a machine is removed when there is nothing else to do. */
export function nextStep(state: State, sight: ObservedState, conditions: StepConditions = {}): Action {
  const { haltsFirst = false, moveWork = null } = conditions;
  if (haltsFirst) return stepsToDown[sight];
  if (moveWork === "copy" && copiesIn[state]) return stepsToMove[sight];
  const action = steps[state][sight];
  return moveWork === "remove" && action === "settle" && holdsCapacity[state] ? "remove-copy" : action;
}

/** Whether a running machine is told to halt in this state, so that a halted one is expected. */
export function isToldToHalt(state: State): boolean {
  return nextStep(state, "running") === "stop";
}

/** What the engine's report means, depending on whether the instance was ever active. Without an address it is not usable. */
export function observedStateOf(report: MachineReport | undefined, wasActive: boolean): ObservedState {
  const listed = listedStateOf(report, wasActive);
  return listed === "usable" && report?.ip === undefined ? "running" : listed;
}

/** The same of a machine in a list. */
export function listedStateOf(machine: ListedMachine | undefined, wasActive: boolean): ObservedState {
  if (machine === undefined) return wasActive ? "missing" : "unmade";
  if (machine.power !== "running") return machine.power;
  if (machine.untold === true) return "untold";
  return machine.usable ? "usable" : "running";
}

/**
 * The observation that ends a failed boot: an instance that was never active is removed, others are stopped and kept.
 * Undefined in states that retry forever, such as a removal.
 */
export function bootFailure(state: State, wasActive: boolean): "launchFailed" | "startFailed" | undefined {
  const fact = wasActive ? "startFailed" : "launchFailed";
  return afterObservation(state, fact satisfies Observation) === undefined ? undefined : fact;
}
