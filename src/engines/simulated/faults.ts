// How the simulated world has faults: the failure kinds, as one table. A test (world.ts, `have faults`) or an operator (a
// row of simulated.faults) sets one for everything, a host or a machine, for one operation or all, for ever or for
// the next n calls. Ordinarily there are none.
//
// Made from it or held against it: the types, what `injectFaults` accepts, the table in docs/reference/faults.md, the tests of each
// kind, and the proofs of the reconciler (test/crash/steps.test.ts). To add one: a line in `kinds`. The engine applies them
// in the order in which they were set; the first that prevents the effect ends the call.

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

/** Everything a fault may be told besides its kind; which of it a kind heeds, its line says. */
export const parameters = {
  seconds: { meaning: "how long", type: "number" },
  code: { meaning: "the error's code", type: "string" },
  message: { meaning: "the error's words", type: "string" },
  copies: { meaning: "how often in all", type: "number" },
} as const satisfies Record<string, { meaning: string; type: "number" | "string" }>;
export type Parameter = keyof typeof parameters;

/** Those of one fault. Numbers are not negative. */
export type Parameters = {
  readonly [P in Parameter]?: (typeof parameters)[P]["type"] extends "number" ? number : string;
};

/** `lose`: the machine is taken out of the world. `untold`: the answer says so. `die`: its host does, or all do. */
export type Aftermath = "lose" | "untold" | "die" | "die all";

/** What a kind does to one call. */
export interface Effect {
  /** For the documents: what happens then. */
  readonly meaning: string;
  readonly heeds?: readonly Parameter[];
  /** The operation that is meant when none is named; otherwise every one is. */
  readonly usually?: Operation;
  /** Before the operation's effect, or instead of it: ends the call by throwing, or lies. */
  readonly instead?: (parameters: Parameters, signal: AbortSignal) => Promise<"lie" | undefined>;
  /** After the effect. */
  readonly after?: (parameters: Parameters, signal: AbortSignal) => Promise<Aftermath | undefined>;
  /** How long the machine takes to start or halt, in seconds; Infinity: for ever. */
  readonly takes?: (parameters: Parameters) => number;
  /** Meets no call, but what the engine reports of its own accord (`watch`, hints.ts). */
  readonly reports?: (parameters: Parameters) => ReportManner;
}

/** How a report of `watch` is given: so many times, and after those of the next milliseconds, the latest first. */
export interface ReportManner {
  readonly copies: number;
  readonly heldMs: number;
}

export const kinds = {
  refuses: {
    meaning: "The engine says that this will never work. Nothing happens.",
    heeds: ["code", "message"],
    instead: async (told) => {
      const message = told.message ?? "The simulated engine refuses.";
      throw new EngineError("refused", told.code ?? "simulated-refusal", message);
    },
  },
  unavailable: {
    meaning: "The engine is away. Nothing happens, and the caller cannot know that.",
    heeds: ["code", "message"],
    instead: async (told) => {
      throw new EngineError("unavailable", told.code ?? "simulated-outage", told.message ?? "The engine is away.");
    },
  },
  hangs: {
    meaning: "Nothing happens and no answer comes, until the caller gives up.",
    instead: (_told, signal) => never(signal),
  },
  "answers-late": {
    meaning:
      "It happens, and the answer comes late (1 second unless told): after the caller's deadline, if that is shorter.",
    heeds: ["seconds"],
    after: async (told, signal) => {
      await sleep((told.seconds ?? 1) * 1000, undefined, { signal });
      return undefined;
    },
  },
  "happens-late": {
    meaning: "It happens after a while (1 second unless told), also when the caller has given up long before.",
    heeds: ["seconds"],
    instead: async (told) => {
      await sleep((told.seconds ?? 1) * 1000);
      return undefined;
    },
  },
  "loses-answer": {
    meaning: "It happens, and the connection breaks before the answer.",
    after: async () => {
      throw new EngineError("unavailable", "answer-lost", "The connection broke before the answer.");
    },
  },
  lies: {
    meaning: "Says that it is done, that the machine runs. Nothing happens.",
    instead: async () => "lie",
  },
  "loses-machine": {
    meaning: "It happens, and then the machine is gone with its data.",
    after: async () => "lose",
  },
  "forgets-secrets": {
    meaning: "It happens, and the guest waits to be told its secrets.",
    after: async () => "untold",
  },
  "boots-slowly": {
    meaning: "The machine takes long to boot (60 seconds unless told).",
    heeds: ["seconds"],
    usually: "start",
    takes: (told) => told.seconds ?? 60,
  },
  "stops-slowly": {
    meaning: "The machine takes long to halt (60 seconds unless told).",
    heeds: ["seconds"],
    usually: "stop",
    takes: (told) => told.seconds ?? 60,
  },
  "never-boots": {
    meaning: "The machine boots for ever.",
    usually: "start",
    takes: () => Number.POSITIVE_INFINITY,
  },
  "never-stops": {
    meaning: "The machine ignores that it should halt.",
    usually: "stop",
    takes: () => Number.POSITIVE_INFINITY,
  },
  "repeats-reports": {
    meaning: "Tells of each change of a machine several times (3 unless told).",
    heeds: ["copies"],
    reports: (told) => ({ copies: told.copies ?? 3, heldMs: 0 }),
  },
  "reorders-reports": {
    meaning: "Keeps what it has to tell for a while (0.05 seconds unless told), and tells it in the wrong order.",
    heeds: ["seconds"],
    reports: (told) => ({ copies: 1, heldMs: (told.seconds ?? 0.05) * 1000 }),
  },
  "loses-reports": {
    meaning: "Tells of no change.",
    reports: () => ({ copies: 0, heldMs: 0 }),
  },
  "host-dies": {
    meaning: "It happens, and the machine's host is dead before it answers: it answers nothing until it is revived.",
    after: async () => "die",
  },
  "all-hosts-die": {
    meaning: "It happens, and every host is dead before it answers.",
    after: async () => "die all",
  },
} as const satisfies Record<string, Effect>;
export type Kind = keyof typeof kinds;

/** In the order of the table. */
export const kindNames = Object.keys(kinds) as readonly Kind[];

/** One fault as it is set. */
export interface Fault {
  readonly id: number;
  readonly kind: Kind;
  readonly parameters: Parameters;
}

/** What the kind does. Throws for one that is not in the table, which only an operator's own row can have. */
export function effectOf(fault: Fault): Effect {
  if (Object.hasOwn(kinds, fault.kind)) return kinds[fault.kind];
  const message = `simulated.faults has the unknown kind ${JSON.stringify(fault.kind)}; known: ${kindNames.join(", ")}.`;
  throw new EngineError("unavailable", "unknown-fault", message);
}

/** The kinds that meet no call. */
export const reportKinds = kindNames.filter((kind) => "reports" in kinds[kind]);

/** The seconds a start or halt takes when a fault decides; undefined: the usual ones. */
export function secondsBy(faults: readonly Fault[]): number | undefined {
  for (const fault of faults) {
    const seconds = effectOf(fault).takes?.(fault.parameters);
    if (seconds !== undefined) return seconds;
  }
  return undefined;
}

/** What is wrong with the parameters of such a fault, as a sentence; undefined: nothing. */
export function wrongParameters(kind: Kind, told: Parameters): string | undefined {
  const { heeds = [] }: Effect = kinds[kind];
  for (const [name, value] of Object.entries(told)) {
    const known = heeds.find((one) => one === name);
    if (known === undefined) return `${kind} does not heed ${name}; it heeds: ${heeds.join(", ") || "nothing"}.`;
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
