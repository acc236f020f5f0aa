// Environment variables as somebody types them: what is wrong with each is told while it is typed. The service has the same
// rules and the last word (src/env-vars.ts; env-vars.test.ts holds the two together). Pure.

export interface EnvVar {
  /** Of its line in the form. */
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

export const envVarRules = {
  keyPattern: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  reservedKeys: ["PATH", "HOME", "USER", "SHELL", "PWD", "OLDPWD", "IFS", "PS1", "PS2", "TERM", "LANG", "LC_ALL"],
  reservedPrefixes: ["LD_", "MC_"],
  maxEntries: 64,
  maxValueBytes: 4096,
  maxTotalBytes: 16_384,
} as const;

export interface EnvVarProblems {
  /** By the id of the line. */
  readonly keys: ReadonlyMap<number, string>;
  readonly values: ReadonlyMap<number, string>;
  /** What is wrong with all of them together. */
  readonly whole: string | undefined;
}

const bytes = (text: string): number => new TextEncoder().encode(text).length;
const isBlank = ({ key, value }: EnvVar): boolean => key === "" && value === "";

/** Everything that is wrong. Lines in which nothing was typed are no variables. */
export function checkEnvVars(all: readonly EnvVar[]): EnvVarProblems {
  const vars = all.filter((one) => !isBlank(one));
  const keys = new Map<number, string>();
  const values = new Map<number, string>();
  const seen = new Set<string>();
  for (const { id, key, value } of vars) {
    const wrongKey = keyProblem(key) ?? (seen.has(key) ? "It is there twice." : undefined);
    const wrongValue = valueProblem(value);
    seen.add(key);
    if (wrongKey !== undefined) keys.set(id, wrongKey);
    if (wrongValue !== undefined) values.set(id, wrongValue);
  }
  return { keys, values, whole: wholeProblem(vars) };
}

function keyProblem(key: string): string | undefined {
  const { keyPattern, reservedKeys, reservedPrefixes } = envVarRules;
  if (key === "") return "It needs a name.";
  if (!keyPattern.test(key)) return "Letters, digits and _, not beginning with a digit, at most 64.";
  if (reservedKeys.some((reserved) => reserved === key)) return "This name is the system's own.";
  const prefix = reservedPrefixes.find((reserved) => key.startsWith(reserved));
  return prefix === undefined ? undefined : `No name may begin with ${prefix}.`;
}

function valueProblem(value: string): string | undefined {
  if (value.includes("\0")) return "It must not contain NUL bytes.";
  if (!value.isWellFormed()) return "It is no valid Unicode.";
  const { maxValueBytes } = envVarRules;
  return bytes(value) > maxValueBytes ? `At most ${maxValueBytes} bytes; it has ${bytes(value)}.` : undefined;
}

function wholeProblem(vars: readonly EnvVar[]): string | undefined {
  const { maxEntries, maxTotalBytes } = envVarRules;
  if (vars.length > maxEntries) return `At most ${maxEntries} variables; there are ${vars.length}.`;
  const total = vars.reduce((sum, { key, value }) => sum + bytes(key) + bytes(value), 0);
  return total > maxTotalBytes ? `All together may have ${maxTotalBytes} bytes; they have ${total}.` : undefined;
}

export const isWrong = ({ keys, values, whole }: EnvVarProblems): boolean =>
  keys.size > 0 || values.size > 0 || whole !== undefined;

/** As a launch has them. */
export function envVarsOf(all: readonly EnvVar[]): Record<string, string> {
  return Object.fromEntries(all.filter((one) => !isBlank(one)).map(({ key, value }) => [key, value]));
}

/**
 * The variables in text as .env files have it: KEY=value lines, with `export` and quotes taken off, blank lines and
 * comments left out. For pasting a whole file; ids count from `firstId`.
 */
export function parseEnvText(text: string, firstId: number): readonly EnvVar[] {
  const lines = text.split(/\r?\n/).map((line) => /^\s*(?:export\s+)?([^=\s#][^=]*?)\s*=(.*)$/.exec(line));
  return lines
    .filter((match) => match !== null)
    .map(([, key = "", value = ""], index) => ({ id: firstId + index, key, value: unquoted(value.trim()) }));
}

function unquoted(value: string): string {
  const match = /^(["'])(.*)\1$/s.exec(value);
  return match?.[2] ?? value;
}
