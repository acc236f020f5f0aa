// The order of the launch page, as a request and as a command with curl and with lessor. Values of variables are left out
// of commands, which stay in the shell's history; everything else is exact. Pure.

import type { paths } from "../../../src/client/control-api.ts";
import { idleRuleOf, noIdleRule } from "../instances/idle-choice.ts";
import { tagsOf } from "../instances/tag-lines.ts";
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
  readonly spot: boolean;
  /** The id of the reservation that pays for it; undefined: none. */
  readonly reservation: string | undefined;
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
  spot: false,
  reservation: undefined,
  tags: [],
  fileSystems: [],
  userData: "",
  lifetime: "",
  maxPrice: "",
  password: false,
  idle: noIdleRule,
  hostSelector: "",
};

/** A launch as the control API takes it. */
export type LaunchRequest = paths["/instances"]["post"]["requestBody"]["content"]["application/json"];

/** One of the launch page, which names its instance type. */
export type LaunchBody = LaunchRequest & { readonly instance_type: string };

/** The launch of an order whose type is chosen, without values that equal the defaults of the service. */
export function launchBody(order: Order, instanceType: string): LaunchBody {
  const envVars = envVarsOf(order.envVars);
  const tags = tagsOf(order.tags);
  const named = order.fileSystems.filter(({ mountPoint }) => mountPoint === "");
  const mounted = order.fileSystems.filter(({ mountPoint }) => mountPoint !== "");
  // Invalid values have an error at their field, and nothing is launched.
  const lifetime = lifetimeSeconds(order.lifetime) ?? undefined;
  const maxPrice = centsOf(order.maxPrice) ?? undefined;
  const idleRule = idleRuleOf(order.idle);
  return {
    instance_type: instanceType,
    ...(order.region === "any" ? {} : { region: order.region }),
    ...(order.quantity === 1 ? {} : { quantity: order.quantity }),
    ...(order.name.trim() === "" ? {} : { name: order.name.trim() }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(order.firewallRulesets.length === 0 ? {} : { firewall_ruleset_ids: [...order.firewallRulesets] }),
    ...(order.reservation === undefined ? {} : { reservation_id: order.reservation }),
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
    ...(idleRule === null ? {} : { idle_rule: idleRule }),
    ...(order.hostSelector.trim() === "" ? {} : { host_selector: order.hostSelector.trim() }),
    ...(order.spot ? { spot: true } : {}),
  };
}

/** Quoted for a POSIX shell if needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `controlUrl`: the control API's address. The token comes from the environment, so that it is in no shell history. */
export function curlCommand(controlUrl: string, body: LaunchBody): string {
  const shown = {
    ...body,
    ...(body.env_vars === undefined ? {} : { env_vars: masked(body.env_vars) }),
    ...(isLong(body.user_data) ? { user_data: "…" } : {}),
  };
  return [
    `curl -X POST ${shellWord(`${controlUrl}/instances`)}`,
    `-H "Authorization: Bearer $LESSOR_TOKEN"`,
    "-H 'Content-Type: application/json'",
    `-d ${shellWord(JSON.stringify(shown, null, 2))}`,
  ].join(" \\\n  ");
}

/** `fileSystems`: names by id, of those with mount points. */
export function lessorCommand(body: LaunchBody, fileSystems: ReadonlyMap<string, string> = new Map()): string {
  const { max_price_cents_per_hour: maxPrice, max_lifetime_seconds: lifetime, idle_rule: idle } = body;
  const option = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name} ${shellWord(String(value))}`];
  const parts = [
    // A pipe keeps every byte; a here-document would add a line break.
    ...(isInline(body.user_data) ? [`printf %s ${shellWord(body.user_data)} |`] : []),
    `lessor launch ${shellWord(body.instance_type)}`,
    ...option("region", body.region),
    ...option("reservation", body.reservation_id),
    ...option("quantity", body.quantity),
    ...option("host-selector", body.host_selector),
    ...option("name", body.name),
    ...option("image", body.image),
    // Without an option, the command uses the only key.
    ...(body.ssh_key_names === undefined
      ? [body.password_without_keys === true ? "--password" : "--no-key"]
      : body.ssh_key_names.flatMap((name) => option("key", name))),
    ...(body.file_system_names ?? []).flatMap((name) => option("fs", name)),
    ...(body.file_system_mounts ?? []).flatMap(({ file_system_id: id, mount_point }) =>
      option("fs", `${fileSystems.get(id) ?? id}:${mount_point}`),
    ),
    ...(body.tags ?? []).flatMap(({ key, value }) => option("tag", `${key}=${value}`)),
    ...(body.firewall_ruleset_ids ?? []).flatMap((id) => option("firewall", id)),
    ...(body.env_vars === undefined ? [] : option("env-file", ".env")),
    ...option("startup", body.command),
    ...(body.user_data === undefined ? [] : option("user-data", isInline(body.user_data) ? "-" : "user-data.txt")),
    ...option("coupon", body.coupon),
    ...(body.spot === true ? ["--spot"] : []),
    ...(maxPrice === undefined ? [] : option("max-price", (maxPrice / 100).toFixed(2))),
    ...(lifetime === undefined ? [] : option("max-lifetime", lifetime === null ? "none" : spanWord(lifetime))),
    ...(idle ? option("idle", `${spanWord(idle.minutes * 60)}:${idle.action}`) : []),
  ];
  const line = parts.join(" ");
  return line.length <= 72 ? line : parts.join(" \\\n  ");
}

/** Linux takes no argument above 128 KiB, and a third of JSON may be backslashes: longer ones belong into a file. */
const mostInline = 65_536;

const isInline = (text: string | undefined): text is string => text !== undefined && text.length <= mostInline;
const isLong = (text: string | undefined): boolean => text !== undefined && text.length > mostInline;

/** As the command reads it: "8h", "90m", "100s". */
function spanWord(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

function masked(envVars: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(envVars).map((key) => [key, "…"]));
}
