// Secrets that come as files, as systemd (LoadCredential) and container platforms hand them over: `<VARIABLE>_FILE` names a
// file whose text is the variable's value. Invariant: no message repeats a text. Used by config.ts.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError } from "../settings/error.ts";

/**
 * The environment with the secrets of those files in it. An empty file counts as not set, like an empty variable, for
 * systemd can only hand over a credential that may be missing as an empty one. Relative paths start at `cwd`. Throws
 * ConfigError for a file that cannot be read, and for a secret that is given both ways.
 */
export function withSecretFiles(
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[],
  cwd: string,
): Readonly<Record<string, string | undefined>> {
  const secrets = variables.flatMap((variable) => {
    const path = env[`${variable}_FILE`];
    const text = path ? textOf(resolve(cwd, path), `${variable}_FILE`) : "";
    if (text !== "" && env[variable]) {
      throw new ConfigError(`${variable} and ${variable}_FILE are both set: remove one of them.`);
    }
    return text === "" ? [] : [[variable, text] as const];
  });
  return { ...env, ...Object.fromEntries(secrets) };
}

function textOf(path: string, name: string): string {
  try {
    // Several keys stand one a line in a file, and behind commas in a variable.
    return readFileSync(path, "utf8")
      .trim()
      .replaceAll(/\s*\n\s*/g, ",");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new ConfigError(`${name} must name a readable file: ${path} cannot (${code}).`);
  }
}
