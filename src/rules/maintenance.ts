// Maintenance windows of hosts as tables: their phases and the transitions between them, what each mode does with the
// instances of the host, and the limits of their times. Every question about a window is answered here: for the rental
// and its SQL, the command line and the console.
//
// Invariant: no other file names a phase or a mode in a condition. The database's CHECKs are compared with these tables
// (maintenance.test.ts of rental/maintenance).

export const windowPhases = ["scheduled", "started", "ended", "canceled"] as const;
export type WindowPhase = (typeof windowPhases)[number];

/** The phase of a new window. */
export const initialPhase: WindowPhase = "scheduled";

interface PhaseTraits {
  /** It lies ahead or lasts: no other window of its host overlaps it, and its host's instances show it. */
  readonly isOpen: boolean;
  /** Its host is in maintenance. */
  readonly isInForce: boolean;
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
}

export const phaseTraits = {
  scheduled: { isOpen: true, isInForce: false, meaning: "It has not begun." },
  started: { isOpen: true, isInForce: true, meaning: "Its host is in maintenance." },
  ended: { isOpen: false, isInForce: false, meaning: "Its host returned to the state it had before, or was lost." },
  canceled: {
    isOpen: false,
    isInForce: false,
    meaning:
      "An operator canceled it before it began, or its host was gone, or the service did not run while it lasted.",
  },
} as const satisfies Record<WindowPhase, PhaseTraits>;

export const openPhases = windowPhases.filter((phase) => phaseTraits[phase].isOpen);
export const phasesInForce = windowPhases.filter((phase) => phaseTraits[phase].isInForce);
export const pastPhases = windowPhases.filter((phase) => !phaseTraits[phase].isOpen);

/** The phase that each action leads to. A phase that is not listed rejects it. */
export const windowActions = {
  /** Operators change everything of a window that has not begun, and the end of one that has. */
  reschedule: { scheduled: "scheduled" },
  "move-end": { scheduled: "scheduled", started: "started" },
  /** Customers move a window to later. */
  defer: { scheduled: "scheduled" },
  /** Its time has come. */
  begin: { scheduled: "started" },
  /** Its time is over, an operator ends it, or its host is lost. */
  end: { started: "ended" },
  cancel: { scheduled: "canceled" },
} as const satisfies Record<string, Partial<Record<WindowPhase, WindowPhase>>>;
export type WindowAction = keyof typeof windowActions;

/** The phase that `action` leads to from `phase`; undefined: it is rejected. */
export function afterWindowAction(phase: WindowPhase, action: WindowAction): WindowPhase | undefined {
  const row: Partial<Record<WindowPhase, WindowPhase>> = windowActions[action];
  return row[phase];
}

export const maintenanceModes = ["stop", "move", "nothing"] as const;
export type MaintenanceMode = (typeof maintenanceModes)[number];

interface ModeTraits {
  /** Its instances stop when the window begins, cannot start while it lasts, and start again when it ends. */
  readonly stopsInstances: boolean;
  /** Stopped instances move to other hosts, as capacity allows, and those that ran start again there at once. */
  readonly movesInstances: boolean;
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
}

export const modeTraits = {
  stop: {
    stopsInstances: true,
    movesInstances: false,
    meaning: "Instances on the host stop when the window begins, and those that ran start again when it ends.",
  },
  move: {
    stopsInstances: true,
    movesInstances: true,
    meaning:
      "Instances on the host stop when the window begins and move to other hosts of the region, where those that ran " +
      "start again; those that cannot move start again when it ends.",
  },
  nothing: { stopsInstances: false, movesInstances: false, meaning: "Instances on the host keep running." },
} as const satisfies Record<MaintenanceMode, ModeTraits>;

export const stoppingModes = maintenanceModes.filter((mode) => modeTraits[mode].stopsInstances);
export const movingModes = maintenanceModes.filter((mode) => modeTraits[mode].movesInstances);

/** Limits of the times of a window, in seconds. */
export const windowLimits = {
  /** From its begin to its end. */
  longest: 30 * 86_400,
  /** How far its begin, or the latest begin that customers can choose, may be ahead. */
  furthestAhead: 366 * 86_400,
  /** How far its begin may be in the past, so that a window can begin now although clocks differ. */
  latestBegin: 300,
  /** Until how long before its begin customers can defer it. */
  deferNotice: 600,
  /** By how much customers defer it at least, unless to the latest begin: all on the host are told of each time. */
  deferStep: 900,
} as const;

/** The hosts of one request. */
export const mostHostsAtOnce = 1000;

/** Narrows a stored word. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asWindowPhase(word: string): WindowPhase {
  const phase = windowPhases.find((known) => known === word);
  if (phase === undefined) throw new Error(`BUG: unknown phase of a maintenance window ${JSON.stringify(word)}`);
  return phase;
}

/** Narrows a stored word. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asMaintenanceMode(word: string): MaintenanceMode {
  const mode = maintenanceModes.find((known) => known === word);
  if (mode === undefined) throw new Error(`BUG: unknown mode of a maintenance window ${JSON.stringify(word)}`);
  return mode;
}
