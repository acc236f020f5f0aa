// The faults of the simulated engine as a table: the calls that one can apply to, its kinds and their parameters. Without
// dependencies, so that the control interface, the command line and the documents take it from here. What each kind does:
// engines/simulated/faults.ts, whose table the compiler compares with this one.

import { healthCodeNamed, healthCodeNames, healthSeverities, isHealthSeverity } from "./host-health.ts";

/** The engine's calls. */
export const faultOperations = [
  "hosts",
  "create",
  "start",
  "stop",
  "remove",
  "inspect",
  "list",
  "set-inbound",
  "write-guest-file",
  "remove-file-system",
  "console-log",
  "open-terminal",
  "move",
  "remove-copy",
  "reset-gpus",
] as const;
export type FaultOperation = (typeof faultOperations)[number];

/** What a fault can be for. */
export const faultScopes = ["everything", "host", "machine"] as const;
export type FaultScope = (typeof faultScopes)[number];

/** All parameters of faults; `heeds` of a kind lists those that it uses. */
export const faultParameters = {
  seconds: { meaning: "how long", type: "number" },
  code: { meaning: "the code of the error or finding", type: "string" },
  severity: { meaning: "the severity of the finding", type: "string" },
  message: { meaning: "the message of the error or finding", type: "string" },
  copies: { meaning: "how often in total", type: "number" },
  xid: { meaning: "the number of the GPU's error", type: "number" },
  gpu: { meaning: "which GPU, counted from 0", type: "number" },
} as const satisfies Record<string, { meaning: string; type: "number" | "string" }>;
export type FaultParameter = keyof typeof faultParameters;

/** The parameters of one fault. Numbers are not negative. */
export type FaultParameters = {
  readonly [P in FaultParameter]?: (typeof faultParameters)[P]["type"] extends "number" ? number : string;
};

/** What is known of a kind without the engine. */
export interface FaultKindFacts {
  /** In a sentence. */
  readonly meaning: string;
  readonly heeds?: readonly FaultParameter[];
  /** The default operation; undefined: all. */
  readonly usually?: FaultOperation;
  /** It applies to no call, but to the reports of changes. */
  readonly ofReports?: true;
  /** It applies to no call, but to what is reported of hosts. */
  readonly ofHosts?: true;
  /** It applies to no call, but to what agents in guests report. */
  readonly ofGuests?: true;
  /** It applies to no call, but to validations of GPUs that begin. */
  readonly ofValidations?: true;
}

export const faultKinds = {
  refuses: {
    meaning: "The engine rejects the call permanently. Nothing happens.",
    heeds: ["code", "message"],
  },
  unavailable: {
    meaning: "The engine is unavailable. Nothing happens, and the caller cannot know that.",
    heeds: ["code", "message"],
  },
  hangs: {
    meaning: "Nothing happens, and no response comes until the caller times out.",
  },
  "answers-late": {
    meaning:
      "It happens, and the response comes late (default: 1 second): after the caller's deadline, if that is shorter.",
    heeds: ["seconds"],
  },
  "happens-late": {
    meaning: "It happens after a delay (default: 1 second), also if the caller has timed out.",
    heeds: ["seconds"],
  },
  "loses-answer": {
    meaning: "It happens, and the connection is lost before the response.",
  },
  lies: {
    meaning: "Reports success and a running machine. Nothing happens.",
  },
  "loses-machine": {
    meaning: "It happens, and then the machine and its data are lost.",
  },
  "forgets-secrets": {
    meaning: "It happens, and the guest's secrets stay pending.",
  },
  "boots-slowly": {
    meaning: "The machine boots slowly (default: 60 seconds).",
    heeds: ["seconds"],
    usually: "start",
  },
  "stops-slowly": {
    meaning: "The machine halts slowly (default: 60 seconds).",
    heeds: ["seconds"],
    usually: "stop",
  },
  "never-boots": {
    meaning: "The machine never finishes booting.",
    usually: "start",
  },
  "never-stops": {
    meaning: "The machine ignores the request to halt.",
    usually: "stop",
  },
  "repeats-reports": {
    meaning: "Reports each change of a machine several times (default: 3).",
    heeds: ["copies"],
    ofReports: true,
  },
  "reorders-reports": {
    meaning: "Delays reports (default: 0.05 seconds) and sends them in the wrong order.",
    heeds: ["seconds"],
    ofReports: true,
  },
  "loses-reports": {
    meaning: "Reports no change.",
    ofReports: true,
  },
  "reports-finding": {
    meaning: "Reports the host with a finding about its health (default: disk-space-low, a warning).",
    heeds: ["code", "severity", "message"],
    ofHosts: true,
  },
  "guest-reports-xid": {
    meaning: "The guest reports an error of a GPU (default: XID 79 of GPU 0).",
    heeds: ["xid", "gpu"],
    ofGuests: true,
  },
  "guest-is-idle": {
    meaning: "The guest reports that its GPUs are not used.",
    ofGuests: true,
  },
  "guest-is-silent": {
    meaning: "The guest reports no metrics.",
    ofGuests: true,
  },
  "guest-sends-garbage": {
    meaning: "The guest reports binary data in place of metrics.",
    ofGuests: true,
  },
  "validation-fails": {
    meaning: "The validation of GPUs finds a fault.",
    ofValidations: true,
  },
  "validation-warns": {
    meaning: "The validation of GPUs has a warning.",
    ofValidations: true,
  },
  "validation-hangs": {
    meaning: "The validation of GPUs never prints a verdict.",
    ofValidations: true,
  },
  "validation-prints-garbage": {
    meaning: "The validation of GPUs prints what is no verdict.",
    ofValidations: true,
  },
  "host-dies": {
    meaning: "It happens, and the machine's host fails before the response: it does not respond until it is revived.",
  },
  "all-hosts-die": {
    meaning: "It happens, and every host fails before the response.",
  },
} as const satisfies Record<string, FaultKindFacts>;
export type FaultKind = keyof typeof faultKinds;

// Object.keys returns strings; these are the keys of the table, in its order.
export const faultKindNames = Object.keys(faultKinds) as readonly FaultKind[];

/** The kinds that apply to reports of changes. */
export const reportFaultKinds = faultKindNames.filter((kind) => "ofReports" in faultKinds[kind]);

/** The kinds that apply to what is reported of hosts. */
export const hostFaultKinds = faultKindNames.filter((kind) => "ofHosts" in faultKinds[kind]);

/** The kinds that apply to what agents in guests report. */
export const guestFaultKinds = faultKindNames.filter((kind) => "ofGuests" in faultKinds[kind]);

/** The kinds that apply to validations of GPUs. */
export const validationFaultKinds = faultKindNames.filter((kind) => "ofValidations" in faultKinds[kind]);

/** Whether it applies to no call. */
export function isOfNoCall({ ofReports, ofHosts, ofGuests, ofValidations }: FaultKindFacts): boolean {
  return [ofReports, ofHosts, ofGuests, ofValidations].includes(true);
}

/** A fault to add. */
export interface FaultOrder {
  readonly scope: FaultScope;
  /** The host's name or the machine's id; null for everything. */
  readonly target: string | null;
  /** Null: the kind's default operation, or every one. */
  readonly operation: FaultOperation | null;
  readonly kind: FaultKind;
  /** How many calls it applies to, from 1; null: all, until it is removed. */
  readonly remaining: number | null;
  readonly parameters: FaultParameters;
}

/** A fault that is in effect. */
export interface StoredFault extends FaultOrder {
  readonly id: number;
  readonly createdAt: Date;
}

/** What is wrong with it: the field, and a sentence; undefined: nothing. */
export function problemOfFault(order: FaultOrder): readonly [field: keyof FaultOrder, message: string] | undefined {
  const { scope, target, operation, kind } = order;
  if (scope === "everything" && target !== null) return ["target", "Everything has no target: leave it out."];
  if (scope !== "everything" && (target === null || target === ""))
    return ["target", `Give the ${scope === "host" ? "name of the host" : "id of the instance"}.`];
  const facts: FaultKindFacts = faultKinds[kind];
  if (isOfNoCall(facts) && operation !== null) return ["operation", `${kind} applies to no operation.`];
  if (facts.ofHosts === true && scope === "machine") return ["scope", `${kind} applies to hosts.`];
  const wrong = problemOfParameters(kind, order.parameters);
  return wrong === undefined ? undefined : ["parameters", wrong];
}

function problemOfParameters(kind: FaultKind, told: FaultParameters): string | undefined {
  const { heeds = [] }: FaultKindFacts = faultKinds[kind];
  for (const [name, value] of Object.entries(told)) {
    const known = heeds.find((one) => one === name);
    if (known === undefined) return `${kind} has no parameter ${name}; parameters: ${heeds.join(", ") || "none"}.`;
    const { type } = faultParameters[known];
    if (typeof value !== type) return `${name} must be a ${type}.`;
    if (typeof value === "number" && !(value >= 0)) return `${name} must not be negative.`;
  }
  return kind === "reports-finding" ? problemOfFinding(told) : undefined;
}

function problemOfFinding({ code, severity }: FaultParameters): string | undefined {
  if (code !== undefined && healthCodeNamed(code) === undefined)
    return `code must be one of ${healthCodeNames.join(", ")}.`;
  if (severity !== undefined && !isHealthSeverity(severity))
    return `severity must be ${healthSeverities.join(" or ")}.`;
  return undefined;
}
