// Secrets in files, as systemd (LoadCredential) and container platforms provide them: `<VARIABLE>_FILE` names a file
// that contains the variable's value. Invariant: no message repeats a value. Used by config.ts.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError } from "../settings/error.ts";

/**
 * The environment with the secrets of those files in it. An empty file counts as not set, like an empty variable,
 * because systemd passes an optional credential that is missing as an empty one. Relative paths start at `cwd`. Throws
 * ConfigError for an unreadable file, and for a secret that is set both ways.
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
    // Several keys are on separate lines in a file, and comma-separated in a variable.
    return readFileSync(path, "utf8")
      .trim()
      .replaceAll(/\s*\n\s*/g, ",");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new ConfigError(`${name} must name a readable file: ${path} cannot (${code}).`);
  }
}
