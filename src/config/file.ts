// Reads lessor.yaml: finds it, parses it, and refuses what the schema does not know, with the likeliest correction.
// Invariant: no message repeats a value from the file, not even a line that does not parse, for it may hold a secret.
// Used by config.ts.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { LineCounter, parseDocument } from "yaml";
import { didYouMean } from "./did-you-mean.ts";
import { ConfigError } from "./error.ts";
import { FileSchema, type FileSettings } from "./file-schema.ts";

export interface ConfigFile {
  /** As the messages call it. */
  readonly name: string;
  /** Absolute; relative paths in the file start here. */
  readonly directory: string;
  readonly settings: FileSettings;
}

/**
 * The file that `LESSOR_CONFIG` names (`path`), or else ./lessor.yaml where it exists, or else an empty one.
 * Throws ConfigError for a named file that is missing, for one that cannot be read, and for anything in it that is wrong.
 */
export function readConfigFile(path: string | undefined, cwd: string): ConfigFile {
  const name = path ?? "lessor.yaml";
  const absolute = resolve(cwd, name);
  let text: string;
  try {
    text = readFileSync(absolute, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    if (code === "ENOENT" && path === undefined) text = "";
    else if (code === "ENOENT") throw new ConfigError(`LESSOR_CONFIG must name an existing file: there is no ${name}.`);
    else throw new ConfigError(`${name} cannot be read (${code}).`);
  }
  return { name, directory: dirname(absolute), settings: parseConfigFile(text, name) };
}

const validator = Compile(FileSchema);

/** The settings in the YAML `text`; `name` is for the messages. A key without a value counts as not set. Throws ConfigError. */
export function parseConfigFile(text: string, name: string): FileSettings {
  const parsed = parseYaml(text, name) ?? {};
  refuseUnknownKeys(FileSchema, parsed, [], name);
  const settings = withoutNulls(parsed);
  if (validator.Check(settings)) return settings;
  const path = validator.Errors(settings)[0]?.instancePath.split("/").slice(1) ?? [];
  const { known, schema } = describedSchema(path);
  const where = known.length === 0 ? name : `${known.join(".")} in ${name}`;
  throw new ConfigError(`${where} must be ${description(schema)}.`);
}

function parseYaml(text: string, name: string): unknown {
  const lineCounter = new LineCounter();
  // The library's own words quote the file, so only the code and the place of a problem are used.
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: "error" });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    throw new ConfigError(`${name} is not valid YAML: line ${line}, column ${col} (${problem.code}).`);
  }
  try {
    return document.toJS();
  } catch {
    throw new ConfigError(`${name} is not valid YAML: an alias in it cannot be resolved.`);
  }
}

function refuseUnknownKeys(schema: TSchema, value: unknown, path: readonly string[], name: string): void {
  const properties = propertiesOf(schema);
  if (properties === undefined || !isMap(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) throw unknownKey(key, Object.keys(properties), path, name);
    refuseUnknownKeys(property, inner, [...path, key], name);
  }
}

function unknownKey(key: string, known: readonly string[], path: readonly string[], name: string): ConfigError {
  const meant = didYouMean(key, known);
  const full = (last: string) => [...path, last].join(".");
  const shown = JSON.stringify(full(key.slice(0, 80)));
  const hint = meant === undefined ? `Known are: ${known.join(", ")}.` : `Did you mean ${full(meant)}?`;
  return new ConfigError(`${name} has an unknown setting ${shown}. ${hint}`);
}

function withoutNulls(value: unknown): unknown {
  if (!isMap(value)) return value;
  const set = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(set.map(([key, inner]) => [key, withoutNulls(inner)]));
}

/** The schema at `path`, or the last one on the way there that has a description: an item of a list has none. */
function describedSchema(path: readonly string[]): { known: string[]; schema: TSchema } {
  let schema: TSchema = FileSchema;
  const known: string[] = [];
  for (const key of path) {
    const property = propertiesOf(schema)?.[key];
    if (property === undefined) break;
    schema = property;
    known.push(key);
  }
  return { known, schema };
}

function description(schema: TSchema): string {
  if ("description" in schema && typeof schema.description === "string") return schema.description;
  throw new Error("BUG: a value in the schema of lessor.yaml has no description");
}

function propertiesOf(schema: TSchema): Readonly<Record<string, TSchema>> | undefined {
  if (!("properties" in schema) || !isMap(schema.properties)) return undefined;
  // A TypeBox object's properties are schemas by construction.
  return schema.properties as Record<string, TSchema>;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
