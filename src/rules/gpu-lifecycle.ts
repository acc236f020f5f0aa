// The lifecycle of a GPU as tables: what each state means, and what leads from one to the next. Every question about the
// state of a GPU is answered here: for the rental and its SQL, the reconciler, metrics, the command line and the console.
//
// Invariant: a GPU that an instance had is offered again only as the policy of its model says: no transition leads from
// `held` to `free` past it. The database decides that when an instance gives a GPU back (trigger gpus_follow_holder), and
// lets none that is to be validated be free; rental/gpus/gpus.test.ts compares its CHECKs and its decision with these
// tables, and the table in docs/reference/api/lifecycle.md is made from them.

export const gpuStates = ["free", "held", "sanitizing", "validating", "quarantined"] as const;
export type GpuState = (typeof gpuStates)[number];

interface GpuTraits {
  /** New instances can get it, if it is healthy. */
  readonly isOffered: boolean;
  /** It belongs to an instance. Only such a GPU is billed. */
  readonly isHeld: boolean;
  /** The reconciler has work to do on it, after which it returns by itself. */
  readonly returns: boolean;
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
}

export const gpuTraits = {
  free: { isOffered: true, isHeld: false, returns: false, meaning: "An instance can get it." },
  held: { isOffered: false, isHeld: true, returns: false, meaning: "It belongs to an instance." },
  sanitizing: {
    isOffered: false,
    isHeld: false,
    returns: true,
    meaning: "Its instance is gone, and it is reset before another one can get it.",
  },
  validating: {
    isOffered: false,
    isHeld: false,
    returns: true,
    meaning: "A machine of the service checks it, before an instance can get it.",
  },
  quarantined: {
    isOffered: false,
    isHeld: false,
    returns: false,
    meaning: "No instance gets it until an operator retests or releases it.",
  },
} as const satisfies Record<GpuState, GpuTraits>;

/** What happens to a GPU between two tenants, by policy. */
export const handovers = ["none", "reset", "reset+validate"] as const;
export type Handover = (typeof handovers)[number];
/** Of a model without a policy. */
export const defaultHandover: Handover = "none";

interface HandoverTraits {
  /** The state of a GPU whose instance is gone. */
  readonly leadsTo: GpuState;
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
}

export const handoverTraits = {
  none: { leadsTo: "free", meaning: "It is offered again at once, as the hypervisor leaves it." },
  reset: {
    leadsTo: "sanitizing",
    meaning: "The helper of its host resets it first; if that fails or cannot be verified, it is quarantined.",
  },
  "reset+validate": {
    leadsTo: "sanitizing",
    meaning:
      "As `reset`, and then a machine of the service validates it; if that fails or gives no verdict, it is quarantined.",
  },
} as const satisfies Record<Handover, HandoverTraits>;

/**
 * What happens to a GPU, and the state that it leads to. A state that is not listed rejects it. When its instance gives
 * it back, the policy decides (`handoverTraits`), unless it is to be quarantined then.
 */
export const gpuTransitions = {
  take: { free: "held" },
  /** The reset is verified, and it is not to be validated. */
  sanitized: { sanitizing: "free" },
  /** The reset is verified, and it is to be validated. */
  "sanitized, to validate": { sanitizing: "validating" },
  /** The validation found nothing, and no other one is to follow. */
  passed: { validating: "free" },
  /** The reset or the validation failed, or could not be verified. */
  failed: { sanitizing: "quarantined", validating: "quarantined" },
  /** Of an operator. One that is held stays with its instance, and is quarantined when that is gone. */
  quarantine: {
    ...{ free: "quarantined", held: "held", sanitizing: "quarantined" },
    ...{ validating: "quarantined", quarantined: "quarantined" },
  },
  /** Of an operator: reset it, validate it if the policy says so, and offer it again if both are verified. */
  retest: { quarantined: "sanitizing" },
  /** Of an operator: validate it, whatever the policy says. One that is quarantined is reset first. */
  validate: { free: "validating", quarantined: "sanitizing" },
  /** Of an operator, in two steps: offer it again as it is. One that is held is then not quarantined when it is given back. */
  release: { held: "held", quarantined: "free" },
  /** The same of one that its policy resets, when no reset has come to an end since its last instance. */
  "release, to reset": { held: "held", quarantined: "sanitizing" },
} as const satisfies Record<string, Partial<Record<GpuState, GpuState>>>;
export type GpuTransition = keyof typeof gpuTransitions;

/** The actions of operators. */
export const gpuActions = ["quarantine", "retest", "validate", "release"] as const satisfies readonly GpuTransition[];
export type GpuAction = (typeof gpuActions)[number];

/** Why the service quarantines a GPU without an operator: codes, which stay, and what they mean. */
export const quarantineReasons = {
  "reset-failed": "The helper of its host could not reset it.",
  "reset-unverified": "Whether it was reset is not known: the helper of its host could not be asked.",
  "partition-active": "Its NVSwitch partition could not be deactivated, or whether it is active is not known.",
  reported: "A customer reported that it is faulty; the evidence is what the customer wrote.",
  "validation-failed": "The validation found a fault.",
  "validation-warned": "The validation has a warning, and the policy lets none pass.",
  "validation-unverified": "Whether it works is not known: no validation gave a verdict.",
} as const satisfies Record<string, string>;
export type QuarantineReason = keyof typeof quarantineReasons;

/** Why a GPU is to be validated. */
export const validationCauses = ["handover", "burn-in", "operator"] as const;
export type ValidationCause = (typeof validationCauses)[number];

/** What a validation came to, and what it means for documents and tooltips. */
export const verdicts = {
  passed: "It found nothing.",
  warned: "It has a warning.",
  failed: "It found a fault.",
  unverified: "It gave no verdict.",
} as const;
export type Verdict = keyof typeof verdicts;
// Object.keys returns strings; these are the keys of the table.
export const verdictWords = Object.keys(verdicts) as readonly Verdict[];

/** What a warning of a validation means. */
export const warningMeanings = ["pass", "quarantine"] as const;
export type WarningMeaning = (typeof warningMeanings)[number];

/** The state that the transition leads to from `state`; undefined: it is rejected. */
export function afterGpuTransition(state: GpuState, transition: GpuTransition): GpuState | undefined {
  const row: Partial<Record<GpuState, GpuState>> = gpuTransitions[transition];
  return row[state];
}

/** The states in which this holds, for SQL. */
export function gpuStatesWhere(holds: (traits: GpuTraits) => boolean): GpuState[] {
  return gpuStates.filter((state) => holds(gpuTraits[state]));
}

/** Narrows a stored word. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asGpuState(word: string): GpuState {
  const state = gpuStates.find((known) => known === word);
  if (state === undefined) throw new Error(`BUG: unknown state of a GPU ${JSON.stringify(word)}`);
  return state;
}

/** Narrows a stored word. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asHandover(word: string): Handover {
  const handover = handovers.find((known) => known === word);
  if (handover === undefined) throw new Error(`BUG: unknown policy of a GPU ${JSON.stringify(word)}`);
  return handover;
}

/** Narrows a stored word. Throws "BUG: …" for any other, which the database CHECK makes impossible. */
export function asWarningMeaning(word: string): WarningMeaning {
  const meaning = warningMeanings.find((known) => known === word);
  if (meaning === undefined) throw new Error(`BUG: unknown meaning of a warning ${JSON.stringify(word)}`);
  return meaning;
}
