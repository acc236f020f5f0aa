// The same launch as a command: with curl, and with the lessor command. Values of variables are left out, as they would stay
// in the shell's history; everything else is there exactly. Pure.

import type { LaunchBody } from "./order.ts";

/** Quoted for a POSIX shell where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `controlUrl`: the control API's address. The token comes from the environment, so that it stands in no history. */
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

/** `fileSystems`: what those are called that have mount points of their own, by id. */
export function lessorCommand(body: LaunchBody, fileSystems: ReadonlyMap<string, string> = new Map()): string {
  const { max_price_cents_per_hour: maxPrice, max_lifetime_seconds: lifetime } = body;
  const option = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name} ${shellWord(String(value))}`];
  const parts = [
    // Through a pipe it comes to the byte; a here-document would end it with a line break.
    ...(isInline(body.user_data) ? [`printf %s ${shellWord(body.user_data)} |`] : []),
    `lessor launch ${shellWord(body.instance_type)}`,
    ...option("region", body.region),
    ...option("quantity", body.quantity),
    ...option("name", body.name),
    ...option("image", body.image),
    // Left out, the command takes the only key there is.
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
    ...(maxPrice === undefined ? [] : option("max-price", (maxPrice / 100).toFixed(2))),
    ...(lifetime === undefined ? [] : option("max-lifetime", spanWord(lifetime))),
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
