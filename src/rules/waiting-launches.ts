// The states of a launch that waits until it can be placed, and what it can wait for. Used by rental/waiting, the
// control interface, the command line, the console and the documents; rental/waiting/states.test.ts compares the
// database's checks with it.
//
// waiting -> placed | expired | cancelled | refused. Only a waiting one changes.

/** One that is not over yet. */
export const waitingState = "waiting";

export const waitingLaunchMeanings = {
  waiting: "It is placed as soon as nothing blocks it, in order of arrival.",
  placed: "Its instances were launched.",
  expired: "It was not placed before the end of its wait.",
  cancelled: "Its account cancelled it.",
  refused: "It can no longer be placed, for the reason it shows.",
} as const;

export type WaitingLaunchState = keyof typeof waitingLaunchMeanings;

export const waitingLaunchStates = Object.keys(waitingLaunchMeanings) as WaitingLaunchState[]; // as declared

/** Whether it is not over. */
export function isWaiting(state: WaitingLaunchState): boolean {
  return state === waitingState;
}

/** How one that waited is over, by its event `launch.…`. */
export type WaitingLaunchEnd = Exclude<WaitingLaunchState, typeof waitingState>;

/** What keeps a launch from being placed. Only what capacity blocks holds its place before others: the fleet could serve it. */
export const blockerMeanings = {
  capacity: "No host has the capacity that it needs and that earlier launches do not wait for.",
  fleet: "No region has hosts for all of it, even if they were empty: it waits until hosts are added.",
  quota: "A quota of its account.",
  "spend-limit": "A spend limit of its account or its token, or the balance of its account.",
  price: "Its instance type costs more than the launch pays.",
} as const;

export type Blocker = keyof typeof blockerMeanings;

export const blockers = Object.keys(blockerMeanings) as Blocker[]; // as declared

/** That which holds its place: others behind it take nothing that it could use. */
export const holdingBlocker = "capacity" satisfies Blocker;

/** What its account's quota blocks: when that has room, in order of arrival. */
export const quotaBlocker = "quota" satisfies Blocker;

/** How one is over that has its instances. */
export const placedState = "placed" satisfies WaitingLaunchEnd;

/** As the operator sets them (lessor.yaml `limits.waiting_launches`). */
export interface WaitBounds {
  /** From the request to the end of the wait. */
  readonly mostDays: number;
  /** How many an account can have at once. */
  readonly perAccount: number;
  /** Whether accounts take turns, GPU by GPU, instead of being served in order of arrival. */
  readonly isFair: boolean;
}

export const waitBounds: WaitBounds = { mostDays: 30, perAccount: 1000, isFair: false };

export function asWaitingLaunchState(text: string): WaitingLaunchState {
  const known = waitingLaunchStates.find((state) => state === text);
  if (known === undefined) throw new Error(`BUG: a launch has the unknown state ${text}`);
  return known;
}

export function asBlocker(text: string): Blocker {
  const known = blockers.find((one) => one === text);
  if (known === undefined) throw new Error(`BUG: a launch is blocked by the unknown ${text}`);
  return known;
}
