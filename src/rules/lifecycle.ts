// The life of an instance as tables: what holds in each state, which action leads where, which observation leads where, what
// each does to the bill, and what entering a state writes. Everything that asks about a state asks here: rental, reconciler
// and their SQL, command line, console, agents.
//
// Invariant: no other file names a state in a condition, in TypeScript or in SQL (test/codebase/states.test.ts); what a
// variant calls a state is a total table of its own. The database CHECK, the tables in docs/reference/api/lifecycle.md and
// lifecycle.test.ts are made from these tables or held against them.
// Source: decisions "Instance life"; specification, States and transitions.
//
// Terms. An action is what a customer asks (stop, restart, terminate). An observation is what an engine reports. An action is
// accepted or rejected at once; the observation follows later, and only the reconciler records observations.

export const states = ["booting", "active", "stopping", "stopped", "terminating", "terminated"] as const;
export type State = (typeof states)[number];

/** Where every instance begins. */
export const initialState: State = "booting";
/** Where every instance ends. Nothing leads out of it, and nothing of the instance is left but its record. */
export const finalState: State = "terminated";

/** What holds in a state. */
interface Traits {
  /** Live for a customer: rented, and on the list of every variant. */
  readonly isLive: boolean;
  /** It still holds its capacity: from launch until the engine confirms removal. */
  readonly holdsCapacity: boolean;
  /** Its machine may be running, so that somebody may be at a terminal on it. */
  readonly mayRun: boolean;
  /** Its machine is on its way up: it has progress, and a deadline. */
  readonly isBooting: boolean;
  /** Its machine is up, so it can be used, and be found unreachable. */
  readonly isReady: boolean;
  /** It passes by itself; the other states last until somebody asks for something, or something goes wrong. */
  readonly isTransient: boolean;
  /** Its cost grows. Where it boots, only if that began before: the bill opens at what `bill` says. */
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
export const isTransient = eachState((state) => traits[state].isTransient);

/** Whether its cost grows. `wasActive`: it has been active before. */
export function isBilled(state: State, wasActive: boolean): boolean {
  const { isBilled: when }: Traits = traits[state];
  return when === "if it was active" ? wasActive : when;
}

/** What a customer may ask, and the state that asking leads to. A state that is not listed rejects it. */
export const actions = {
  stop: { booting: "stopping", active: "stopping", stopping: "stopping", stopped: "stopped" },
  restart: { stopped: "booting" },
  /** A restart in the lambda edition, unless the operator disables that (config `interfaces.lambda.restart_reboots`). */
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

/** What an engine reports, and the state it leads to. A state that is not listed ignores it. */
export const observations = {
  /** It runs, has an address and answers on its SSH port. */
  ready: { booting: "active" },
  /** It is down on its way through a reboot (`haltsFirst`), and may start now. */
  down: { booting: "booting" },
  /** It is halted: as asked, or by its own guest. */
  halted: { stopping: "stopped", active: "stopped" },
  /** A first boot failed for good: nothing was ever usable, so everything of it is removed. */
  launchFailed: { booting: "terminating", stopping: "terminating" },
  /** A later boot failed for good: the customer's data is kept. */
  startFailed: { booting: "stopped" },
  /** The engine answers, and no longer has it: its data is gone. */
  vanished: { booting: "terminating", active: "terminating", stopping: "terminating", stopped: "terminating" },
  /** The engine confirms that nothing of it is left. Only this frees its capacity. */
  removed: { terminating: "terminated" },
} as const satisfies Record<string, Partial<Record<State, State>>>;
export type Observation = keyof typeof observations;

/**
 * What an action or an observation does to the ledger, in the same transaction. Stopped time is billed, also where it was
 * never active, for it holds its capacity; so the bill begins at whatever leads to active or stopped first. `closes` does
 * nothing where no span was ever opened (a launch that failed or ended while it booted is never billed).
 */
export const bill = {
  ready: "opens if never opened",
  halted: "opens if never opened",
  startFailed: "opens if never opened",
  terminate: "closes",
  launchFailed: "closes",
  vanished: "closes",
} as const satisfies Partial<Record<InstanceAction | Observation, "opens if never opened" | "closes">>;

/** Why an instance was terminated, and what that word means. Written when it is, and never changed after. */
export const endings = {
  customer: "requested by its account",
  operator: "terminated by its provider, for the reason in the event and the audit log",
  "spend-limit": "the spend limit of its account or of its token was reached",
  lifetime: "its max_lifetime_seconds elapsed",
  failure: "it failed to start, or its machine was lost",
} as const;
export type Ending = keyof typeof endings;

/**
 * What entering a state writes into the row of the instance, beside the state itself: into each column the time, the time
 * unless it has one already, on whose behalf it ends, the health of what is no longer looked at, or nothing.
 */
export type Entry = "now" | "first time" | "ending" | "ok" | "null";
export const entries = {
  booting: {},
  active: { active_at: "first time" },
  stopping: {},
  stopped: {},
  terminating: { terminating_at: "now", ended_by: "ending" },
  // It never boots again, so it lets go of its user data; the last of a launch to do so deletes that (past-instances.ts).
  terminated: { terminated_at: "now", health: "ok", user_data_id: "null" },
} as const satisfies Record<State, Readonly<Record<string, Entry>>>;

/** The state that `action` leads to from `state`, or undefined where it is rejected. */
export function afterAction(state: State, action: InstanceAction): State | undefined {
  const row: Partial<Record<State, State>> = actions[action];
  return row[state];
}

/** The state that `observation` leads to from `state`, or undefined where it changes nothing. */
export function afterObservation(state: State, observation: Observation): State | undefined {
  const row: Partial<Record<State, State>> = observations[observation];
  return row[state];
}

/**
 * Whether the machine has to be halted once before what `action` leads to can come true: it runs, and is to start anew.
 * The row says so (`halt_first`) from the action until the observation `down`, or whatever else comes instead.
 */
export function haltsFirst(state: State, action: InstanceAction): boolean {
  return action === "reboot" && isReady[state];
}

/** A table over all states, in their order. */
function eachState<T>(traitOf: (state: State) => T): Readonly<Record<State, T>> {
  // It has an entry for each state.
  return Object.fromEntries(states.map((state) => [state, traitOf(state)])) as Record<State, T>;
}

/** The states for which `table` says yes, for use in SQL as `state = any($1)`. */
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

/** The state that the word names; undefined for any other word, such as one that only a later version knows. */
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
