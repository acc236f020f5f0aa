// Rejects the keys of lessor.yaml that are not in the schema, at any depth, with the likeliest correction.
// Invariant: only keys are named, never a value. Used by config/file.ts.

import type { TSchema } from "typebox";
import { ConfigError } from "../settings/error.ts";
import { type SettingPath, settingIn, settingName } from "../settings/setting-path.ts";
import { didYouMean } from "./did-you-mean.ts";
import { isMap, keyRule, knownKeys, within } from "./schema-walk.ts";

/** Throws ConfigError for the first key in `value` that is not in `schema`. `name` is the file's, for the message. */
export function refuseUnknownKeys(schema: TSchema, value: unknown, name: string, path: SettingPath = []): void {
  for (const [step, inner] of insideOf(value)) {
    const innerSchema = within(schema, step);
    if (typeof step === "string") {
      const known = knownKeys(schema);
      if (known !== undefined && innerSchema === undefined) throw unknownKey(step, Object.keys(known), path, name);
      const rule = keyRule(schema);
      if (rule !== undefined && !new RegExp(rule.pattern, "u").test(step)) {
        const all = settingName(path);
        throw new ConfigError(`${settingIn([...path, step], name)}: each key of ${all} must be ${rule.description}.`);
      }
    }
    // If the value is of another kind than its schema (a list for a map), schema validation reports that afterwards.
    if (innerSchema !== undefined) refuseUnknownKeys(innerSchema, inner, name, [...path, step]);
  }
}

function insideOf(value: unknown): (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [index, item] as const);
  return isMap(value) ? Object.entries(value) : [];
}

function unknownKey(key: string, known: readonly string[], path: SettingPath, name: string): ConfigError {
  const meant = didYouMean(key, known);
  const where = path.length === 0 ? "" : `${settingName(path)}.`;
  const shown = JSON.stringify(where + key.slice(0, 80));
  const hint = meant === undefined ? `Known settings: ${known.join(", ")}.` : `Did you mean ${where}${meant}?`;
  return new ConfigError(`${name} has an unknown setting ${shown}. ${hint}`);
}
