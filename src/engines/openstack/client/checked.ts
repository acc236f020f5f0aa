// Responses as the schemas say. Invariant: no error repeats what was received. Used by everything in this folder.

import type { Static, TSchema } from "typebox";
import type { Validator } from "typebox/compile";
import { UnexpectedAnswer } from "./api-error.ts";

export type Schema<T extends TSchema> = Validator<Record<never, never>, T>;

/** `value`, if it matches the schema. Throws UnexpectedAnswer. */
export function checked<T extends TSchema>(value: unknown, schema: Schema<T>, path: string): Static<T> {
  if (schema.Check(value)) return value;
  const problem = schema.Errors(value)[0];
  // Keys can be received too.
  const at = (problem?.instancePath ?? "").slice(0, 200).replace(/[^\w/:.-]/g, "?");
  throw new UnexpectedAnswer(`Unexpected response from ${path}: ${at} ${problem?.message ?? ""}.`);
}

/** The JSON in `text`; undefined: it is empty. Throws UnexpectedAnswer. */
export function json(text: string, path: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UnexpectedAnswer(`The response from ${path} is not JSON.`);
  }
}

/** Both. */
export function parsed<T extends TSchema>(text: string, schema: Schema<T>, path: string): Static<T> {
  return checked(json(text, path), schema, path);
}
