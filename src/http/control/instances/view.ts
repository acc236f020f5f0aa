// Control interface: an instance in full, as its account sees it and, with more fields, as operators do.
// Invariant: an account never sees the host, the engine or the GPU addresses; env values are never shown. The password
// and the command are for the account's own tokens with the scope `write`, in a single read.
// Used by instances.ts, operations.ts, launch.ts.

import { Type } from "typebox";
import { type Instance, simulatedEngine } from "../../../rental/instances/instance.ts";
import { loginOf, loginPassword, logins } from "../../../rental/instances/login.ts";
import type { ReconcileStatus } from "../../../rental/instances/reconcile-status.ts";
import { type StalledKind, stalledKinds } from "../../../rental/instances/stalled.ts";
import type { Move } from "../../../rental/moving/move-store.ts";
import { seesSecrets } from "../../../rental/people/permits.ts";
import type { Principal, Service } from "../../../rental/service.ts";
import { availabilityPercent } from "../../../rules/downtime.ts";
import { type Ending, endings, healths, states } from "../../../rules/lifecycle.ts";
import { movePhases, moveTraits } from "../../../rules/moves.ts";
import { sampleInstance } from "../../api/samples.ts";
import { Mount, Region, Tag } from "../../api/schema.ts";
import { AppliedCoupon, cost, costFields, percent, undelivered, undeliveredFields } from "../billing/money.ts";
import { InstanceType, instanceTypeView } from "../catalog/instance-types.ts";
import * as field from "../fields.ts";
import { InstanceMaintenance, instanceMaintenance } from "../hosts/maintenance-view.ts";
import { IdleRule } from "./idle-rule.ts";

/** Object.keys returns strings; these are the table's. */
const words = Object.keys(endings) as Ending[];
const loginWords = Object.keys(logins) as (keyof typeof logins)[];
const troubleWords = Object.keys(stalledKinds) as StalledKind[];

const ofAccount = {
  id: field.uuid(),
  account_id: field.uuid(),
  name: field.name("training"),
  hostname: Type.String(),
  status: Type.Enum(states, {
    title: "InstanceStatus",
    description: "The state itself, without the status labels of any variant.",
  }),
  health: Type.Enum(healths),
  progress: field.orNull(Type.String(), "What it waits for while booting."),
  failure: field.orNull(
    Type.Object({ code: Type.String({ description: "Stable." }), message: Type.String() }, { title: "Failure" }),
    "Why it failed to start or was lost.",
  ),
  ip: field.orNull(Type.String()),
  region: Region,
  instance_type: Type.Object(InstanceType.properties, {
    title: "InstanceType",
    description: "As it was at launch, with its price.",
  }),
  coupon: field.orNull(AppliedCoupon, "As it was at launch."),
  image: Type.Object({ name: Type.String(), number: Type.Integer(), description: Type.String() }),
  login_user: Type.String(),
  login: Type.Enum(loginWords, {
    description: `How to log in by SSH. ${loginWords.map((word) => `\`${word}\`: ${logins[word]}`).join("; ")}.`,
  }),
  simulated: Type.Boolean({ description: "Whether its machine is simulated: its address does not respond." }),
  ssh_key_names: Type.Array(Type.String()),
  file_system_names: Type.Array(Type.String()),
  file_system_mounts: Type.Array(Mount),
  tags: Type.Array(Tag, { description: "The customer's labels." }),
  firewall_ruleset_ids: Type.Array(field.uuid(), { description: "The firewall rulesets it was launched with." }),
  firewall_pending: Type.Boolean({
    description: "Whether changed firewall rules are not applied to its machine yet.",
  }),
  has_env_vars: Type.Boolean({
    description: "Whether it was launched with environment variables, which are not shown.",
  }),
  metrics: Type.Boolean({
    description: "Whether its image has an agent that reports metrics, which `GET /instances/{id}/metrics` shows.",
  }),
  has_user_data: Type.Boolean({ description: "Whether it was launched with user data, which is not shown." }),
  token_id: field.orNull(field.uuid(), "The token that launched it."),
  max_lifetime_seconds: field.orNull(
    Type.Integer(),
    "Maximum lifetime, counted from when it is billed for the first time (when it is first active or first stopped). Null: no limit.",
  ),
  idle_rule: field.orNull(IdleRule, "What happens when its GPUs are not used; null: nothing."),
  reservation_id: field.orNull(field.uuid(), "The reservation that pays for it; null: none."),
  expires_at: field.orNull(
    field.timestamp(),
    "When its lifetime, or its reservation, ends and it is terminated; null until it is billed.",
  ),
  spot: Type.Boolean({
    description:
      "Whether it is a spot instance, which is evicted when a launch that waits or a reservation needs what it holds.",
  }),
  evict_at: field.orNull(
    field.timestamp(),
    "When it is evicted, at the end of its notice, or was to be when it ended; null: it is under no notice.",
  ),
  ended_by: field.orNull(
    Type.Enum(words),
    `Why it was terminated; null before. ${words.map((word) => `\`${word}\`: ${endings[word]}`).join("; ")}.`,
  ),
  ...cost,
  ...undelivered,
  availability_percent: field.orNull(
    Type.Number(),
    "The share of its time that is no downtime, rounded down to thousandths. Null until it is billed.",
  ),
  maintenance: field.orNull(
    InstanceMaintenance,
    "The next or current maintenance of its host. Null: none is scheduled, and always in the response of a launch.",
  ),
  created_at: field.timestamp(),
  active_at: field.orNull(
    field.timestamp(),
    "When it first became active. Billing started then, unless it was stopped before.",
  ),
  terminating_at: field.orNull(field.timestamp(), "When its termination was requested and its billing ended."),
  terminated_at: field.orNull(field.timestamp(), "When its resources were completely removed."),
};

const ofOwner = {
  password: field.orNull(
    Type.String(),
    "The password of `login_user`. Null if it has none or the instance has ended. Only in a read of one instance, for tokens of its account with the scope `write`.",
  ),
  command: field.orNull(
    Type.String(),
    "The command run at first boot. Only in a read of one instance, for tokens of its account with the scope `write`.",
  ),
};

const ofOperators = {
  engine: Type.String(),
  host: Type.String(),
  gpu_addresses: Type.Array(Type.String()),
  generation: Type.Integer({ description: "Increases with every action." }),
  fulfilled_generation: Type.Integer({ description: "Less than `generation` while an operation is in progress." }),
  attempts: Type.Integer({ description: "Attempts of the current operation." }),
  next_look_at: field.orNull(field.timestamp(), "When it is reconciled next; null if there is nothing to do."),
  trouble: field.orNull(
    Type.Object({
      kind: Type.Enum(troubleWords),
      reason: field.orNull(Type.String(), "The engine's last message, or what the operation waits for, if known."),
      since: Type.String({ format: "date-time", description: "When the unfinished action was requested." }),
    }),
    `Why its operation is stalled. ${troubleWords.map((word) => `\`${word}\`: ${stalledKinds[word]}`).join("; ")}.`,
  ),
};

const phaseWords = movePhases.map((phase) => `\`${phase}\`: ${moveTraits[phase].meaning}`).join(" ");

const move = field.orNull(
  Type.Object(
    {
      from: Type.String({ description: "The host that it comes from." }),
      to: Type.String({ description: "The new host." }),
      phase: Type.Enum(movePhases, { title: "MovePhase", description: phaseWords }),
      copied_bytes: Type.Integer({ description: "Of its disk, on the new host." }),
      total_bytes: Type.Integer({ description: "0: not known yet." }),
      began_at: field.timestamp(),
      reason: field.orNull(Type.String(), "The operator's; null: not said."),
      failure: field.orNull(
        Type.Object({ code: Type.String({ description: "Stable." }), message: Type.String() }, { title: "Failure" }),
        "Why the move was given up.",
      ),
    },
    { title: "Move" },
  ),
  "Its move to another host, or the last one if that failed; null: none.",
);

/** The account's view; the operator scope sees all fields. */
export const ReadInstance = Type.Object(
  {
    ...ofAccount,
    password: Type.Optional(ofOwner.password),
    command: Type.Optional(ofOwner.command),
    engine: Type.Optional(ofOperators.engine),
    host: Type.Optional(ofOperators.host),
    gpu_addresses: Type.Optional(ofOperators.gpu_addresses),
    generation: Type.Optional(ofOperators.generation),
    fulfilled_generation: Type.Optional(ofOperators.fulfilled_generation),
    attempts: Type.Optional(ofOperators.attempts),
    next_look_at: Type.Optional(ofOperators.next_look_at),
    trouble: Type.Optional(ofOperators.trouble),
    move: Type.Optional(move),
  },
  { title: "Instance" },
);

export function forAccount(instance: Instance, standing: ReconcileStatus) {
  const { region, coupon, image, failure } = instance;
  return {
    id: instance.id,
    account_id: instance.accountId,
    name: instance.name,
    hostname: instance.hostname,
    status: instance.state,
    health: instance.health,
    progress: instance.progress,
    failure: failure === null ? null : { code: failure.code, message: failure.message },
    ip: instance.ip,
    region: { name: region.name, description: region.description },
    instance_type: instanceTypeView(instance.product),
    coupon: coupon === null ? null : { code: coupon.code, discount_percent: percent(coupon.discountBasisPoints) },
    image: { name: image.name, number: image.number, description: image.description },
    login_user: instance.loginUser,
    login: loginOf(instance),
    simulated: instance.engine === simulatedEngine,
    ssh_key_names: instance.sshKeys.map((key) => key.name),
    file_system_names: [...instance.fileSystemNames],
    file_system_mounts: instance.fileSystemMounts.map(({ mountPoint, fileSystemId }) => ({
      mount_point: mountPoint,
      file_system_id: fileSystemId,
    })),
    tags: instance.tags.map(({ key, value }) => ({ key, value })),
    firewall_ruleset_ids: [...instance.firewallRulesetIds],
    firewall_pending: standing.firewallPending,
    has_env_vars: instance.hasEnvVars,
    metrics: instance.hasMetrics,
    has_user_data: instance.hasUserData,
    token_id: instance.tokenId,
    max_lifetime_seconds: instance.maxLifetimeSeconds,
    idle_rule: instance.idleRule === null ? null : { ...instance.idleRule },
    reservation_id: instance.reservationId,
    expires_at: instance.expiresAt?.toISOString() ?? null,
    spot: instance.isSpot,
    evict_at: instance.evictAt?.toISOString() ?? null,
    ended_by: instance.endedBy,
    ...costFields(standing.costMicroCents),
    ...undeliveredFields(standing),
    availability_percent: availabilityPercent(standing.rentedSeconds, standing.downtimeSeconds),
    maintenance: standing.maintenance === null ? null : instanceMaintenance(standing.maintenance),
    created_at: instance.createdAt.toISOString(),
    active_at: instance.activeAt?.toISOString() ?? null,
    terminating_at: instance.terminatingAt?.toISOString() ?? null,
    terminated_at: instance.terminatedAt?.toISOString() ?? null,
  };
}

export function forOperators(instance: Instance, standing: ReconcileStatus) {
  return {
    ...forAccount(instance, standing),
    engine: instance.engine,
    host: instance.host,
    gpu_addresses: [...instance.gpuAddresses],
    generation: standing.generation,
    fulfilled_generation: standing.fulfilledGeneration,
    attempts: standing.attempts,
    next_look_at: standing.nextLookAt?.toISOString() ?? null,
    trouble:
      standing.trouble === null
        ? null
        : { kind: standing.trouble.kind, reason: instance.progress, since: standing.trouble.since.toISOString() },
    move: standing.move === null ? null : moveView(standing.move),
  };
}

function moveView({ from, to, phase, copiedBytes, totalBytes, beganAt, reason, failure }: Move) {
  return {
    from,
    to,
    phase,
    copied_bytes: copiedBytes,
    total_bytes: totalBytes,
    began_at: beganAt.toISOString(),
    reason,
    failure,
  };
}

/** The view of a single read. */
export function forReader(
  { principal, service }: { readonly principal: Principal; readonly service: Pick<Service, "keyRing"> },
  instance: Instance,
  standing: ReconcileStatus,
) {
  const shown = forPrincipal(principal, instance, standing);
  if (!seesSecrets(principal) || instance.accountId !== principal.accountId) return shown;
  return { ...shown, password: loginPassword(instance, service.keyRing), command: instance.command };
}

/** The view for this principal. */
export function forPrincipal(principal: Principal, instance: Instance, standing: ReconcileStatus) {
  return principal.scopes.has("operator") ? forOperators(instance, standing) : forAccount(instance, standing);
}

const sampleStanding: ReconcileStatus = {
  generation: 1,
  fulfilledGeneration: 1,
  attempts: 0,
  nextLookAt: null,
  firewallPending: false,
  trouble: null,
  move: null,
  costMicroCents: 1_037_500n,
  downtimeSeconds: 0,
  creditMicroCents: 0n,
  rentedSeconds: 15,
  maintenance: null,
};

/** For the document. */
export const examples = {
  forAccount: forAccount(sampleInstance, sampleStanding),
  /** For operators, while it is moved. */
  moving: forOperators(
    { ...sampleInstance, state: "stopped" },
    {
      ...sampleStanding,
      move: {
        from: sampleInstance.host,
        to: "us-east-1-h100-02",
        phase: "copying",
        copiedBytes: 12_884_901_888,
        totalBytes: 42_949_672_960,
        beganAt: new Date("2026-03-01T12:00:00.000Z"),
        reason: "Fans are exchanged",
        failure: null,
      },
    },
  ),
};
