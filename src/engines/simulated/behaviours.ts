// How the simulated world misbehaves: named variants that a test or an operator sets for everything, a host or a
// machine, for one operation or all, for ever or for the next n calls. Ordinarily there are none.
//
// To add one: a line in `kinds`, saying what it does instead of, before or after the operation's effect. The engine
// applies them in the order in which they were set; the first that prevents the effect ends the call.

import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../engine.ts";

export type Operation =
  | "hosts"
  | "create"
  | "start"
  | "stop"
  | "remove"
  | "inspect"
  | "list"
  | "remove-file-system"
  | "console-log"
  | "open-terminal";

/** What a behaviour may be told besides its kind. */
export interface Parameters {
  /** How long: for `answers-late`, `boots-slowly`, `stops-slowly`. */
  readonly seconds?: number;
  /** The EngineError's code and message, for `refuses` and `unavailable`. */
  readonly code?: string;
  readonly message?: string;
}

/** What a behaviour does to one call. */
export interface Effect {
  /** Instead of the operation's effect: ends the call by throwing, or lies. */
  readonly instead?: (parameters: Parameters, signal: AbortSignal) => Promise<"lie">;
  /** After the effect. `lose` takes the machine out of the world. */
  readonly after?: (parameters: Parameters, signal: AbortSignal) => Promise<"lose" | undefined>;
  /** How long the machine takes to start or halt, in seconds; Infinity: for ever. */
  readonly takes?: (parameters: Parameters) => number;
}

export const kinds = {
  /** This will never work. */
  refuses: {
    instead: async (told) => {
      throw new EngineError(
        "refused",
        told.code ?? "simulated-refusal",
        told.message ?? "The simulated engine refuses.",
      );
    },
  },
  /** Nothing happens, and nobody knows. */
  unavailable: {
    instead: async (told) => {
      throw new EngineError("unavailable", told.code ?? "simulated-outage", told.message ?? "The engine is away.");
    },
  },
  /** Nothing happens and no answer comes, until the caller gives up. */
  hangs: { instead: (_told, signal) => never(signal) },
  /** It happens, and the answer comes late. */
  "answers-late": {
    after: async (told, signal) => {
      await sleep((told.seconds ?? 1) * 1000, undefined, { signal });
      return undefined;
    },
  },
  /** It happens, and the answer is lost. */
  "loses-answer": {
    after: async () => {
      throw new EngineError("unavailable", "answer-lost", "The connection broke before the answer.");
    },
  },
  /** Says that it is done, that the machine runs; nothing happens. */
  lies: { instead: async () => "lie" },
  /** It happens, and then the machine is gone with its data. */
  "loses-machine": { after: async () => "lose" },
  "boots-slowly": { takes: (told) => told.seconds ?? 60 },
  "stops-slowly": { takes: (told) => told.seconds ?? 60 },
  "never-boots": { takes: () => Number.POSITIVE_INFINITY },
  "never-stops": { takes: () => Number.POSITIVE_INFINITY },
} as const satisfies Record<string, Effect>;
export type Kind = keyof typeof kinds;

/** The operation that a kind means when none is named. */
export const usualOperation: Partial<Record<Kind, Operation>> = {
  "boots-slowly": "start",
  "never-boots": "start",
  "stops-slowly": "stop",
  "never-stops": "stop",
};

/** One behaviour as it is set. */
export interface Behaviour {
  readonly id: number;
  readonly kind: Kind;
  readonly parameters: Parameters;
}

/** What the kind does. */
export function effectOf(behaviour: Behaviour): Effect {
  return kinds[behaviour.kind];
}

/** The seconds a start or halt takes when a behaviour decides; undefined: the usual ones. */
export function secondsBy(behaviours: readonly Behaviour[]): number | undefined {
  for (const behaviour of behaviours) {
    const seconds = effectOf(behaviour).takes?.(behaviour.parameters);
    if (seconds !== undefined) return seconds;
  }
  return undefined;
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
  });
}
