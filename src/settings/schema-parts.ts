// The building blocks of the lessor.yaml schemas. Each has a description in the words of the error message
// ("limits.max_quantity must be <description>"), and groups reject unknown keys.
// Used by the schemas beside it.

import { type TSchema, Type } from "typebox";

/** A map of known keys. */
export function group<Properties extends Parameters<typeof Type.Object>[0]>(properties: Properties) {
  const description = `a map of ${Object.keys(properties).join(", ")}`;
  return Type.Object(properties, { additionalProperties: false, description });
}

/**
 * A map whose keys are names. `keys` is the rule for them, `description` describes the map: "a map from …". Key order
 * is kept except for keys of only digits, which JavaScript sorts to the front: if order matters, `keys` rejects those.
 */
export function freeMap<Value extends TSchema>(keys: Rule, value: Value, description: string) {
  return Type.Record(Type.String(), value, { description, propertyNames: Type.String({ ...keys }) });
}

/** A rule for a text: the pattern it must match, and its description. */
export interface Rule {
  readonly pattern: string;
  readonly description: string;
}

/** A text that follows the rule. A bare 1234 or true in the file is no text, so each message says how to fix it. */
export function textLike({ pattern, description }: Rule) {
  return Type.String({ pattern, description: `${description} (in quotes if it looks like a number)` });
}

export function text(description: string) {
  return Type.Optional(Type.String({ description }));
}

export function integer(minimum: number, maximum: number) {
  const description = `an integer from ${minimum} to ${maximum}`;
  return Type.Optional(Type.Integer({ minimum, maximum, description }));
}

export function number(minimum: number, maximum: number) {
  const description = `a number from ${minimum} to ${maximum}`;
  return Type.Optional(Type.Number({ minimum, maximum, description }));
}

export function seconds(minimum: number, maximum: number) {
  const description = `a number of seconds from ${minimum} to ${maximum}`;
  return Type.Optional(Type.Number({ minimum, maximum, description }));
}

export function secondsRange() {
  const bound = Type.Number({ minimum: 0, maximum: 86_400 });
  const description = "a list of two numbers of seconds, least and most, such as [2, 6]";
  return Type.Optional(Type.Tuple([bound, bound], { description }));
}

/** One of these words. */
export function choice<Word extends string>(words: readonly Word[]) {
  return Type.Optional(Type.Enum([...words], { description: `one of ${words.join(", ")}` }));
}

export const onOff = () => Type.Optional(Type.Boolean({ description: "true or false" }));
