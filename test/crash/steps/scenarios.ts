// What the proof of the reconciler's steps is made of: every operation × every failure kind of the simulated engine × every
// call that the failure may meet. Where in it a step is disturbed, and how, is added by cases.ts.

import type { Failpoint } from "../../../src/reconciler/failpoints.ts";
import type { ReconcilerSettings } from "../../../src/reconciler/settings.ts";
import type { InstanceAction, State } from "../../../src/rules/lifecycle.ts";
import {
  type FaultKind,
  type FaultKindFacts,
  faultKindNames,
  faultKinds,
  isOfNoCall,
} from "../../../src/rules/simulator-faults.ts";

/** An engine call that every run of an operation makes. */
type EngineCall = "inspect" | "create" | "start" | "stop" | "remove" | "set-inbound" | "move" | "remove-copy";

export interface Operation {
  readonly name: string;
  /** Where the instance is when the trouble begins; undefined: it is launched then. */
  readonly from: "active" | "stopped" | undefined;
  /** What is wished then; undefined: the launch is all. */
  readonly wish: InstanceAction | undefined;
  /** The account's firewall rules are changed then, and the machine has them in the end. */
  readonly rules?: true;
  /** It is moved then, to another host. */
  readonly moves?: true;
  /** The wish comes while a worker is about to pass this point, and not at rest. */
  readonly during?: Failpoint;
  readonly calls: readonly EngineCall[];
  readonly target: State;
}

export const operations: readonly Operation[] = [
  { name: "launch", from: undefined, wish: undefined, calls: ["create", "start"], target: "active" },
  { name: "stop", from: "active", wish: "stop", calls: ["inspect", "stop"], target: "stopped" },
  { name: "restart", from: "stopped", wish: "restart", calls: ["inspect", "start"], target: "active" },
  { name: "reboot", from: "active", wish: "reboot", calls: ["inspect", "stop", "start"], target: "active" },
  { name: "terminate", from: "active", wish: "terminate", calls: ["remove"], target: "terminated" },
  {
    name: "change its firewall rules",
    from: "active",
    wish: undefined,
    rules: true,
    calls: ["inspect", "set-inbound"],
    target: "active",
  },
  {
    name: "stop while it is being made",
    from: undefined,
    wish: "stop",
    during: "create",
    calls: ["create", "stop"],
    target: "stopped",
  },
  {
    name: "terminate while it becomes active",
    from: undefined,
    wish: "terminate",
    during: "ready",
    calls: ["start", "remove"],
    target: "terminated",
  },
  { name: "move", from: "stopped", wish: undefined, moves: true, calls: ["inspect", "move"], target: "stopped" },
  {
    name: "restart while it is moved",
    from: "stopped",
    wish: "restart",
    moves: true,
    during: "move",
    calls: ["move", "start", "remove-copy"],
    target: "active",
  },
  {
    name: "terminate while it is moved",
    from: "stopped",
    wish: "terminate",
    moves: true,
    during: "moved",
    calls: ["move", "remove"],
    target: "terminated",
  },
];

/** How a kind is tried. */
interface Trial {
  readonly parameters?: { readonly seconds?: number; readonly copies?: number };
  /** How many calls it meets; 0: all until it is repaired. */
  readonly times: number;
  /** The lawful ends besides the operation's target without a failure: state, and failure code or "-". */
  readonly ends?: readonly string[];
  readonly settings?: Partial<ReconcilerSettings>;
  /** It takes the machine out of the world, or lets work be done twice that was done late. */
  readonly loses?: true;
}

/** Calls are given up, and leases renewed, while the call is still under way. */
const impatient = { engineCallSeconds: 0.25, leaseSeconds: 0.3 };

/** Each kind has its trial, so a new kind without one does not compile. */
const trials: Record<FaultKind, Trial> = {
  refuses: { times: 1, ends: ["terminated simulated-refusal", "stopped simulated-refusal"] },
  unavailable: { times: 1 },
  hangs: { times: 1, settings: impatient },
  "answers-late": { times: 1, parameters: { seconds: 0.35 }, settings: impatient },
  "happens-late": { times: 1, parameters: { seconds: 0.35 }, settings: impatient, loses: true },
  "loses-answer": { times: 1 },
  // What is believed to run, and does not, is found by the sweep: halted, or gone.
  lies: { times: 1, ends: ["stopped -", "terminated machine-lost"] },
  "loses-machine": { times: 1, ends: ["terminated machine-lost"], loses: true },
  "forgets-secrets": { times: 1 },
  "boots-slowly": { times: 1, parameters: { seconds: 90 } },
  "stops-slowly": { times: 1, parameters: { seconds: 90 } },
  "never-boots": { times: 1, ends: ["terminated boot-timeout", "stopped boot-timeout"] },
  "never-stops": { times: 1 },
  "repeats-reports": { times: 0, parameters: { copies: 3 } },
  "reorders-reports": { times: 0, parameters: { seconds: 0.01 } },
  "loses-reports": { times: 0 },
  "reports-finding": { times: 0 },
  "guest-reports-xid": { times: 0 },
  "guest-is-idle": { times: 0 },
  "guest-is-silent": { times: 0 },
  "guest-sends-garbage": { times: 0 },
  "validation-fails": { times: 0 },
  "validation-warns": { times: 0 },
  "validation-hangs": { times: 0 },
  "validation-prints-garbage": { times: 0 },
  "host-dies": { times: 1 },
  "all-hosts-die": { times: 1 },
};

export interface Scenario {
  readonly operation: Operation;
  /** Undefined: the engine is well. */
  readonly trouble?: Trial & { readonly kind: FaultKind; readonly call: EngineCall | undefined };
}

/** Every operation with every kind at every call that it may meet, and once with none. */
export const scenarios: readonly Scenario[] = operations.flatMap((operation) => [
  { operation },
  ...faultKindNames.flatMap((kind) =>
    callsMet(kind, operation).map((call) => ({ operation, trouble: { ...trials[kind], kind, call } })),
  ),
]);

function callsMet(kind: FaultKind, operation: Operation): readonly (EngineCall | undefined)[] {
  const effect: FaultKindFacts = faultKinds[kind];
  // What they disturb is no step of an instance: test/reconciler/gpu-validations-random.test.ts.
  if (effect.ofValidations === true) return [];
  if (isOfNoCall(effect)) return [undefined];
  const usual = "usually" in effect ? effect.usually : undefined;
  return operation.calls.filter((call) => usual === undefined || usual === call);
}

export function nameOf({ operation, trouble }: Scenario): string {
  return trouble === undefined ? operation.name : `${operation.name}, ${trouble.kind} at ${trouble.call ?? "watch"}`;
}
