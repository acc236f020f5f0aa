// The lifecycle of a host as tables: the properties of each state, and the transitions of operators' actions. Every
// question about the state of a host is answered here: for the rental and its SQL, metrics, the command line and the
// console.
//
// What operators decide is the mode of a host; whether its engine reports it as available is a fact of its own. A
// host's state is its mode while it is available, and `unreachable` while it is not: so it returns to what was decided.
// A lost host stays lost, available or not, until the resync has found nothing of ended rentals on it. A maintenance
// window (maintenance.ts) has a mode of its own while it lasts, after which the host returns to the mode before.
// The database makes the state from both (hosts.state); host-lifecycle.test.ts compares its CHECK and expression with
// these tables, and the table in docs/reference/api/lifecycle.md is made from them.

/** What operators decide. */
export const hostModes = ["up", "cordoned", "draining", "maintenance", "lost"] as const;
export type HostMode = (typeof hostModes)[number];

export const hostStates = [...hostModes, "unreachable"] as const;
export type HostState = (typeof hostStates)[number];

/** The mode of a new host. */
export const initialHostMode: HostMode = "up";
/** The mode of a host while one of its maintenance windows lasts. */
export const maintenanceMode: HostMode = "maintenance";
/** The mode of a host that is gone. */
export const lostMode: HostMode = "lost";

interface HostTraits {
  /** New instances are placed on it. */
  readonly acceptsInstances: boolean;
  /** Its engine reaches it, so that it can be worked on. */
  readonly isReached: boolean;
  /** An operator has decided so. */
  readonly isDecided: boolean;
  /** It is emptied, or worked on: the service begins no machine of its own on it. */
  readonly isEmptied: boolean;
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
}

export const hostTraits = {
  up: {
    acceptsInstances: true,
    isReached: true,
    isDecided: false,
    isEmptied: false,
    meaning: "It accepts new instances.",
  },
  cordoned: {
    acceptsInstances: false,
    isReached: true,
    isDecided: true,
    isEmptied: false,
    meaning: "It accepts no new instances; existing ones keep running.",
  },
  draining: {
    acceptsInstances: false,
    isReached: true,
    isDecided: true,
    isEmptied: true,
    meaning: "As cordoned, and it is emptied: its operator waits, or its stopped instances move to other hosts.",
  },
  maintenance: {
    acceptsInstances: false,
    isReached: true,
    isDecided: true,
    isEmptied: true,
    meaning: "A maintenance window of it lasts; when that ends, it returns to the state it had before.",
  },
  lost: {
    acceptsInstances: false,
    isReached: false,
    isDecided: true,
    isEmptied: false,
    meaning:
      "An operator declared that it is gone, and its instances ended. If it returns, what it still runs is removed, " +
      "and it is cordoned.",
  },
  unreachable: {
    acceptsInstances: false,
    isReached: false,
    isDecided: false,
    isEmptied: false,
    meaning: "Its engine cannot reach it; once it can, the host returns to the state it had before.",
  },
} as const satisfies Record<HostState, HostTraits>;

/** Instead of a mode: the one that the host had before its maintenance. */
export const asBefore = "as before";

/** The mode that each action leads to. A mode that is not listed rejects it. */
export const hostActions = {
  cordon: { up: "cordoned", cordoned: "cordoned", draining: "cordoned" },
  uncordon: { up: "up", cordoned: "up", draining: "up" },
  drain: { up: "draining", cordoned: "draining", draining: "draining" },
  /** Of the service: a maintenance window of the host begins, and ends. */
  "begin-maintenance": { up: "maintenance", cordoned: "maintenance", draining: "maintenance" },
  "end-maintenance": { maintenance: asBefore },
  /** Of a host that its engine does not reach; confirmed in a second step, because it ends instances. */
  "declare-lost": { up: "lost", cordoned: "lost", draining: "lost", maintenance: "lost" },
  /** Of the resync: the lost host is reached again, and nothing of ended rentals is on it. */
  return: { lost: "cordoned" },
} as const satisfies Record<string, Partial<Record<HostMode, HostMode | typeof asBefore>>>;
export type HostAction = keyof typeof hostActions;

/** The mode of a host that is emptied. */
export const drainingMode: HostMode = hostActions.drain.up;

/** Actions of an operator that end nothing, and so take one step. */
export const hostDecisions = ["cordon", "uncordon", "drain"] as const satisfies readonly HostAction[];
export type HostDecision = (typeof hostDecisions)[number];

/** The modes in which a maintenance window can begin, and so those to which a host returns from it. */
export const modesBeforeMaintenance: readonly HostMode[] = hostModes.filter(
  (mode) => mode in hostActions["begin-maintenance"],
);

/** The mode that `action` leads to from `mode`; undefined: it is rejected. `before`: its mode before its maintenance. */
export function afterHostAction(
  mode: HostMode,
  action: HostAction,
  before: HostMode = initialHostMode,
): HostMode | undefined {
  const row: Partial<Record<HostMode, HostMode | typeof asBefore>> = hostActions[action];
  const after = row[mode];
  return after === asBefore ? before : after;
}

/** The state of a host of this mode. */
export function hostStateOf(mode: HostMode, isAvailable: boolean): HostState {
  return isAvailable || mode === lostMode ? mode : "unreachable";
}

/** The states in which new instances are placed on a host. */
export const acceptingStates: readonly HostState[] = hostStates.filter((state) => hostTraits[state].acceptsInstances);

/** The states in which a host is emptied, or worked on. */
export const emptiedStates: readonly HostState[] = hostStates.filter((state) => hostTraits[state].isEmptied);

/** The states in which its engine reaches a host. */
export const reachedStates: readonly HostState[] = hostStates.filter((state) => hostTraits[state].isReached);

/** The state of this name; undefined for any other text, such as a state of a later version. */
export function hostStateNamed(word: string): HostState | undefined {
  return hostStates.find((known) => known === word);
}

/** Narrows a stored word. Throws "BUG: …" for any other, which the database makes impossible. */
export function asHostState(word: string): HostState {
  const state = hostStateNamed(word);
  if (state === undefined) throw new Error(`BUG: unknown host state ${JSON.stringify(word)}`);
  return state;
}

/** Narrows a stored word. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asHostMode(word: string): HostMode {
  const mode = hostModes.find((known) => known === word);
  if (mode === undefined) throw new Error(`BUG: unknown host mode ${JSON.stringify(word)}`);
  return mode;
}
