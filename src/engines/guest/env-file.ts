// The content of .env in the login user's home. Invariant: `set -a; . ./.env` in a POSIX shell (dash, bash, busybox)
// restores every value byte for byte. Used by secrets.ts; keys and values are validated at launch.

import { shellQuote } from "./shell-quote.ts";

/**
 * Keys whose assignment makes bash or dash stop reading the file, because the shell manages them (read-only, or
 * numeric). Written last, so that all others are set by then.
 */
const ownedByShells: ReadonlySet<string> = new Set(
  "BASHOPTS BASH_VERSINFO EUID HISTCMD OPTIND PPID RANDOM SHELLOPTS SRANDOM UID".split(" "),
);

/**
 * One assignment per variable. Throws "BUG: …", without any value, for a key that is not a POSIX name, and as
 * shellQuote does.
 */
export function envFile(envVars: Readonly<Record<string, string>>): string {
  const entries = Object.entries(envVars);
  if (entries.some(([key]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(key))) {
    throw new Error("BUG: an environment variable whose key is not a POSIX name reached the .env file");
  }
  const last = entries.filter(([key]) => ownedByShells.has(key));
  const first = entries.filter(([key]) => !ownedByShells.has(key));
  return [...first, ...last].map(([key, value]) => `${key}=${shellQuote(value)}\n`).join("");
}
