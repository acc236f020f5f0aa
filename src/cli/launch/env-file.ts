// Parses and writes files of environment variables (.env). It accepts the common subset of shells, Docker and Node:
// NAME=value per line, an optional `export`, comments, and quotes, in which a value may span lines. Nothing is
// expanded: a dollar sign is literal.
//
// Invariant: a value never appears in a message.

import { readFileSync } from "node:fs";
import { checkEnvVars } from "../../rules/env-vars.ts";
import { CommandError, usageError } from "../command-error.ts";

export type EnvVars = Readonly<Record<string, string>>;

/** The variables in the text; the last value of a repeated name counts. Throws CommandError with the line. */
export function parseEnvFile(text: string, file: string): EnvVars {
  const found = new Map<string, string>();
  const source = text.replace(/^\ufeff/, "").replace(/\r\n/g, "\n");
  let at = 0;
  while (at < source.length) {
    const start = /(?:[ \t]*(?:#[^\n]*)?\n|[ \t]+)*/y;
    start.lastIndex = at;
    at += start.exec(source)?.[0].length ?? 0;
    if (at >= source.length || source[at] === "#") break;
    const name = /(?:export[ \t]+)?([^\s=#'"]+)[ \t]*=[ \t]*/y;
    name.lastIndex = at;
    const [all, key] = name.exec(source) ?? [];
    if (all === undefined || key === undefined) {
      throw usageError(`${file}: line ${lineAt(source, at)} is not NAME=value.`, "Comments start with #.");
    }
    const value = valueAt(source, at + all.length, file);
    found.set(key, value.text);
    at = value.end;
  }
  return Object.fromEntries(found);
}

/** A value that begins at `at`: adjacent quoted and bare parts, up to the end of the line or a comment. */
function valueAt(source: string, at: number, file: string): { text: string; end: number } {
  let text = "";
  let end = at;
  while (end < source.length && source[end] !== "\n") {
    const rest = source.slice(end);
    const bare = /^(?:[^\s'"\\]|\\[^\n]|[ \t]+(?=[^\s#]))+/.exec(rest)?.[0];
    const single = /^'([^']*)'/.exec(rest);
    const double = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(rest);
    if (single !== null) text += single[1] ?? "";
    else if (double !== null) text += unescaped(double[1] ?? "");
    else if (bare !== undefined) text += bare.replace(/\\(['"\\ ])/g, "$1");
    else if (/^[ \t]*(?:#[^\n]*)?(?:\n|$)/.test(rest))
      return { text, end: end + (/^[^\n]*/.exec(rest)?.[0].length ?? 0) };
    else throw usageError(`${file}: line ${lineAt(source, end)} has an unclosed quote.`);
    end += single?.[0].length ?? double?.[0].length ?? bare?.length ?? 0;
  }
  return { text, end };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\n": "" };

function unescaped(inside: string): string {
  return inside.replace(/\\([nrt"\\$`\n])/g, (_, letter: string) => escapes[letter] ?? letter);
}

function lineAt(source: string, at: number): number {
  return source.slice(0, at).split("\n").length;
}

/** Reads and parses a file; `-` is standard input. Throws CommandError. */
export function readEnvFile(path: string): EnvVars {
  try {
    return parseEnvFile(readFileSync(path === "-" ? "/dev/stdin" : path, "utf8"), path);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be read.`, "Check the path.", { cause: error, exit: "not-found" });
  }
}

/** Throws CommandError with everything that the service would reject. */
export function refuseBadVars(vars: EnvVars): void {
  const problems = checkEnvVars(vars).map(({ message }) => message);
  if (problems.length > 0)
    throw new CommandError(problems.join("\n"), "Correct them. Nothing was sent.", { exit: "usage" });
}

/** The output formats. */
export const envForms = {
  /** For `set -a; . ./.env` in a POSIX shell. */
  shell: (vars: EnvVars) => linesOf(vars, (value) => `'${value.replace(/'/g, "'\\''")}'`),
  /** For `docker run --env-file`, which takes a line literally. */
  docker: (vars: EnvVars) => {
    const bad = Object.keys(vars).find((name) => /[\r\n]/.test(vars[name] ?? ""));
    if (bad === undefined) return linesOf(vars, (value) => value);
    throw new CommandError(
      `"${bad}" has several lines, which Docker's format does not support.`,
      "Use --to json or --to shell.",
    );
  },
  /** For a request's env_vars. */
  json: (vars: EnvVars) => `${JSON.stringify(vars, null, 2)}\n`,
} as const satisfies Record<string, (vars: EnvVars) => string>;

function linesOf(vars: EnvVars, quoted: (value: string) => string): string {
  return Object.entries(vars)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join("");
}

/** `NAME=value` of an option, or just `NAME` for its value in the environment. Throws CommandError. */
export function envVarFrom(option: string, env: NodeJS.ProcessEnv): readonly [name: string, value: string] {
  const equals = option.indexOf("=");
  if (equals > 0) return [option.slice(0, equals), option.slice(equals + 1)];
  const value = env[option];
  if (equals < 0 && value !== undefined) return [option, value];
  if (equals === 0) throw usageError("--env needs a name before the equals sign.");
  throw usageError(`--env ${option}: the variable is not set.`, "Set it, or write --env NAME=value.");
}
