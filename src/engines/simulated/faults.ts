// What the faults of the simulator do: a function for each kind of rules/simulator-faults.ts. An operator adds one
// (control interface, `lessor simulate`), or a test (`injectFaults` in database.ts), for everything, a host or a machine,
// for one operation or all, permanently or for the next n calls. There are none by default.
//
// The tests of each kind and the crash tests of the reconciler (test/crash/steps.test.ts) are made from the table. The
// engine applies faults in the order in which they were added; the first that prevents the effect ends the call.

import { setTimeout as sleep } from "node:timers/promises";
import { type HostFinding, healthCodeNamed, isHealthSeverity } from "../../rules/host-health.ts";
import { type FaultKind, type FaultParameters, faultKindNames } from "../../rules/simulator-faults.ts";
import { EngineError } from "../engine.ts";

/**
 * `lose`: the machine is deleted. `untold`: its secrets are reported as pending. `die`: its host becomes unreachable,
 * or all do.
 */
export type Aftermath = "lose" | "untold" | "die" | "die all";

/** What a kind does to a call. */
export interface Effect {
  /** Before the operation's effect, or instead of it: ends the call by throwing, or returns a false result. */
  readonly instead?: (parameters: FaultParameters, signal: AbortSignal) => Promise<"lie" | undefined>;
  readonly after?: (parameters: FaultParameters, signal: AbortSignal) => Promise<Aftermath | undefined>;
  /** How long the machine takes to start or halt, in seconds; Infinity: forever. */
  readonly takes?: (parameters: FaultParameters) => number;
  /** Applies to no call, but to the reports of `watch` (hints.ts). */
  readonly reports?: (parameters: FaultParameters) => ReportManner;
  /** Applies to no call, but to what is reported of hosts. */
  readonly finds?: (parameters: FaultParameters) => HostFinding;
  /** Applies to no call, but to what agents in guests report (guest.ts). */
  readonly reported?: (parameters: FaultParameters) => GuestManner;
  /** Applies to no call, but to validations of GPUs that begin: what the machine prints. */
  readonly prints?: ValidationOutput;
}

/** How a guest reports. `xid`: an error of a GPU, counted from 0. */
export interface GuestManner {
  readonly xid?: { readonly gpu: number; readonly xid: number };
  readonly isIdle?: true;
  readonly sends?: "nothing" | "garbage";
}

/** What the machine of a validation prints: a verdict, nothing, or what is none. */
export type ValidationOutput = "pass" | "warn" | "fail" | "nothing" | "garbage";

/** How a report of `watch` is sent: how often, and with a delay in milliseconds after which reports come latest first. */
export interface ReportManner {
  readonly copies: number;
  readonly heldMs: number;
}

const effects: Readonly<Record<FaultKind, Effect>> = {
  refuses: {
    instead: async (told) => {
      const message = told.message ?? "The simulated engine rejected the call.";
      throw new EngineError("refused", told.code ?? "simulated-refusal", message);
    },
  },
  unavailable: {
    instead: async (told) => {
      throw new EngineError(
        "unavailable",
        told.code ?? "simulated-outage",
        told.message ?? "The engine is unavailable.",
      );
    },
  },
  hangs: {
    instead: (_told, signal) => never(signal),
  },
  "answers-late": {
    after: async (told, signal) => {
      await sleep((told.seconds ?? 1) * 1000, undefined, { signal });
      return undefined;
    },
  },
  "happens-late": {
    instead: async (told) => {
      await sleep((told.seconds ?? 1) * 1000);
      return undefined;
    },
  },
  "loses-answer": {
    after: async () => {
      throw new EngineError("unavailable", "answer-lost", "The connection was lost before the response.");
    },
  },
  lies: {
    instead: async () => "lie",
  },
  "loses-machine": {
    after: async () => "lose",
  },
  "forgets-secrets": {
    after: async () => "untold",
  },
  "boots-slowly": {
    takes: (told) => told.seconds ?? 60,
  },
  "stops-slowly": {
    takes: (told) => told.seconds ?? 60,
  },
  "never-boots": {
    takes: () => Number.POSITIVE_INFINITY,
  },
  "never-stops": {
    takes: () => Number.POSITIVE_INFINITY,
  },
  "repeats-reports": {
    reports: (told) => ({ copies: told.copies ?? 3, heldMs: 0 }),
  },
  "reorders-reports": {
    reports: (told) => ({ copies: 1, heldMs: (told.seconds ?? 0.05) * 1000 }),
  },
  "loses-reports": {
    reports: () => ({ copies: 0, heldMs: 0 }),
  },
  "reports-finding": {
    finds: ({ code = "", severity = "", message = "Simulated." }) => ({
      code: healthCodeNamed(code) ?? "disk-space-low",
      severity: isHealthSeverity(severity) ? severity : "warning",
      message,
    }),
  },
  "guest-reports-xid": {
    reported: ({ xid = 79, gpu = 0 }) => ({ xid: { gpu, xid } }),
  },
  "guest-is-idle": {
    reported: () => ({ isIdle: true }),
  },
  "guest-is-silent": {
    reported: () => ({ sends: "nothing" }),
  },
  "guest-sends-garbage": {
    reported: () => ({ sends: "garbage" }),
  },
  "validation-fails": {
    prints: "fail",
  },
  "validation-warns": {
    prints: "warn",
  },
  "validation-hangs": {
    prints: "nothing",
  },
  "validation-prints-garbage": {
    prints: "garbage",
  },
  "host-dies": {
    after: async () => "die",
  },
  "all-hosts-die": {
    after: async () => "die all",
  },
};

/** A fault as stored. */
export interface Fault {
  readonly id: number;
  readonly kind: FaultKind;
  readonly parameters: FaultParameters;
}

/** The effect of the kind. Throws for an unknown one, which only a row written by hand can have. */
export function effectOf(fault: Fault): Effect {
  if (Object.hasOwn(effects, fault.kind)) return effects[fault.kind];
  const message = `simulated.faults has the unknown kind ${JSON.stringify(fault.kind)}; known: ${faultKindNames.join(", ")}.`;
  throw new EngineError("unavailable", "unknown-fault", message);
}

/** The seconds that a start or halt takes with these faults; undefined: the usual ones. */
export function secondsBy(faults: readonly Fault[]): number | undefined {
  for (const fault of faults) {
    const seconds = effectOf(fault).takes?.(fault.parameters);
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
