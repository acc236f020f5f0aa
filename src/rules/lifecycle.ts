// The life of an instance as one table: which wish leads where, which fact leads where, and what each does to the bill.
// Single source: the guards, the words every variant shows, the database CHECK, the tables in docs/interface.md and
// lifecycle.test.ts are made from it or held against it. Nobody writes a state's name in an `if` elsewhere.
// Source: decisions "Instance life"; specification, States and transitions.
//
// Terms. A wish is what a customer asks (stop, restart, terminate). A fact is what an engine reports. A wish is accepted
// or refused at once; the fact follows later, and only the reconciler records facts.

export const states = ["booting", "active", "stopping", "stopped", "terminating", "terminated"] as const;
export type State = (typeof states)[number];

export const initialState: State = "booting";

/** What a customer may ask, and the state that asking leads to. A state that is not listed refuses. */
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

/** What an engine reports, and the state it leads to. A state that is not listed ignores the fact. */
export const observations = {
  /** It runs, has an address and answers on its SSH port. */
  ready: { booting: "active" },
  /** It is down on its way through a reboot (`haltsFirst`), and may start now. */
  down: { booting: "booting" },
  /** It is halted: as wished, or by its own guest. */
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
 * What a wish or a fact does to the ledger, in the same transaction. Stopped time is billed, also where it was never
 * active, for it holds its capacity; so the bill begins at whatever leads to active or stopped first. `closes` does
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
  customer: "its account asked for it",
  operator: "its provider terminated it, for the reason that the event and the audit log state",
  "spend-limit": "the spend limit of its account or of the token that launched it was reached",
  lifetime: "its max_lifetime_seconds were over",
  failure: "it could not be brought up, or its machine is gone",
} as const;
export type Ending = keyof typeof endings;

/** Whether the instance still holds its capacity: from launch until the engine confirms removal. */
export const holdsCapacity = {
  booting: true,
  active: true,
  stopping: true,
  stopped: true,
  terminating: true,
  terminated: false,
} as const satisfies Record<State, boolean>;

/** Live for a customer: rented, and on the list of every variant. */
export const isLive = {
  booting: true,
  active: true,
  stopping: true,
  stopped: true,
  terminating: false,
  terminated: false,
} as const satisfies Record<State, boolean>;

/** Whether its machine may be running, so that somebody may be at a terminal on it. */
export const mayRun = {
  booting: true,
  active: true,
  stopping: true,
  stopped: false,
  terminating: false,
  terminated: false,
} as const satisfies Record<State, boolean>;

/** The state that `wish` leads to from `state`, or undefined where it is refused. */
export function afterAction(state: State, wish: InstanceAction): State | undefined {
  const row: Partial<Record<State, State>> = actions[wish];
  return row[state];
}

/** The state that `fact` leads to from `state`, or undefined where the fact changes nothing. */
export function afterObservation(state: State, fact: Observation): State | undefined {
  const row: Partial<Record<State, State>> = observations[fact];
  return row[state];
}

/**
 * Whether the machine has to be halted once before what `wish` leads to can come true: it runs, and is to start anew.
 * The row says so (`halt_first`) from the wish until the fact `down`, or any other fact or wish that comes instead.
 */
export function haltsFirst(state: State, wish: InstanceAction): boolean {
  return wish === "reboot" && state === "active";
}

/** The states for which `table` says yes, for use in SQL as `state = any($1)`. */
export function statesWhere(table: Record<State, boolean>): State[] {
  return states.filter((state) => table[state]);
}

/** Narrows a stored word to a state. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asState(word: string): State {
  const state = states.find((known) => known === word);
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
