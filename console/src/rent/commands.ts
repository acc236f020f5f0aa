// The same launch as a command: with curl, and with the lessor command. Values of variables are left out, as they would stay
// in the shell's history. Pure.

import type { LaunchBody } from "./order.ts";

/** Quoted for a POSIX shell where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `controlUrl`: the control API's address. The token comes from the environment, so that it stands in no history. */
export function curlCommand(controlUrl: string, body: LaunchBody): string {
  const shown = body.env_vars === undefined ? body : { ...body, env_vars: masked(body.env_vars) };
  return [
    `curl -X POST ${shellWord(`${controlUrl}/instances`)}`,
    `-H "Authorization: Bearer $LESSOR_TOKEN"`,
    "-H 'Content-Type: application/json'",
    `-d ${shellWord(JSON.stringify(shown, null, 2))}`,
  ].join(" \\\n  ");
}

export function lessorCommand(body: LaunchBody): string {
  const option = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name} ${shellWord(String(value))}`];
  const parts = [
    `lessor launch ${shellWord(body.instance_type)}`,
    ...option("region", body.region),
    ...option("quantity", body.quantity),
    ...option("name", body.name),
    ...option("image", body.image),
    // Left out, the command takes the only key there is.
    ...(body.ssh_key_names === undefined ? ["--no-key"] : body.ssh_key_names.flatMap((name) => option("key", name))),
    ...(body.file_system_names ?? []).flatMap((name) => option("fs", name)),
    ...(body.env_vars === undefined ? [] : option("env-file", ".env")),
    ...option("startup", body.command),
    ...option("coupon", body.coupon),
  ];
  const line = parts.join(" ");
  return line.length <= 72 ? line : parts.join(" \\\n  ");
}

function masked(envVars: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(envVars).map((key) => [key, "…"]));
}
