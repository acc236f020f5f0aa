// The lifecycle of a host as tables: the properties of each state, and the transitions of operators' actions. Every
// question about the state of a host is answered here: for the rental and its SQL, metrics, the command line and the
// console.
//
// What operators decide is the mode of a host; whether its engine reports it as available is a fact of its own. A
// host's state is its mode while it is available, and `unreachable` while it is not: so it returns to what was decided.
// A lost host stays lost, available or not, until the resync has found nothing of ended rentals on it.
// The database makes the state from both (hosts.state); host-lifecycle.test.ts compares its CHECK and expression with
// these tables, and the table in docs/reference/api/lifecycle.md is made from them.

/** What operators decide. */
export const hostModes = ["up", "cordoned", "draining", "lost"] as const;
export type HostMode = (typeof hostModes)[number];

export const hostStates = [...hostModes, "unreachable"] as const;
export type HostState = (typeof hostStates)[number];

/** The mode of a new host. */
export const initialHostMode: HostMode = "up";
/** The mode of a host that is gone. */
export const lostMode: HostMode = "lost";

interface HostTraits {
  /** New instances are placed on it. */
  readonly acceptsInstances: boolean;
  /** An operator has decided so. */
  readonly isDecided: boolean;
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
}

export const hostTraits = {
  up: { acceptsInstances: true, isDecided: false, meaning: "It accepts new instances." },
  cordoned: {
    acceptsInstances: false,
    isDecided: true,
    meaning: "It accepts no new instances; existing ones keep running.",
  },
  draining: {
    acceptsInstances: false,
    isDecided: true,
    meaning: "As cordoned, and its operator waits until no instance is left on it.",
  },
  lost: {
    acceptsInstances: false,
    isDecided: true,
    meaning:
      "An operator declared that it is gone, and its instances ended. If it returns, what it still runs is removed, " +
      "and it is cordoned.",
  },
  unreachable: {
    acceptsInstances: false,
    isDecided: false,
    meaning: "Its engine does not report it as available; it returns to the state it had before.",
  },
} as const satisfies Record<HostState, HostTraits>;

/** The mode that each action leads to. A mode that is not listed rejects it. */
export const hostActions = {
  cordon: { up: "cordoned", cordoned: "cordoned", draining: "cordoned" },
  uncordon: { up: "up", cordoned: "up", draining: "up" },
  drain: { up: "draining", cordoned: "draining", draining: "draining" },
  /** Of a host that its engine does not reach; confirmed in a second step, because it ends instances. */
  "declare-lost": { up: "lost", cordoned: "lost", draining: "lost" },
  /** Of the resync: the lost host is reached again, and nothing of ended rentals is on it. */
  return: { lost: "cordoned" },
} as const satisfies Record<string, Partial<Record<HostMode, HostMode>>>;
export type HostAction = keyof typeof hostActions;

/** Actions of an operator that end nothing, and so take one step. */
export const hostDecisions = ["cordon", "uncordon", "drain"] as const satisfies readonly HostAction[];
export type HostDecision = (typeof hostDecisions)[number];

/** The mode that `action` leads to from `mode`; undefined: it is rejected. */
export function afterHostAction(mode: HostMode, action: HostAction): HostMode | undefined {
  const row: Partial<Record<HostMode, HostMode>> = hostActions[action];
  return row[mode];
}

/** The state of a host of this mode. */
export function hostStateOf(mode: HostMode, isAvailable: boolean): HostState {
  return isAvailable || mode === lostMode ? mode : "unreachable";
}

/** The states in which new instances are placed on a host. */
export const acceptingStates: readonly HostState[] = hostStates.filter((state) => hostTraits[state].acceptsInstances);

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
