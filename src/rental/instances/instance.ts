// An instance as the rental uses it, from its row. The only input of every variant's views. Self-contained: instance
// type, image, region and price are those of the launch, whatever the catalog says now.

import type { Selectable } from "kysely";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { asIdleAction, type IdleRule } from "../../rules/idle.ts";
import { asEnding, asState, type Ending, type Health, type State } from "../../rules/lifecycle.ts";
import type { Tag } from "../../rules/tag-rules.ts";
import { type Architecture, asArchitecture } from "../catalog/architecture.ts";

export interface Instance {
  /** Random. */
  readonly id: string;
  /** Greater than that of every earlier instance: lists are in this order. */
  readonly position: number;
  readonly accountId: string;
  readonly name: string;
  readonly hostname: string;
  readonly state: State;
  readonly health: Health;
  /** Increases with every action. */
  readonly generation: number;
  /** What it is waiting for while it boots, in one short phrase. */
  readonly progress: string | null;
  /** Why it failed to start or was lost. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly region: { readonly name: string; readonly description: string };
  readonly product: InstanceType;
  readonly coupon: { readonly code: string; readonly discountBasisPoints: number } | null;
  readonly image: { readonly name: string; readonly number: number; readonly description: string };
  readonly loginUser: string;
  /** Encrypted (secrets/key-ring.ts, context `passwordContext(id)`); null if password login is disabled. */
  readonly passwordSealed: string | null;
  /** Encrypted (context `jupyterTokenContext(id)`); null if the image provides no Jupyter. */
  readonly jupyterTokenSealed: string | null;
  readonly sshKeys: readonly { readonly name: string; readonly publicKey: string }[];
  readonly fileSystemNames: readonly string[];
  /** In the given order; keys are unique. */
  readonly tags: readonly Tag[];
  /** Where each is mounted, if known: not for instances that ended before this was recorded. */
  readonly fileSystemMounts: readonly { readonly fileSystemId: string; readonly mountPoint: string }[];
  /** The rulesets it was launched with, which can be deleted once it has ended. */
  readonly firewallRulesetIds: readonly string[];
  readonly command: string | null;
  /** Whether it was launched with environment variables, and with user data; the values are not shown. */
  readonly hasEnvVars: boolean;
  readonly hasUserData: boolean;
  readonly engine: string;
  readonly host: string;
  readonly gpuAddresses: readonly string[];
  readonly ip: string | null;
  /** The token that launched it; null for launches before this was recorded. */
  readonly tokenId: string | null;
  /** From the start of billing; null: unlimited. */
  readonly maxLifetimeSeconds: number | null;
  /** The end of its lifetime; null until it is active, and if unlimited. */
  readonly expiresAt: Date | null;
  /** The maintenance window for which it was stopped and after which it starts again; null: none. */
  readonly stoppedFor: string | null;
  /** Whether its image has an agent that reports metrics. */
  readonly hasMetrics: boolean;
  /** What happens when its GPUs are not used; null: nothing. */
  readonly idleRule: IdleRule | null;
  /** Whether it is evicted when a launch that waits needs what it holds. */
  readonly isSpot: boolean;
  /** When it is evicted, or was to be; null: it is not under notice. */
  readonly evictAt: Date | null;
  /** Whether its guest was asked to halt for that, and no action followed. */
  readonly isStoppedForEviction: boolean;
  /** The reservation that pays for it; null: none. */
  readonly reservationId: string | null;
  /** Why it was terminated; null before. */
  readonly endedBy: Ending | null;
  readonly createdAt: Date;
  readonly activeAt: Date | null;
  readonly terminatingAt: Date | null;
  readonly terminatedAt: Date | null;
}

/** The engine of simulated machines. No other engine can have this name (engines/settings/common-schema.ts). */
export const simulatedEngine = "simulated";

/** An instance type as offered, or as frozen into an instance at launch. */
export interface InstanceType {
  readonly name: string;
  readonly description: string;
  readonly gpuModel: string | null;
  readonly gpuDescription: string;
  readonly gpus: number;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly priceCentsPerHour: number;
  /** Null: it is not offered as spot. Frozen into an instance, which has one price, it is always null. */
  readonly spotPriceCentsPerHour: number | null;
  readonly architecture: Architecture;
}

/** The context that an encrypted value of this instance is bound to, so that it cannot be moved to another row. */
export const passwordContext = (id: string): string => `instance:${id}:password`;
export const jupyterTokenContext = (id: string): string => `instance:${id}:jupyter_token`;
export const envVarsContext = (id: string): string => `instance:${id}:env_vars`;
/** `id`: that of its row in user_data. */
export const userDataContext = (id: string): string => `user_data:${id}`;

export function fromRow(row: Selectable<InstancesTable>): Instance {
  return {
    id: row.id,
    position: row.position,
    accountId: row.account_id,
    name: row.name,
    hostname: row.hostname,
    state: asState(row.state),
    health: row.health === "unreachable" ? "unreachable" : "ok",
    generation: row.generation,
    progress: row.progress,
    failure:
      row.failure_code !== null && row.failure_message !== null
        ? { code: row.failure_code, message: row.failure_message }
        : null,
    region: { name: row.region, description: row.region_description },
    product: {
      name: row.instance_type,
      description: row.type_description,
      gpuModel: row.gpu_model,
      gpuDescription: row.gpu_description,
      gpus: row.gpus,
      vcpus: row.vcpus,
      memoryGib: row.memory_gib,
      storageGb: row.storage_gb,
      priceCentsPerHour: row.price_cents_per_hour,
      spotPriceCentsPerHour: null,
      architecture: asArchitecture(row.architecture),
    },
    coupon: row.coupon_code === null ? null : { code: row.coupon_code, discountBasisPoints: row.discount_basis_points },
    image: { name: row.image_name, number: row.image_number, description: row.image_description },
    loginUser: row.login_user,
    passwordSealed: row.password_sealed,
    jupyterTokenSealed: row.jupyter_token_sealed,
    sshKeys: row.ssh_keys.map((key) => ({ name: key.name, publicKey: key.public_key })),
    fileSystemNames: row.file_system_names,
    tags: row.tags.map(({ key, value }) => ({ key, value })),
    fileSystemMounts: row.file_system_mounts.map((one) => ({
      fileSystemId: one.file_system_id,
      mountPoint: one.mount_point,
    })),
    firewallRulesetIds: row.firewall_ruleset_ids,
    command: row.command,
    hasEnvVars: row.env_vars_sealed !== null,
    hasUserData: row.user_data_id !== null,
    engine: row.engine,
    host: row.host,
    gpuAddresses: row.gpu_addresses,
    ip: row.ip,
    tokenId: row.token_id,
    maxLifetimeSeconds: row.max_lifetime_seconds,
    expiresAt: row.expires_at,
    stoppedFor: row.stopped_for,
    hasMetrics: row.guest_metrics,
    idleRule:
      row.idle_rule === null ? null : { minutes: row.idle_rule.minutes, action: asIdleAction(row.idle_rule.action) },
    isSpot: row.spot,
    evictAt: row.evict_at,
    isStoppedForEviction: row.evict_stopped,
    reservationId: row.reservation_id,
    endedBy: row.ended_by === null ? null : asEnding(row.ended_by),
    createdAt: row.created_at,
    activeAt: row.active_at,
    terminatingAt: row.terminating_at,
    terminatedAt: row.terminated_at,
  };
}
