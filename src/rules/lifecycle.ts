// The lifecycle of an instance as tables: the properties of each state, the transitions of actions and observations,
// their effect on billing, and what entering a state writes. Every question about a state is answered here: for the
// rental, the reconciler and their SQL, the command line, the console and agents.
//
// Invariant: no other file names a state in a condition, in TypeScript or in SQL (test/codebase/states.test.ts); the
// state names of a variant are its own total table. The database CHECK, the tables in docs/reference/api/lifecycle.md
// and lifecycle.test.ts are made from these tables or checked against them. Source: decisions "Instance life";
// specification, States and transitions.
//
// Terms. An action is a customer's request (stop, restart, terminate). An observation is an engine's report. An action
// is accepted or rejected at once; the observation follows later, and only the reconciler records observations.

export const states = ["booting", "active", "stopping", "stopped", "terminating", "terminated"] as const;
export type State = (typeof states)[number];

/** The initial state. */
export const initialState: State = "booting";
/** The final state. Nothing is left of the instance but its record. */
export const finalState: State = "terminated";

/** The properties of a state. */
interface Traits {
  /** Live for a customer: rented, and on the list of every variant. */
  readonly isLive: boolean;
  /** It still holds its capacity: from launch until the engine confirms removal. */
  readonly holdsCapacity: boolean;
  /** Its machine may be running, so that a terminal may be open on it. */
  readonly mayRun: boolean;
  /** Its machine is booting: it has progress, and a deadline. */
  readonly isBooting: boolean;
  /** Its machine is up, so it can be used, and can become unreachable. */
  readonly isReady: boolean;
  /** Transient; the other states last until an action or a failure. */
  readonly isTransient: boolean;
  /** Its cost grows. While it boots, only if that began before: `bill` says where billing starts. */
  readonly isBilled: boolean | "if it was active";
}

/** One row for each state. */
const traits = {
  booting: {
    isLive: true,
    holdsCapacity: true,
    mayRun: true,
    isBooting: true,
    isReady: false,
    isTransient: true,
    isBilled: "if it was active",
  },
  active: {
    isLive: true,
    holdsCapacity: true,
    mayRun: true,
    isBooting: false,
    isReady: true,
    isTransient: false,
    isBilled: true,
  },
  stopping: {
    isLive: true,
    holdsCapacity: true,
    mayRun: true,
    isBooting: false,
    isReady: false,
    isTransient: true,
    isBilled: true,
  },
  stopped: {
    isLive: true,
    holdsCapacity: true,
    mayRun: false,
    isBooting: false,
    isReady: false,
    isTransient: false,
    isBilled: true,
  },
  terminating: {
    isLive: false,
    holdsCapacity: true,
    mayRun: false,
    isBooting: false,
    isReady: false,
    isTransient: true,
    isBilled: false,
  },
  terminated: {
    isLive: false,
    holdsCapacity: false,
    mayRun: false,
    isBooting: false,
    isReady: false,
    isTransient: false,
    isBilled: false,
  },
} as const satisfies Record<State, Traits>;

export const isLive = eachState((state) => traits[state].isLive);
export const holdsCapacity = eachState((state) => traits[state].holdsCapacity);
export const mayRun = eachState((state) => traits[state].mayRun);
export const isBooting = eachState((state) => traits[state].isBooting);
export const isReady = eachState((state) => traits[state].isReady);
/** It is rented and its machine does not run, so that an operator can move it to another host. */
export const isMovable = eachState((state) => traits[state].isLive && !traits[state].mayRun);
export const isTransient = eachState((state) => traits[state].isTransient);

/** Whether its cost grows. `wasActive`: it has been active before. */
export function isBilled(state: State, wasActive: boolean): boolean {
  const { isBilled: when }: Traits = traits[state];
  return when === "if it was active" ? wasActive : when;
}

/** The actions of a customer, and the state that each leads to. A state that is not listed rejects it. */
export const actions = {
  stop: { booting: "stopping", active: "stopping", stopping: "stopping", stopped: "stopped" },
  restart: { stopped: "booting" },
  /** A restart in the lambda edition, unless the operator disables that (`interfaces.lambda.restart_reboots`). */
  reboot: { booting: "booting", active: "booting", stopped: "booting" },
  terminate: {
    booting: "terminating",
    active: "terminating",
    stopping: "terminating",
    stopped: "terminating",
    terminating: "terminating",
    terminated: "terminated",
  },
} as const satisfies Record<string, Partial<Record<State, State>>>;
export type InstanceAction = keyof typeof actions;

/** The observations of an engine or its operator, and the state that each leads to. A state that is not listed ignores it. */
export const observations = {
  /** It is running, has an address and its SSH port responds. */
  ready: { booting: "active" },
  /** It is down during a reboot (`haltsFirst`), and may start now. */
  down: { booting: "booting" },
  /** It is halted: as requested, or by its own guest. */
  halted: { stopping: "stopped", active: "stopped" },
  /** A first boot failed for good: it was never ready, so everything of it is removed. */
  launchFailed: { booting: "terminating", stopping: "terminating" },
  /** A later boot failed for good: the customer's data is kept. */
  startFailed: { booting: "stopped" },
  /** The engine responds, and no longer has it: its data is lost. */
  vanished: { booting: "terminating", active: "terminating", stopping: "terminating", stopped: "terminating" },
  /** The engine confirms that nothing of it is left: its capacity is free. */
  removed: { terminating: "terminated" },
  /** An operator declared its host lost. Its capacity left with the host, which is cleaned if it ever returns. */
  hostLost: {
    booting: "terminated",
    active: "terminated",
    stopping: "terminated",
    stopped: "terminated",
    terminating: "terminated",
  },
} as const satisfies Record<string, Partial<Record<State, State>>>;
export type Observation = keyof typeof observations;

/** `closes in the past`: at the moment when its host was last known to serve it. */
export type BillEffect = "opens if never opened" | "closes" | "closes in the past";

/**
 * The effect of an action or an observation on the billing span, in the same transaction. Stopped time is billed, even before
 * the first active time, because it holds capacity; so billing begins with the first transition to active or stopped.
 * `closes` does nothing if no span was opened (a launch that failed or ended while it booted is never billed).
 */
export const bill = {
  ready: "opens if never opened",
  halted: "opens if never opened",
  startFailed: "opens if never opened",
  terminate: "closes",
  launchFailed: "closes",
  vanished: "closes",
  hostLost: "closes in the past",
} as const satisfies Partial<Record<InstanceAction | Observation, BillEffect>>;

/** Why an instance was terminated, and the meaning of each. Written at termination, and never changed. */
export const endings = {
  customer: "requested by its account",
  operator: "terminated by its provider, for the reason in the event and the audit log",
  "spend-limit": "the spend limit of its account or of its token was reached",
  balance: "the balance of its account was used up",
  lifetime: "its max_lifetime_seconds elapsed, or the reservation that paid for it ended",
  idle: "its GPUs were not used, and its idle rule says to terminate it",
  failure: "it failed to start, or its machine was lost",
  "host-lost": "its host failed and was declared lost",
  preempted: "it is a spot instance, and was evicted for a launch that waited, or for a reservation",
} as const;
export type Ending = keyof typeof endings;

/**
 * What entering a state writes into the instance's row, beside the state itself: into each column the time, the time if
 * it is empty, the cause of the end if none was, the health of an instance that is no longer polled, or null.
 */
export type Entry = "now" | "first time" | "ending" | "ok" | "null";
export const entries = {
  booting: {},
  // A launch waits for capacity of its engine only before its billing begins.
  active: { active_at: "first time", waits_until: "null", room_try_at: "null" },
  stopping: {},
  stopped: { waits_until: "null", room_try_at: "null" },
  terminating: { terminating_at: "now", ended_by: "ending" },
  // It never boots again, so its user data is released; the last instance of a launch deletes it (past-instances.ts).
  // That of a lost host was perhaps never terminating.
  terminated: {
    terminating_at: "first time",
    ended_by: "ending",
    terminated_at: "now",
    health: "ok",
    user_data_id: "null",
  },
} as const satisfies Record<State, Readonly<Record<string, Entry>>>;

/** The state that `action` leads to from `state`, or undefined if it is rejected. */
export function afterAction(state: State, action: InstanceAction): State | undefined {
  const row: Partial<Record<State, State>> = actions[action];
  return row[state];
}

/** The state that `observation` leads to from `state`, or undefined if it changes nothing. */
export function afterObservation(state: State, observation: Observation): State | undefined {
  const row: Partial<Record<State, State>> = observations[observation];
  return row[state];
}

/**
 * Whether the machine must be halted before `action` can complete: it is running, and must restart. The row has it
 * (`halt_first`) from the action until the observation `down`, or whichever comes instead.
 */
export function haltsFirst(state: State, action: InstanceAction): boolean {
  return action === "reboot" && isReady[state];
}

/** A table over all states, in their order. */
function eachState<T>(traitOf: (state: State) => T): Readonly<Record<State, T>> {
  // It has an entry for each state.
  return Object.fromEntries(states.map((state) => [state, traitOf(state)])) as Record<State, T>;
}

/** The states for which `table` is true, for use in SQL as `state = any($1)`. */
export function statesWhere(table: Readonly<Record<State, boolean>>): State[] {
  return states.filter((state) => table[state]);
}

/** The states that these actions or observations lead to from another one. */
export function statesEnteredBy(moves: Readonly<Record<string, Partial<Record<State, State>>>>): State[] {
  const entered = Object.values(moves).flatMap((row) =>
    states.flatMap((from) => (row[from] === undefined || row[from] === from ? [] : [row[from]])),
  );
  return states.filter((state) => entered.includes(state));
}

/** The state of this name; undefined for any other text, such as a state of a later version. */
export function stateNamed(word: string): State | undefined {
  return states.find((known) => known === word);
}

/** Narrows a stored word to a state. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asState(word: string): State {
  const state = stateNamed(word);
  if (state === undefined) throw new Error(`BUG: unknown instance state ${JSON.stringify(word)}`);
  return state;
}

/** Narrows a stored word to an ending. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asEnding(word: string): Ending {
  if (!Object.hasOwn(endings, word)) throw new Error(`BUG: unknown ending ${JSON.stringify(word)}`);
  return word as Ending; // it is a key of the table
}

export const healths = ["ok", "unreachable"] as const;
export type Health = (typeof healths)[number];
