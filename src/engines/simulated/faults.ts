// The faults of the simulator, as one table. A test (`injectFaults` in database.ts) or an operator (a row of
// simulated.faults) adds one for everything, a host or a machine, for one operation or all, permanently or for the next
// n calls. There are none by default.
//
// Derived from it or tested against it: the types, what `injectFaults` accepts, the table in docs/reference/faults.md,
// the tests of each kind, and the crash tests of the reconciler (test/crash/steps.test.ts). A new fault is an entry in
// `kinds`. The engine applies faults in the order in which they were added; the first that prevents the effect ends the
// call.

import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../engine.ts";

export const operations = [
  "hosts",
  "create",
  "start",
  "stop",
  "remove",
  "inspect",
  "list",
  "set-inbound",
  "remove-file-system",
  "console-log",
  "open-terminal",
] as const;
export type Operation = (typeof operations)[number];

/** All parameters of faults; `heeds` of a kind lists those that it uses. */
export const parameters = {
  seconds: { meaning: "how long", type: "number" },
  code: { meaning: "the error's code", type: "string" },
  message: { meaning: "the error's message", type: "string" },
  copies: { meaning: "how often in total", type: "number" },
} as const satisfies Record<string, { meaning: string; type: "number" | "string" }>;
export type Parameter = keyof typeof parameters;

/** The parameters of one fault. Numbers are not negative. */
export type Parameters = {
  readonly [P in Parameter]?: (typeof parameters)[P]["type"] extends "number" ? number : string;
};

/**
 * `lose`: the machine is deleted. `untold`: its secrets are reported as pending. `die`: its host becomes unreachable,
 * or all do.
 */
export type Aftermath = "lose" | "untold" | "die" | "die all";

/** What a kind does to a call. */
export interface Effect {
  /** For the documentation. */
  readonly meaning: string;
  readonly heeds?: readonly Parameter[];
  /** The default operation; undefined: all. */
  readonly usually?: Operation;
  /** Before the operation's effect, or instead of it: ends the call by throwing, or returns a false result. */
  readonly instead?: (parameters: Parameters, signal: AbortSignal) => Promise<"lie" | undefined>;
  readonly after?: (parameters: Parameters, signal: AbortSignal) => Promise<Aftermath | undefined>;
  /** How long the machine takes to start or halt, in seconds; Infinity: forever. */
  readonly takes?: (parameters: Parameters) => number;
  /** Applies to no call, but to the reports of `watch` (hints.ts). */
  readonly reports?: (parameters: Parameters) => ReportManner;
}

/** How a report of `watch` is sent: how often, and with a delay in milliseconds after which reports come latest first. */
export interface ReportManner {
  readonly copies: number;
  readonly heldMs: number;
}

export const kinds = {
  refuses: {
    meaning: "The engine rejects the call permanently. Nothing happens.",
    heeds: ["code", "message"],
    instead: async (told) => {
      const message = told.message ?? "The simulated engine rejected the call.";
      throw new EngineError("refused", told.code ?? "simulated-refusal", message);
    },
  },
  unavailable: {
    meaning: "The engine is unavailable. Nothing happens, and the caller cannot know that.",
    heeds: ["code", "message"],
    instead: async (told) => {
      throw new EngineError(
        "unavailable",
        told.code ?? "simulated-outage",
        told.message ?? "The engine is unavailable.",
      );
    },
  },
  hangs: {
    meaning: "Nothing happens, and no response comes until the caller times out.",
    instead: (_told, signal) => never(signal),
  },
  "answers-late": {
    meaning:
      "It happens, and the response comes late (default: 1 second): after the caller's deadline, if that is shorter.",
    heeds: ["seconds"],
    after: async (told, signal) => {
      await sleep((told.seconds ?? 1) * 1000, undefined, { signal });
      return undefined;
    },
  },
  "happens-late": {
    meaning: "It happens after a delay (default: 1 second), also if the caller has timed out.",
    heeds: ["seconds"],
    instead: async (told) => {
      await sleep((told.seconds ?? 1) * 1000);
      return undefined;
    },
  },
  "loses-answer": {
    meaning: "It happens, and the connection is lost before the response.",
    after: async () => {
      throw new EngineError("unavailable", "answer-lost", "The connection was lost before the response.");
    },
  },
  lies: {
    meaning: "Reports success and a running machine. Nothing happens.",
    instead: async () => "lie",
  },
  "loses-machine": {
    meaning: "It happens, and then the machine and its data are lost.",
    after: async () => "lose",
  },
  "forgets-secrets": {
    meaning: "It happens, and the guest's secrets stay pending.",
    after: async () => "untold",
  },
  "boots-slowly": {
    meaning: "The machine boots slowly (default: 60 seconds).",
    heeds: ["seconds"],
    usually: "start",
    takes: (told) => told.seconds ?? 60,
  },
  "stops-slowly": {
    meaning: "The machine halts slowly (default: 60 seconds).",
    heeds: ["seconds"],
    usually: "stop",
    takes: (told) => told.seconds ?? 60,
  },
  "never-boots": {
    meaning: "The machine never finishes booting.",
    usually: "start",
    takes: () => Number.POSITIVE_INFINITY,
  },
  "never-stops": {
    meaning: "The machine ignores the request to halt.",
    usually: "stop",
    takes: () => Number.POSITIVE_INFINITY,
  },
  "repeats-reports": {
    meaning: "Reports each change of a machine several times (default: 3).",
    heeds: ["copies"],
    reports: (told) => ({ copies: told.copies ?? 3, heldMs: 0 }),
  },
  "reorders-reports": {
    meaning: "Delays reports (default: 0.05 seconds) and sends them in the wrong order.",
    heeds: ["seconds"],
    reports: (told) => ({ copies: 1, heldMs: (told.seconds ?? 0.05) * 1000 }),
  },
  "loses-reports": {
    meaning: "Reports no change.",
    reports: () => ({ copies: 0, heldMs: 0 }),
  },
  "host-dies": {
    meaning: "It happens, and the machine's host fails before the response: it does not respond until it is revived.",
    after: async () => "die",
  },
  "all-hosts-die": {
    meaning: "It happens, and every host fails before the response.",
    after: async () => "die all",
  },
} as const satisfies Record<string, Effect>;
export type Kind = keyof typeof kinds;

/** In the order of the table. */
export const kindNames = Object.keys(kinds) as readonly Kind[];

/** A fault as stored. */
export interface Fault {
  readonly id: number;
  readonly kind: Kind;
  readonly parameters: Parameters;
}

/** The effect of the kind. Throws for an unknown one, which only an operator's own row can have. */
export function effectOf(fault: Fault): Effect {
  if (Object.hasOwn(kinds, fault.kind)) return kinds[fault.kind];
  const message = `simulated.faults has the unknown kind ${JSON.stringify(fault.kind)}; known: ${kindNames.join(", ")}.`;
  throw new EngineError("unavailable", "unknown-fault", message);
}

/** The kinds that apply to no call. */
export const reportKinds = kindNames.filter((kind) => "reports" in kinds[kind]);

/** The seconds that a start or halt takes with these faults; undefined: the usual ones. */
export function secondsBy(faults: readonly Fault[]): number | undefined {
  for (const fault of faults) {
    const seconds = effectOf(fault).takes?.(fault.parameters);
    if (seconds !== undefined) return seconds;
  }
  return undefined;
}

/** What is wrong with the parameters of a fault, as a sentence; undefined: nothing. */
export function wrongParameters(kind: Kind, told: Parameters): string | undefined {
  const { heeds = [] }: Effect = kinds[kind];
  for (const [name, value] of Object.entries(told)) {
    const known = heeds.find((one) => one === name);
    if (known === undefined) return `${kind} has no parameter ${name}; parameters: ${heeds.join(", ") || "none"}.`;
    const { type } = parameters[known];
    if (typeof value !== type) return `${name} must be a ${type}.`;
    if (typeof value === "number" && !(value >= 0)) return `${name} must not be negative.`;
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
