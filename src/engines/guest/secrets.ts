// The one file with everything that must not stand in an engine's stored configuration. The engine hands it to the guest
// out of band (a file push, a channel of the guest's agent), and boot-script.sh reads it with `.`.
//
// Invariant: only assignments of Base64 in single quotes, so reading it can do nothing else. The last line tells the guest
// that nothing is missing, because an agent may write a file bit by bit.

import type { GuestSpec } from "../engine.ts";
import { envFile } from "./env-file.ts";
import { base64Quote } from "./shell-quote.ts";

/** Where the guest looks for the file. It belongs to root and has secretsMode. */
export const secretsPath = "/var/lib/lessor-secrets";

/** The mode of the file, as a number. */
export const secretsMode = 0o600;

/** The last line of the file, without its line break. */
export const secretsEnd = "lessor_secrets='complete'";

/**
 * The text of the file. What the guest has none of is left out: without env vars there is no `lessor_env`, and the guest
 * then leaves any .env alone. Throws "BUG: …", without any value, for a password of more than one line.
 */
export function secretsFor(guest: GuestSpec): string {
  const { envVars, password, jupyterToken } = guest;
  // chpasswd reads a line for each user.
  if (password !== undefined && /[\n\r\0]|^$/.test(password)) throw new Error("BUG: a password that is not one line");
  const lines = [
    ...(Object.keys(envVars).length === 0 ? [] : [`lessor_env=${base64Quote(envFile(envVars))}`]),
    ...(password === undefined ? [] : [`lessor_password=${base64Quote(password)}`]),
    ...(jupyterToken === undefined ? [] : [`lessor_jupyter_token=${base64Quote(jupyterToken)}`]),
    secretsEnd,
  ];
  return `${lines.join("\n")}\n`;
}
