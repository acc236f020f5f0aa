// env_vars: the environment variables of a launch. engines/guest/env-file.ts writes their .env file.
// Source: specification, Limits; decisions, Launch (sizes are UTF-8 bytes, the total is keys and values).
// Invariant: a value never appears in a message. Used by rental/instances, and by the command line and the console,
// which validate before they send: so it uses nothing that browsers lack.

/** The rules of the specification as data. docs/reference/api/launch.md shows the same. */
export const envVarLimits = {
  keyPattern: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  reservedKeys: ["PATH", "HOME", "USER", "SHELL", "PWD", "OLDPWD", "IFS", "PS1", "PS2", "TERM", "LANG", "LC_ALL"],
  reservedPrefixes: ["LD_", "MC_"],
  maxEntries: 64,
  maxValueBytes: 4096,
  maxTotalBytes: 16_384,
} as const;

type EntryRule = "key-pattern" | "reserved-key" | "reserved-prefix" | "value-nul" | "value-encoding" | "value-size";
type WholeRule = "entries" | "total-size";

/** One broken rule. `key` is safe to show: control characters escaped, at most 80 characters; undefined: all keys. */
export interface EnvVarProblem {
  readonly key: string | undefined;
  readonly rule: EntryRule | WholeRule;
  readonly message: string;
}

/** Every bad key with the first rule it breaks, and the rules that all of them break together; empty if valid. */
export function checkEnvVars(vars: Readonly<Record<string, string>>): EnvVarProblem[] {
  const entries = Object.entries(vars);
  const { maxEntries, maxTotalBytes } = envVarLimits;
  const problems: EnvVarProblem[] = [];
  if (entries.length > maxEntries) {
    problems.push({ key: undefined, rule: "entries", message: `Give at most ${maxEntries} variables.` });
  }
  const totalBytes = entries.reduce((sum, [key, value]) => sum + bytes(key) + bytes(value), 0);
  if (totalBytes > maxTotalBytes) {
    const message = `All keys and values together may have at most ${maxTotalBytes} bytes.`;
    problems.push({ key: undefined, rule: "total-size", message });
  }
  // Report no more bad keys than there may be keys: a body of a megabyte may hold a hundred thousand.
  return [...problems, ...entries.flatMap(checkEntry).slice(0, maxEntries)];
}

function checkEntry([key, value]: [string, string]): EnvVarProblem[] {
  const { keyPattern, reservedKeys, reservedPrefixes, maxValueBytes } = envVarLimits;
  const shown = shownKey(key);
  const problem = (rule: EntryRule, message: string) => [{ key: shown, rule, message }];
  if (!keyPattern.test(key)) {
    return problem("key-pattern", `"${shown}" is no valid key: it must match ${keyPattern.source}.`);
  }
  if (reservedKeys.some((reserved) => reserved === key)) {
    return problem("reserved-key", `"${shown}" is reserved, as are ${reservedKeys.join(", ")}.`);
  }
  const prefix = reservedPrefixes.find((reserved) => key.startsWith(reserved));
  if (prefix !== undefined)
    return problem("reserved-prefix", `"${shown}" is reserved: no key may begin with ${prefix}.`);
  if (value.includes("\0")) return problem("value-nul", `The value of "${shown}" must not contain NUL bytes.`);
  if (!value.isWellFormed()) {
    return problem(
      "value-encoding",
      `The value of "${shown}" must be valid Unicode: it holds half of a surrogate pair.`,
    );
  }
  if (bytes(value) > maxValueBytes) {
    return problem("value-size", `The value of "${shown}" may have at most ${maxValueBytes} bytes of UTF-8.`);
  }
  return [];
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

const maxShownLength = 80;

/** A key in a message: invisible characters, line breaks and bidirectional controls are written as \u{…}. */
function shownKey(key: string): string {
  const start = Array.from(key.slice(0, 2 * maxShownLength + 2));
  const shown = start.slice(0, maxShownLength).map((character) => {
    return /[\p{C}\p{Zl}\p{Zp}]/u.test(character) ? `\\u{${character.codePointAt(0)?.toString(16)}}` : character;
  });
  // By characters again: an escape is several, and half of a surrogate pair is none.
  const all = Array.from(shown.join(""));
  const isCut = start.length > maxShownLength || all.length > maxShownLength;
  return isCut ? `${all.slice(0, maxShownLength - 1).join("")}…` : all.join("");
}
