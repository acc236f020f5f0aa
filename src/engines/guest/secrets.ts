// The one file with everything that must not be in an engine's stored configuration. The engine delivers it separately
// (a file push, a channel of the guest's agent), and boot-script.sh reads it with `.`.
//
// Invariant: it contains only assignments of Base64 in single quotes, so reading it has no other effect. The last line
// shows that it is complete, because an agent can write a file in pieces.

import type { GuestSpec } from "../engine.ts";
import { envFile } from "./env-file.ts";
import { base64Quote } from "./shell-quote.ts";

/** Where the guest reads the file. Owned by root, with secretsMode. */
export const secretsPath = "/var/lib/lessor-secrets";

export const secretsMode = 0o600;

/** The last line of the file, without its line break. */
export const secretsEnd = "lessor_secrets='complete'";

/**
 * The text of the file. Missing settings are left out: without env vars there is no `lessor_env`, and the guest leaves
 * an existing .env unchanged. Throws "BUG: …", without any value, for a password of more than one line.
 */
export function secretsFor(guest: GuestSpec): string {
  const { envVars, password, jupyterToken } = guest;
  // chpasswd reads one line per user.
  if (password !== undefined && /[\n\r\0]|^$/.test(password)) throw new Error("BUG: a password that is not one line");
  const lines = [
    ...(Object.keys(envVars).length === 0 ? [] : [`lessor_env=${base64Quote(envFile(envVars))}`]),
    ...(password === undefined ? [] : [`lessor_password=${base64Quote(password)}`]),
    ...(jupyterToken === undefined ? [] : [`lessor_jupyter_token=${base64Quote(jupyterToken)}`]),
    secretsEnd,
  ];
  return `${lines.join("\n")}\n`;
}
