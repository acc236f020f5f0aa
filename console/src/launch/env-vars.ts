// Environment variables as they are typed, and the errors of each line. The rules are the service's own file. Pure.

import { checkEnvVars as check } from "../../../src/rules/env-vars.ts";

export interface EnvVar {
  /** Of the line in the form. */
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

interface EnvVarProblems {
  /** By the id of the line. */
  readonly keys: ReadonlyMap<number, string>;
  readonly values: ReadonlyMap<number, string>;
  /** The error of all lines together. */
  readonly whole: string | undefined;
}

const isBlank = ({ key, value }: EnvVar): boolean => key === "" && value === "";

/** All errors. Empty lines are no variables. */
export function checkEnvVars(all: readonly EnvVar[]): EnvVarProblems {
  const vars = all.filter((one) => !isBlank(one));
  const keys = new Map<number, string>();
  const values = new Map<number, string>();
  const seen = new Set<string>();
  for (const { id, key, value } of vars) {
    const [problem] = check({ [key]: value });
    if (key === "") keys.set(id, "Enter a name.");
    else if (seen.has(key)) keys.set(id, `"${key}" is defined twice.`);
    else if (problem !== undefined) (problem.rule.startsWith("value") ? values : keys).set(id, problem.message);
    seen.add(key);
  }
  const whole = check(envVarsOf(vars)).find(({ key }) => key === undefined);
  return { keys, values, whole: whole?.message };
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
