// Control interface: a host in requests and responses. Used by hosts.ts.

import { type Static, type TUnsafe, Type } from "typebox";
import type { HostDeclaration } from "../../../rental/capacity/host-changes.ts";
import type { Host, HostGpu } from "../../../rental/capacity/host-reading.ts";
import type { HostOverrides } from "../../../rental/capacity/overrides.ts";
import { longestNote } from "../../../rental/hosts/describe.ts";
import { availabilityDays } from "../../../rental/hosts/outages.ts";
import { healthCodeNames, healthCodes, healthSeverities } from "../../../rules/host-health.ts";
import { type HostDecision, hostActions, hostModes, hostStates, hostTraits } from "../../../rules/host-lifecycle.ts";
import { states } from "../../../rules/lifecycle.ts";
import { drainModeMeanings, drainModes, initialDrainMode } from "../../../rules/moves.ts";
import { tagBounds } from "../../../rules/tag-rules.ts";
import * as limit from "../../api/documented-limits.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";
import { backAt } from "../gpus/returning.ts";
import { gpuState, lastValidation, shownValidation } from "../gpus/view.ts";

const Gpu = Type.Object(
  {
    address: Type.String(),
    model: Type.String(),
    memory_gib: Type.Integer({ description: "0: unknown to the engine." }),
    numa_node: Type.Integer(),
    healthy: Type.Boolean(),
    state: gpuState(),
    back_at: backAt(),
    reason: field.orNull(Type.String(), "Why it is quarantined; null: it is not."),
    last_validation: lastValidation(),
    held_by: field.orNull(field.uuid(), "The instance that uses it."),
    holder_status: field.orNull(Type.Enum(states, { title: "InstanceStatus" }), "The state of that instance."),
  },
  { title: "Gpu" },
);

const Overrides = Type.Object(
  {
    vcpus: Type.Integer(),
    memory_gib: Type.Integer(),
    storage_gb: Type.Integer(),
    gpus: Type.Array(Type.Object({ address: Type.String(), model: Type.String(), memory_gib: Type.Integer() })),
  },
  { title: "HostOverrides" },
);

const drainWords = drainModes.map((mode) => `\`${mode}\`: ${drainModeMeanings[mode]}`).join("; ");

const Finding = Type.Object(
  {
    code: Type.Enum(healthCodeNames, {
      title: "HealthCode",
      description: healthCodeNames.map((code) => `\`${code}\`: ${healthCodes[code].meaning}`).join(" "),
    }),
    severity: Type.Enum(healthSeverities, { title: "HealthSeverity" }),
    message: Type.String({ description: "What exactly, in one sentence." }),
    since: field.timestamp(),
  },
  { title: "HostFinding" },
);

export const ShownHost = Type.Object(
  {
    name: field.name("us-east-1-h100-01"),
    engine: Type.String(),
    region: Type.String(),
    vcpus: Type.Integer(),
    memory_gib: Type.Integer(),
    storage_gb: Type.Integer(),
    gpus: Type.Array(Gpu, { description: "By address." }),
    free_vcpus: Type.Integer(),
    free_memory_gib: Type.Integer(),
    free_storage_gb: Type.Integer(),
    state: Type.Enum(hostStates, {
      title: "HostState",
      description: hostStates.map((state) => `\`${state}\`: ${hostTraits[state].meaning}`).join(" "),
    }),
    state_reason: field.orNull(Type.String(), "Why an operator chose `mode`; null: not said."),
    state_since: field.timestamp(),
    mode: Type.Enum(hostModes, {
      title: "HostMode",
      description: "What operators decided: its state whenever its engine reports it as available.",
    }),
    drain_mode: field.orNull(
      Type.Enum(drainModes, { title: "DrainMode", description: drainWords }),
      "How it is emptied; null: it is not draining. `instances` says how many are left.",
    ),
    mode_set_by: field.orNull(Type.String(), "The name of the operator's account that decided; null: none did."),
    cordoned: Type.Boolean({ description: "Whether `mode` keeps new instances away." }),
    available: Type.Boolean({ description: "Whether its engine reports it as available." }),
    unreachable_since: field.orNull(
      field.timestamp(),
      "The last time that its engine reached it, while it does not; null while it does.",
    ),
    verified_off_since: field.orNull(
      field.timestamp(),
      "Since when a fence command has verified it to be off; null: none has, or it was reached since.",
    ),
    health: Type.Array(Finding, {
      description:
        "Problems of a host that responds, at most one finding of each code. `since`: since when it has its severity.",
    }),
    availability_percent: field.orNull(
      Type.Number(),
      `The share of the last ${availabilityDays} days in which its engine reached it, or of the time that it is known, ` +
        "rounded down to thousandths. Null: it is known for no time.",
    ),
    instances: Type.Integer({
      description: "Instances that hold capacity of it. One that moves holds it on both hosts.",
    }),
    note: Type.String({ description: "An operator's note. Empty: none." }),
    labels: Type.Record(Type.String(), Type.String(), { description: "Operators' labels, such as a rack." }),
    overridden: field.orNull(Overrides, "Overrides of a discovered host by a PUT; null: none."),
  },
  { title: "Host" },
);

const PutGpu = Type.Object({
  address: Type.String({
    pattern: "^[A-Za-z0-9._:-]{1,64}$",
    description: "Its address on the host, such as a PCI address. Unique on the host.",
    examples: ["0000:17:00.0"],
  }),
  model: field.gpuModel(),
  memory_gib: field.whole(0, 10_000, "0, for a discovered host only: as discovered."),
  numa_node: Type.Optional(field.whole(0, 1023, "Default: 0.")),
});

export const PutHost = Type.Object({
  engine: Type.String({ ...limit.name, description: "The engine that runs its machines.", examples: ["simulated"] }),
  region: Type.String({ ...limit.name, description: "The name of a region.", examples: ["us-east-1"] }),
  vcpus: field.whole(1, 1_000_000),
  memory_gib: field.whole(1, 10_000_000),
  storage_gb: field.whole(1, 1_000_000_000),
  gpus: Type.Optional(Type.Array(PutGpu, { maxItems: 64, description: "Default: none." })),
});

export const HostReason = Type.Object(
  {
    reason: Type.Optional(field.reason("PSU 2 is exchanged")),
  },
  { title: "HostReason" },
);

export const DrainOrder = Type.Object(
  {
    ...HostReason.properties,
    mode: Type.Optional(
      Type.Enum(drainModes, {
        title: "DrainMode",
        description: `How it is emptied: ${drainWords}. Default: as before, and at first \`${initialDrainMode}\`.`,
      }),
    ),
  },
  { title: "DrainOrder" },
);

/** The body of a decision about a host: only a drain has a mode. */
export function decisionOf(action: HostDecision): TUnsafe<Static<typeof DrainOrder>> {
  return Type.Unsafe(action === "drain" ? DrainOrder : HostReason);
}

export const HostDescription = Type.Object({
  note: Type.Optional(Type.String({ maxLength: longestNote, description: "Empty: none." })),
  labels: Type.Optional(
    Type.Record(Type.String(), field.orNull(Type.String({ maxLength: tagBounds.value })), {
      ...limit.labelKeys,
      maxProperties: tagBounds.tags,
      description: "By key, as tags: the key has no `=`, `,` or `\\`. Null removes one.",
      examples: [{ rack: "r12" }],
    }),
  ),
});

export function declarationFrom(name: string, body: Static<typeof PutHost>): HostDeclaration {
  return {
    name,
    engine: body.engine,
    region: body.region,
    vcpus: body.vcpus,
    memoryGib: body.memory_gib,
    storageGb: body.storage_gb,
    gpus: (body.gpus ?? []).map((gpu) => ({
      address: gpu.address,
      model: gpu.model,
      memoryGib: gpu.memory_gib,
      numaNode: gpu.numa_node ?? 0,
    })),
  };
}

export function host(one: Host) {
  return {
    name: one.name,
    engine: one.engine,
    region: one.region,
    vcpus: one.vcpus,
    memory_gib: one.memoryGib,
    storage_gb: one.storageGb,
    gpus: one.gpus.map(gpu),
    free_vcpus: one.freeVcpus,
    free_memory_gib: one.freeMemoryGib,
    free_storage_gb: one.freeStorageGb,
    state: one.state,
    state_reason: one.modeReason,
    state_since: one.stateSince.toISOString(),
    mode: one.mode,
    drain_mode: one.drainMode,
    mode_set_by: one.modeBy,
    cordoned: !hostTraits[one.mode].acceptsInstances,
    available: one.available,
    unreachable_since: one.unreachableSince?.toISOString() ?? null,
    verified_off_since: one.offSince?.toISOString() ?? null,
    health: one.health.map(({ since, ...finding }) => ({ ...finding, since: since.toISOString() })),
    availability_percent: one.availabilityPercent,
    instances: one.instances,
    note: one.note,
    labels: one.labels,
    overridden: one.overrides === null ? null : overridden(one.overrides),
  };
}

function overridden({ vcpus, memoryGib, storageGb, gpus }: HostOverrides) {
  const named = gpus.map(({ address, model, memoryGib: gib }) => ({ address, model, memory_gib: gib }));
  return { vcpus, memory_gib: memoryGib, storage_gb: storageGb, gpus: named };
}

function gpu(one: HostGpu) {
  return {
    address: one.address,
    model: one.model,
    memory_gib: one.memoryGib,
    numa_node: one.numaNode,
    healthy: one.healthy,
    state: one.state,
    back_at: one.backAt?.toISOString() ?? null,
    reason: one.reason,
    last_validation: shownValidation(one.lastValidation),
    held_by: one.heldBy,
    holder_status: one.holderState,
  };
}

const exampleHost: Host = {
  name: "us-east-1-h100-01",
  engine: "simulated",
  region: "us-east-1",
  vcpus: 216,
  memoryGib: 1900,
  storageGb: 15_360,
  freeVcpus: 190,
  freeMemoryGib: 1700,
  freeStorageGb: 14_336,
  state: "up",
  stateSince: new Date("2026-03-01T12:00:00.000Z"),
  mode: "up",
  drainMode: null,
  modeReason: null,
  modeBy: null,
  available: true,
  unreachableSince: null,
  offSince: null,
  health: [
    {
      code: "disk-space-low",
      severity: "warning",
      message: "The pool default has 8 % free of 15360 GB.",
      since: new Date("2026-03-01T11:00:00.000Z"),
    },
  ],
  availabilityPercent: 99.987,
  instances: 1,
  note: "",
  labels: { rack: "r12" },
  sharedStorage: true,
  multiAttach: true,
  overrides: null,
  gpus: [
    {
      address: "0000:17:00.0",
      model: "h100_pcie",
      memoryGib: 80,
      numaNode: 0,
      healthy: true,
      state: "held",
      backAt: null,
      reason: null,
      lastValidation: null,
      heldBy: sample.id,
      holderState: "active",
    },
    {
      address: "0000:ca:00.0",
      model: "h100_pcie",
      memoryGib: 80,
      numaNode: 1,
      healthy: true,
      state: "free",
      backAt: null,
      reason: null,
      lastValidation: null,
      heldBy: null,
      holderState: null,
    },
  ],
};

const unreachableHost: Host = {
  ...exampleHost,
  state: "unreachable",
  available: false,
  unreachableSince: new Date("2026-03-01T11:58:30.000Z"),
};

/** For the document. */
export const examples = {
  request: {
    engine: "simulated",
    region: "us-east-1",
    vcpus: 216,
    memory_gib: 1900,
    storage_gb: 15_360,
    gpus: [
      { address: "0000:17:00.0", model: "h100_pcie", memory_gib: 80, numa_node: 0 },
      { address: "0000:ca:00.0", model: "h100_pcie", memory_gib: 80, numa_node: 1 },
    ],
  },
  host: host(exampleHost),
  unreachable: host(unreachableHost),
  off: host({ ...unreachableHost, offSince: new Date("2026-03-01T12:05:00.000Z") }),
  /** After the action. */
  decided: (action: HostDecision) => {
    const mode = hostActions[action].up;
    return host({
      ...exampleHost,
      mode,
      state: mode,
      modeReason: "PSU 2 is exchanged",
      modeBy: "operator",
      drainMode: action === "drain" ? initialDrainMode : null,
    });
  },
};
