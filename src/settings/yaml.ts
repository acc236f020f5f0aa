// Reads YAML into plain values: maps with text keys, lists, texts, numbers, true, false and null. Other YAML features
// (dates, sets, keys that are numbers or maps, circular values) are rejected here.
// Invariant: no message repeats a value, not even a line that does not parse, because it may hold a secret.
// Used by config/file.ts and engines/openstack/settings/clouds-file.ts.

import { LineCounter, parseDocument } from "yaml";
import { ConfigError } from "./error.ts";
import { type SettingPath, settingIn } from "./setting-path.ts";

/** The plain value of the YAML `text`; `name` is the file's, for the messages. Throws ConfigError. */
export function parseYaml(text: string, name: string): unknown {
  const lineCounter = new LineCounter();
  // The library's messages quote the file, so only the code and position of an error are used.
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: "error" });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    throw new ConfigError(`${name} is not valid YAML: line ${line}, column ${col} (${problem.code}).`);
  }
  let value: unknown;
  try {
    // Object keys all become text, and a map as a key prints a warning; a Map keeps keys as they are.
    value = document.toJS({ mapAsMap: true });
  } catch {
    throw new ConfigError(`${name} is not valid YAML: an alias in it cannot be resolved.`);
  }
  return plain(value, [], { name, around: [] });
}

interface Reading {
  readonly name: string;
  /** The maps and lists that contain the value. */
  readonly around: readonly unknown[];
}

function plain(value: unknown, path: SettingPath, { name, around }: Reading): unknown {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  if (around.includes(value)) {
    throw new ConfigError(`${name} is not valid YAML: an alias in it refers to its own parent.`);
  }
  const inner = { name, around: [...around, value] };
  if (Array.isArray(value)) return value.map((item: unknown, index) => plain(item, [...path, index], inner));
  if (value instanceof Map) {
    return Object.fromEntries(
      [...value].map(([key, one]: [unknown, unknown]) => {
        if (typeof key !== "string") throw new ConfigError(`${settingIn(path, name)} ${badKey}`);
        return [key, plain(one, [...path, key], inner)];
      }),
    );
  }
  throw new ConfigError(
    `${settingIn(path, name)} has a type that no setting has, such as a date or a set. Write text in quotes.`,
  );
}

const badKey = "has a key that YAML reads as a number, true, false or null instead of text: write it in quotes.";
