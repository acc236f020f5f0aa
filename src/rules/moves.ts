// The phases of moving an instance to another host, as tables: what holds in each, and what leads from one to the next.
// A move is no state of the instance: it can be restarted, stopped and terminated meanwhile. For the rental and its SQL,
// the reconciler, the control interface and the console.
//
// Invariant: in each phase exactly one host is where the machine may run (`isOnTarget`). The database's CHECK knows the
// phases (moves.test.ts).

/** `failed` is the record of a move that was given up; the others are in progress. */
export const movePhases = ["copying", "moved", "removing-source", "removing-target", "failed"] as const;
export type MovePhase = (typeof movePhases)[number];

/** The first phase. */
export const initialMovePhase: MovePhase = "copying";

interface MoveTraits {
  /** The machine belongs to the new host; otherwise to the one it comes from. */
  readonly isOnTarget: boolean;
  /** Capacity is reserved on both hosts. */
  readonly holdsBoth: boolean;
  /** What the reconciler does at the engine: copies, or removes the copy that is not the machine. */
  readonly work: "copy" | "remove" | null;
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
}

export const moveTraits = {
  copying: {
    isOnTarget: false,
    holdsBoth: true,
    work: "copy",
    meaning: "Its disk is being copied; a restart takes effect when the copy is complete.",
  },
  moved: {
    isOnTarget: true,
    holdsBoth: true,
    work: null,
    meaning: "It starts only on its new host; the old copy stays until it has started there once.",
  },
  "removing-source": {
    isOnTarget: true,
    holdsBoth: true,
    work: "remove",
    meaning: "It has started on its new host, and the old copy is being removed.",
  },
  "removing-target": {
    isOnTarget: false,
    holdsBoth: true,
    work: "remove",
    meaning: "The move was given up, and what was copied is being removed.",
  },
  failed: {
    isOnTarget: false,
    holdsBoth: false,
    work: null,
    meaning: "The move was given up; the instance is where it was.",
  },
} as const satisfies Record<MovePhase, MoveTraits>;

/**
 * What happens to a move, and the phase that it leads to; "over": nothing of the move is left. A phase that is not listed
 * ignores it.
 */
export const moveObservations = {
  /** The machine is on the new host, complete. */
  copied: { copying: "moved" },
  /** The engine rejects the copy, or the machine ran while it was copied. */
  refused: { copying: "removing-target" },
  /** It was ready on the new host. */
  ready: { moved: "removing-source" },
  /** The engine has removed the copy that is not the machine. */
  removed: { "removing-source": "over", "removing-target": "failed" },
  /** The host it comes from was declared lost: an instance that was there has ended with it. */
  "source lost": {
    copying: "removing-target",
    moved: "over",
    "removing-source": "over",
    "removing-target": "removing-target",
    failed: "over",
  },
  /** The new host was declared lost. Before the first start there, the instance returns to where it was. */
  "target lost": {
    copying: "failed",
    moved: "failed",
    "removing-source": "removing-source",
    "removing-target": "failed",
    failed: "failed",
  },
} as const satisfies Record<string, Partial<Record<MovePhase, MovePhase | "over">>>;
export type MoveObservation = keyof typeof moveObservations;

/** The phase that it leads to, or undefined if it changes nothing. */
export function afterMoveObservation(phase: MovePhase, observation: MoveObservation): MovePhase | "over" | undefined {
  const row: Partial<Record<MovePhase, MovePhase | "over">> = moveObservations[observation];
  return row[phase];
}

/** The phases in which this holds, for SQL. */
export function phasesWhere(holds: (traits: MoveTraits) => boolean): MovePhase[] {
  return movePhases.filter((phase) => holds(moveTraits[phase]));
}

/** Narrows a stored word. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asMovePhase(word: string): MovePhase {
  const phase = movePhases.find((known) => known === word);
  if (phase === undefined) throw new Error(`BUG: unknown phase of a move ${JSON.stringify(word)}`);
  return phase;
}

/** How an operator empties a host that is draining. */
export const drainModes = ["wait", "move"] as const;
export type DrainMode = (typeof drainModes)[number];
/** The default. */
export const initialDrainMode: DrainMode = "wait";

export const drainModeMeanings = {
  wait: "its instances stay until their accounts or an operator end or move them",
  move: "stopped instances are moved to other hosts of the region as capacity allows, and running ones once they are stopped",
} as const satisfies Record<DrainMode, string>;

/** Narrows a stored word. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asDrainMode(word: string): DrainMode {
  const mode = drainModes.find((known) => known === word);
  if (mode === undefined) throw new Error(`BUG: unknown drain mode ${JSON.stringify(word)}`);
  return mode;
}
