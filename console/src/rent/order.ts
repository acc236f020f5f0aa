// What is ordered on the rent page, and the launch that it becomes. Pure.

import { type Tag, tagsOf } from "../machines/tag-lines.ts";
import { centsOf } from "../shared/parse-money.ts";
import { type EnvVar, envVarsOf } from "./env-vars.ts";
import { lifetimeSeconds, type MoreOptions } from "./more-options.ts";

export interface Order extends MoreOptions {
  /** Undefined: none chosen yet. */
  readonly instanceType: string | undefined;
  /** `any`, or the name of a region. */
  readonly region: string;
  /** Undefined: the operator's default. */
  readonly image: string | undefined;
  readonly sshKeys: readonly string[];
  readonly quantity: number;
  readonly name: string;
  readonly coupon: string;
  readonly envVars: readonly EnvVar[];
  readonly command: string;
  /** Ids of firewall rulesets. */
  readonly firewallRulesets: readonly string[];
}

export const emptyOrder: Order = {
  instanceType: undefined,
  region: "any",
  image: undefined,
  sshKeys: [],
  quantity: 1,
  name: "",
  coupon: "",
  envVars: [],
  command: "",
  firewallRulesets: [],
  tags: [],
  fileSystems: [],
  userData: "",
  lifetime: "",
  maxPrice: "",
  password: false,
};

/** A launch as the control API takes it. */
export interface LaunchBody {
  instance_type: string;
  region?: string;
  quantity?: number;
  name?: string;
  image?: string;
  ssh_key_names?: string[];
  file_system_names?: string[];
  file_system_mounts?: { mount_point: string; file_system_id: string }[];
  user_data?: string;
  env_vars?: Record<string, string>;
  command?: string;
  coupon?: string;
  tags?: Tag[];
  firewall_ruleset_ids?: string[];
  password_without_keys?: boolean;
  max_lifetime_seconds?: number;
  max_price_cents_per_hour?: number;
}

/** The launch of an order whose type is chosen: with what was said, and nothing that the service would say itself. */
export function launchBody(order: Order, instanceType: string): LaunchBody {
  const envVars = envVarsOf(order.envVars);
  const tags = tagsOf(order.tags);
  const named = order.fileSystems.filter(({ mountPoint }) => mountPoint === "");
  const mounted = order.fileSystems.filter(({ mountPoint }) => mountPoint !== "");
  // Of what is no number nothing is said here: it is told at its field, and nothing is launched.
  const lifetime = lifetimeSeconds(order.lifetime) ?? undefined;
  const maxPrice = centsOf(order.maxPrice) ?? undefined;
  return {
    instance_type: instanceType,
    ...(order.region === "any" ? {} : { region: order.region }),
    ...(order.quantity === 1 ? {} : { quantity: order.quantity }),
    ...(order.name.trim() === "" ? {} : { name: order.name.trim() }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(order.firewallRulesets.length === 0 ? {} : { firewall_ruleset_ids: [...order.firewallRulesets] }),
    ...(order.image === undefined ? {} : { image: order.image }),
    ...(order.sshKeys.length === 0 ? {} : { ssh_key_names: [...order.sshKeys] }),
    ...(named.length === 0 ? {} : { file_system_names: named.map(({ name }) => name) }),
    ...(mounted.length === 0
      ? {}
      : { file_system_mounts: mounted.map(({ id, mountPoint }) => ({ mount_point: mountPoint, file_system_id: id })) }),
    ...(order.userData.trim() === "" ? {} : { user_data: order.userData }),
    ...(Object.keys(envVars).length === 0 ? {} : { env_vars: envVars }),
    ...(order.command.trim() === "" ? {} : { command: order.command }),
    ...(order.coupon.trim() === "" ? {} : { coupon: order.coupon.trim() }),
    ...(order.password && order.sshKeys.length === 0 ? { password_without_keys: true } : {}),
    ...(lifetime === undefined ? {} : { max_lifetime_seconds: lifetime }),
    ...(maxPrice === undefined ? {} : { max_price_cents_per_hour: maxPrice }),
  };
}
