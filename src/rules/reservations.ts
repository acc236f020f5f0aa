// The states of a reservation, the transitions between them, its bounds, and when its account is warned before its end.
// Used by rental/reservations, the control interface, the command line, the console and the documents;
// rental/reservations/states.test.ts compares the database's checks with it.
//
// scheduled -> active | cancelled | unfulfilled; active -> ended. Only one that is scheduled or active changes.

interface ReservationTraits {
  /** Hosts are promised to it. */
  readonly isOpen: boolean;
  /** It is billed, and instances are launched with it. */
  readonly isInForce: boolean;
  /** It is over, and was never billed. */
  readonly isWithoutCost: boolean;
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
}

export const reservationTraits = {
  scheduled: {
    isOpen: true,
    isInForce: false,
    isWithoutCost: false,
    meaning: "It has not begun; its capacity is promised to it.",
  },
  active: {
    isOpen: true,
    isInForce: true,
    isWithoutCost: false,
    meaning: "Launches can use it, and it is billed, used or not.",
  },
  ended: { isOpen: false, isInForce: false, isWithoutCost: false, meaning: "It lasted until its end." },
  cancelled: {
    isOpen: false,
    isInForce: false,
    isWithoutCost: true,
    meaning: "It was cancelled before it began, and costs nothing.",
  },
  unfulfilled: {
    isOpen: false,
    isInForce: false,
    isWithoutCost: true,
    meaning: "It could not begin, because hosts failed, and costs nothing.",
  },
} as const satisfies Record<string, ReservationTraits>;

export type ReservationState = keyof typeof reservationTraits;

export const reservationStates = Object.keys(reservationTraits) as ReservationState[]; // as declared

export const openReservationStates = reservationStates.filter((state) => reservationTraits[state].isOpen);
export const reservationStatesInForce = reservationStates.filter((state) => reservationTraits[state].isInForce);

/** The state of one that has not begun. */
export const scheduledReservation = "scheduled" satisfies ReservationState;

/** The state that each action leads to. One that is not listed rejects it. */
export const reservationActions = {
  /** Its time has come, and all of its capacity is there. */
  begin: { scheduled: "active" },
  /** Its time has come, and capacity is missing for too long. */
  fail: { scheduled: "unfulfilled" },
  end: { active: "ended" },
  cancel: { scheduled: "cancelled" },
} as const satisfies Record<string, Partial<Record<ReservationState, ReservationState>>>;
export type ReservationAction = keyof typeof reservationActions;

/** The state that `action` leads to from `state`; undefined: it is rejected. */
export function afterReservationAction(
  state: ReservationState,
  action: ReservationAction,
): ReservationState | undefined {
  const row: Partial<Record<ReservationState, ReservationState>> = reservationActions[action];
  return row[state];
}

/** Its account is warned so many seconds before the end, if it lasts longer than that. The earliest first. */
export const endWarnings = [3600, 600] as const;

/** The warning that is due so many seconds before the end, of one that lasts for so many; undefined: none is. */
export function warningDue(secondsLeft: number, lastsSeconds: number): number | undefined {
  return endWarnings.findLast((before) => secondsLeft <= before && lastsSeconds > before);
}

/** As the operator sets them (lessor.yaml `limits.reservations`). */
export interface ReservationBounds {
  /** From now to its begin. */
  readonly mostDaysAhead: number;
  readonly longestDays: number;
  readonly shortestMinutes: number;
  /** How many an account can have that are not over. */
  readonly perAccount: number;
  /** So many hours before its begin it can no longer be cancelled. */
  readonly cancelNoticeHours: number;
}

export const reservationBounds: ReservationBounds = {
  mostDaysAhead: 90,
  longestDays: 90,
  shortestMinutes: 60,
  perAccount: 100,
  cancelNoticeHours: 0,
};

/** What follows from capacity that is missing while a reservation is active. */
export const undeliveredPolicies = ["credit", "none"] as const;
export type UndeliveredPolicy = (typeof undeliveredPolicies)[number];

/** As the operator sets them (lessor.yaml `reservations`). */
export interface ReservationSettings {
  readonly unfulfilled: UndeliveredPolicy;
  /** What is missing for longer counts: it is credited, or the reservation does not begin at all. */
  readonly toleranceSeconds: number;
  /** What hosts need between two customers, to remove machines and to reset GPUs. */
  readonly handoverSeconds: number;
}

export const reservationSettings: ReservationSettings = {
  unfulfilled: "credit",
  toleranceSeconds: 900,
  handoverSeconds: 900,
};

/** Narrows a stored word. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asReservationState(word: string): ReservationState {
  const state = reservationStates.find((known) => known === word);
  if (state === undefined) throw new Error(`BUG: unknown state of a reservation ${JSON.stringify(word)}`);
  return state;
}
