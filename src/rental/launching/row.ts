// The row of a new instance: everything that is fixed at launch, with encrypted secrets. Used by launches, and by the
// reconciler to recognize an instance that was not worked on yet.

import { randomBytes } from "node:crypto";
import type { Insertable } from "kysely";
import type { InstanceMount } from "../../database/stored-values.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { initialState } from "../../rules/lifecycle.ts";
import { defaultInstanceName, hostnameFor, numbered } from "../../rules/names.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import type { Assignment } from "../capacity/assign.ts";
import { envVarsContext, jupyterTokenContext, passwordContext } from "../instances/instance.ts";
import { newLoginPassword } from "../instances/login-password.ts";
import type { MountedFileSystem } from "./mounts.ts";
import type { LaunchPlan } from "./plan.ts";

/** The progress of an instance that was not worked on yet. */
export const launchProgress = "being created";

/** The columns that a launch writes; others have defaults. */
export const launchColumns = [
  "id",
  "account_id",
  "token_id",
  "max_lifetime_seconds",
  "name",
  "hostname",
  "state",
  "progress",
  "region",
  "region_description",
  "instance_type",
  "type_description",
  "gpu_model",
  "gpu_description",
  "gpus",
  "vcpus",
  "memory_gib",
  "storage_gb",
  "price_cents_per_hour",
  "architecture",
  "coupon_code",
  "discount_basis_points",
  "image_name",
  "image_number",
  "image_description",
  "login_user",
  "ssh_keys",
  "file_system_names",
  "tags",
  "file_system_mounts",
  "firewall_ruleset_ids",
  "command",
  "env_vars_sealed",
  "password_sealed",
  "jupyter_token_sealed",
  "engine",
  "host",
  "gpu_addresses",
  "user_data_id",
  "guest_metrics",
  "idle_rule",
  "spot",
  "reservation_id",
  "expires_at",
  "waits_until",
] as const satisfies readonly (keyof InstancesTable)[];

export function rowFor(
  plan: LaunchPlan,
  place: Assignment,
  keyRing: KeyRing,
): Required<Pick<Insertable<InstancesTable>, (typeof launchColumns)[number]>> {
  const { principal, order, product, image, keys, coupon } = plan;
  const id = place.instanceId;
  const name = nameOf(plan, id) ?? defaultInstanceName(product.name, id);
  const hasEnvVars = Object.keys(order.envVars).length > 0;
  const password = order.passwordWithoutKeys && keys.length === 0 ? newLoginPassword() : undefined;
  return {
    id,
    account_id: principal.accountId,
    token_id: principal.tokenId,
    max_lifetime_seconds: plan.maxLifetimeSeconds,
    name,
    hostname: hostnameOf(plan, id) ?? hostnameFor(name, id),
    state: initialState,
    progress: launchProgress,
    region: place.region,
    region_description: plan.regions.get(place.region)?.description ?? "",
    instance_type: product.name,
    type_description: product.description,
    gpu_model: product.gpuModel,
    gpu_description: product.gpuDescription,
    gpus: product.gpus,
    vcpus: product.vcpus,
    memory_gib: product.memoryGib,
    storage_gb: product.storageGb,
    price_cents_per_hour: product.priceCentsPerHour,
    architecture: product.architecture,
    coupon_code: coupon?.code ?? null,
    discount_basis_points: coupon?.discountBasisPoints ?? 0,
    image_name: image.name,
    image_number: image.number,
    image_description: image.description,
    login_user: image.loginUser,
    ssh_keys: JSON.stringify(keys.map((key) => ({ name: key.name, public_key: key.publicKey }))),
    file_system_names: plan.fileSystems.map((one) => one.name),
    tags: JSON.stringify(order.tags ?? []),
    file_system_mounts: JSON.stringify(plan.fileSystems.map(mountOf)),
    firewall_ruleset_ids: plan.firewallRulesets.map((one) => one.id),
    command: order.command ?? null,
    env_vars_sealed: hasEnvVars ? keyRing.seal(JSON.stringify(order.envVars), envVarsContext(id)) : null,
    password_sealed: password === undefined ? null : keyRing.seal(`${password}`, passwordContext(id)),
    jupyter_token_sealed: image.jupyter ? keyRing.seal(newJupyterToken(), jupyterTokenContext(id)) : null,
    engine: place.engine,
    host: place.host,
    gpu_addresses: [...place.gpuAddresses],
    user_data_id: plan.userDataId ?? null,
    guest_metrics: image.metrics,
    idle_rule: (order.idleRule ?? null) === null ? null : JSON.stringify(order.idleRule),
    spot: order.spot === true,
    reservation_id: plan.reserved?.id ?? null,
    expires_at: plan.reserved?.until ?? null,
    waits_until: plan.waitsUntil ?? null,
  };
}

/** The requested name, if any. */
function nameOf({ order, instanceIds }: LaunchPlan, id: string): string | undefined {
  const { name, numberNames, quantity } = order;
  return name === undefined || numberNames !== true ? name : numbered(name, instanceIds.indexOf(id) + 1, quantity);
}

/** The requested host name, if any. */
function hostnameOf({ order, instanceIds }: LaunchPlan, id: string): string | undefined {
  const { hostname, quantity } = order;
  return hostname === undefined ? undefined : numbered(hostname, instanceIds.indexOf(id) + 1, quantity);
}

function mountOf({ id, mountPoint }: MountedFileSystem): InstanceMount {
  return { file_system_id: id, mount_point: mountPoint };
}

/** 48 hex digits, like Jupyter's own: no escaping needed in URLs. */
function newJupyterToken(): string {
  return randomBytes(24).toString("hex");
}
