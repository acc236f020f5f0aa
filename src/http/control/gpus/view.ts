// How the control interface shows GPUs, their policies and their release.

import { Type } from "typebox";
import type { Gpu } from "../../../rental/gpus/gpu-reading.ts";
import { type GpuPolicy, type ValidationPolicy, validationDefaults } from "../../../rental/gpus/policies.ts";
import {
  gpuStates,
  gpuTraits,
  handovers,
  handoverTraits,
  quarantineReasons,
  validationCauses,
  verdicts,
  verdictWords,
  warningMeanings,
} from "../../../rules/gpu-lifecycle.ts";
import * as limit from "../../api/documented-limits.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";
import { backAt } from "./returning.ts";

const stateWords = gpuStates.map((state) => `\`${state}\`: ${gpuTraits[state].meaning}`).join(" ");
const handoverWords = handovers.map((handover) => `\`${handover}\`: ${handoverTraits[handover].meaning}`).join(" ");

const meaningOfVerdicts = verdictWords.map((word) => `\`${word}\`: ${verdicts[word]}`).join(" ");

const reasonWords = Object.entries(quarantineReasons)
  .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
  .join(" ");

/** For answers and the query of the list. */
export const gpuState = () => Type.Enum(gpuStates, { title: "GpuState", description: stateWords });

const LastValidation = Type.Object(
  {
    at: field.timestamp(),
    verdict: Type.Enum(verdictWords, { title: "ValidationVerdict", description: meaningOfVerdicts }),
  },
  { title: "LastValidation" },
);

export const lastValidation = () => field.orNull(LastValidation, "The last validation that is over; null: none.");

export const ShownGpu = Type.Object(
  {
    id: field.uuid(),
    host: field.name("us-east-1-h100-01"),
    region: field.name("us-east-1"),
    address: Type.String({ description: "Its address on the host, such as a PCI address." }),
    model: field.name("h100_pcie"),
    memory_gib: Type.Integer({ description: "0: unknown." }),
    healthy: Type.Boolean({ description: "As its engine reports it." }),
    state: gpuState(),
    state_since: field.timestamp(),
    back_at: backAt(),
    reason: field.orNull(
      Type.String(),
      `Why it is quarantined, in an operator's words, or by the service: ${reasonWords}`,
    ),
    evidence: field.orNull(
      Type.String(),
      "What the helper of its host found, or its validation with the end of its console: untrusted text, at most 16 KiB.",
    ),
    quarantined_by: field.orNull(
      Type.String(),
      "The account of the operator who quarantined it; null: the service did, or it is not.",
    ),
    quarantine_next: field.orNull(Type.String(), "Why it is quarantined when its instance is gone; null: it is not."),
    held_by: field.orNull(field.uuid(), "The instance that has it."),
    attempts: Type.Integer({ description: "How often its reset or its validation was tried, since its state is so." }),
    validation_due: field.orNull(
      Type.Enum(validationCauses, { title: "ValidationCause" }),
      "Why it is validated before it is offered; null: it is not.",
    ),
    last_validation: lastValidation(),
  },
  { title: "ListedGpu" },
);

export const ShownRelease = Type.Object(
  {
    released: Type.Boolean({ description: "Whether it has been released. False: nothing was changed." }),
    reset_before: Type.Boolean({
      description:
        "Its policy resets it, and no reset has come to an end since its last instance: it is reset, and offered when that is verified.",
    }),
    confirmation: Type.String({ description: "Send it to release the GPU from exactly this quarantine." }),
    gpu: ShownGpu,
  },
  { title: "GpuRelease" },
);

export const handover = () => Type.Enum(handovers, { title: "Handover", description: handoverWords });

const count = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

/** For requests: what is left out has a default. */
export const validation = () => {
  const { every, deadlineSeconds, attempts, warning, burnInHours, vcpus, memoryGib, storageGb } = validationDefaults;
  const by = (value: number | string) => `Default: ${value}.`;
  return Type.Object({
    image: Type.String({
      ...limit.name,
      description: "The image that the machine boots, by its name in the settings of the engine.",
    }),
    every: Type.Optional(count(1, 1_000_000, `At each so many handovers with \`reset+validate\`. ${by(every)}`)),
    deadline_seconds: Type.Optional(count(30, 86_400, `Until its verdict. ${by(deadlineSeconds)}`)),
    attempts: Type.Optional(count(1, 100, `How often one that gives no verdict is tried. ${by(attempts)}`)),
    warning: Type.Optional(
      Type.Enum(warningMeanings, { title: "WarningMeaning", description: `What a warning means. ${by(warning)}` }),
    ),
    burn_in_hours: Type.Optional(
      count(0, 8760, `A new GPU is validated again and again for so long before its first rental. ${by(burnInHours)}`),
    ),
    vcpus: Type.Optional(count(1, 1024, `Of the machine. ${by(vcpus)}`)),
    memory_gib: Type.Optional(count(1, 65_536, `Of the machine. ${by(memoryGib)}`)),
    storage_gb: Type.Optional(count(1, 65_536, `Of the machine. ${by(storageGb)}`)),
  });
};

const ShownValidation = Type.Object(
  {
    image: Type.String(),
    every: Type.Integer(),
    deadline_seconds: Type.Number(),
    attempts: Type.Integer(),
    warning: Type.Enum(warningMeanings, { title: "WarningMeaning" }),
    burn_in_hours: Type.Integer(),
    vcpus: Type.Integer(),
    memory_gib: Type.Integer(),
    storage_gb: Type.Integer(),
  },
  { title: "ValidationPolicy" },
);

export const ShownPolicy = Type.Object(
  {
    gpu_model: field.name("h100_pcie"),
    region: field.orNull(Type.String(), "Null: every region that has none of its own."),
    handover: handover(),
    validation: field.orNull(ShownValidation, "How GPUs of the model are validated; null: they are not."),
  },
  { title: "GpuPolicy" },
);

export function gpu(one: Gpu) {
  return {
    id: one.id,
    host: one.host,
    region: one.region,
    address: one.address,
    model: one.model,
    memory_gib: one.memoryGib,
    healthy: one.healthy,
    state: one.state,
    state_since: one.stateSince.toISOString(),
    back_at: one.backAt?.toISOString() ?? null,
    reason: one.reason,
    evidence: one.evidence,
    quarantined_by: one.decidedBy,
    quarantine_next: one.quarantineNext,
    held_by: one.instanceId,
    attempts: one.attempts,
    validation_due: one.validationDue,
    last_validation: shownValidation(one.lastValidation),
  };
}

export function shownValidation(last: Gpu["lastValidation"]) {
  return last && { at: last.at.toISOString(), verdict: last.verdict };
}

export function policy({ gpuModel, region, handover: between, validation: by }: GpuPolicy) {
  return { gpu_model: gpuModel, region, handover: between, validation: by && validationPolicy(by) };
}

function validationPolicy(one: ValidationPolicy) {
  return {
    ...{ image: one.image, every: one.every, deadline_seconds: one.deadlineSeconds, attempts: one.attempts },
    ...{ warning: one.warning, burn_in_hours: one.burnInHours, vcpus: one.vcpus, memory_gib: one.memoryGib },
    storage_gb: one.storageGb,
  };
}

const free = gpu({
  id: sample.id,
  host: "us-east-1-h100-01",
  region: sample.region.name,
  address: "0000:17:00.0",
  model: "h100_pcie",
  memoryGib: 80,
  healthy: true,
  state: "free",
  stateSince: new Date("2026-03-01T12:00:00Z"),
  backAt: null,
  reason: null,
  evidence: null,
  decidedBy: null,
  quarantineNext: null,
  instanceId: null,
  attempts: 0,
  validationDue: null,
  isInValidation: false,
  lastValidation: { at: new Date("2026-03-01T11:58:00Z"), verdict: "passed" },
});

export const examples = {
  free,
  sanitizing: { ...free, state: "sanitizing" as const, back_at: "2026-03-01T12:01:00.000Z" },
  quarantined: {
    ...free,
    state: "quarantined" as const,
    reason: "reset-failed",
    evidence: "not-back: The device did not respond after the reset.",
  },
  validating: { ...free, state: "validating" as const, attempts: 1, validation_due: "operator" as const },
  decided: { ...free, state: "quarantined" as const, reason: "Row remapping failure", quarantined_by: "operator" },
  policy: policy({
    ...{ gpuModel: "h100_pcie", region: null, handover: "reset+validate" },
    validation: { image: "gpu-validation", ...validationDefaults },
  }),
};
