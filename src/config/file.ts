// Reads lessor.yaml, and rejects unknown keys at any depth, with the likeliest correction.
// Invariant: no message repeats a value from the file, because it may hold a secret. Keys are named.
// Used by config.ts.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Check, Errors } from "typebox/schema";
import { ConfigError } from "../settings/error.ts";
import { settingIn } from "../settings/setting-path.ts";
import { parseYaml } from "../settings/yaml.ts";
import { FileSchema, type FileSettings } from "./file-schema.ts";
import { refuseUnknownKeys } from "./known-keys.ts";
import { describedSchema, description, isMap } from "./schema-walk.ts";

export interface ConfigFile {
  /** Its name in messages. */
  readonly name: string;
  /** Absolute; relative paths in the file start here. */
  readonly directory: string;
  readonly settings: FileSettings;
}

/**
 * The file that `LESSOR_CONFIG` names (`path`), else ./lessor.yaml if it exists, else an empty one.
 * Throws ConfigError if a named file is missing, if a file cannot be read, and for any error in it.
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

/** The settings in the YAML `text`; `name` is for messages. Empty keys count as not set. Throws ConfigError. */
export function parseConfigFile(text: string, name: string): FileSettings {
  const parsed = parseYaml(text, name) ?? {};
  refuseUnknownKeys(FileSchema, parsed, name);
  const settings = withoutNulls(parsed);
  if (Check(FileSchema, settings)) return settings;
  throw wrongSetting(settings, name);
}

function wrongSetting(settings: unknown, name: string): ConfigError {
  const error = likeliest(Errors(FileSchema, settings)[1]);
  if (error === undefined) throw new Error("BUG: a file that does not pass the schema has nothing wrong with it");
  // JSON Pointer: a slash inside a key is ~1, a tilde ~0.
  const path = error.instancePath.split("/").slice(1);
  const keys = path.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const missing = error.keyword === "required" ? error.params.requiredProperties[0] : undefined;
  const { known, schema } = describedSchema(FileSchema, missing === undefined ? keys : [...keys, missing]);
  const verb = missing === undefined ? "must be" : "is required:";
  return new ConfigError(`${settingIn(known, name)} ${verb} ${description(schema)}.`);
}

type SchemaError = ReturnType<typeof Errors>[1][number];

/**
 * The first error; but where a value may be a text or a map and is a map, the first one inside it, because the rule for
 * texts is irrelevant then. A missing key is reported at the map that lacks it.
 */
function likeliest([first, ...others]: readonly SchemaError[]): SchemaError | undefined {
  if (first === undefined) return undefined;
  const { instancePath } = first;
  const inside = others.find(
    (other) =>
      other.instancePath.startsWith(`${instancePath}/`) ||
      (other.instancePath === instancePath && other.keyword === "required"),
  );
  return first.schemaPath.includes("/anyOf/") ? (inside ?? first) : first;
}

function withoutNulls(value: unknown): unknown {
  // An item of a list keeps its place, so a null there stays, and the schema rejects it.
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const set = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(set.map(([key, inner]) => [key, withoutNulls(inner)]));
}
