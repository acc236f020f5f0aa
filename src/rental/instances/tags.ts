// Tags: a customer's own marks of an instance, each a key and a value. They mean nothing to the service, which keeps them
// in the order given, shows them, and filters lists by them. Bounds are wider than what clients of the lambda family send
// (keys of lower-case letters, digits, `-` and `:`, up to 55; values up to 128). A key holds no `=`, `,` or `\`, so that a
// filter can name every one. Used by launch-order.ts, change-labels.ts, instance-store.ts and the interfaces that show tags.

import { invalid } from "../errors.ts";
import { quoted } from "../quoted.ts";

export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** What a list is filtered by: an instance has the key, and with it the value where one is given. */
export interface WantedTag {
  readonly key: string;
  readonly value?: string;
}

/** The most tags of an instance, and the most characters (code points) of a key and of a value. */
export const tagBounds = { tags: 50, key: 64, value: 256 } as const;

/** What is wrong with them: where in the list (`0.key`; "" for the list itself), and a sentence. */
export function* problemsOfTags(tags: readonly Tag[]): Iterable<readonly [within: string, message: string]> {
  if (tags.length > tagBounds.tags) yield ["", `Give at most ${tagBounds.tags} tags.`];
  const keys = new Set<string>();
  for (const [at, { key, value }] of tags.slice(0, tagBounds.tags).entries()) {
    const problem = problemOfKey(key) ?? (keys.has(key) ? "Another tag has this key: give each once." : undefined);
    if (problem !== undefined) yield [`${at}.key`, problem];
    keys.add(key);
    const wrong = problemOfText(value, 0, tagBounds.value);
    if (wrong !== undefined) yield [`${at}.value`, wrong];
  }
}

/**
 * Reads a filter such as `team=vision,spot`: terms between commas, each a key, or key and value at its first `=`. In a
 * value `\,` is a comma and `\\` a backslash. Throws RentalError invalid-parameters with `field` for what is no filter.
 */
export function parseTagFilter(text: string, field: string): WantedTag[] {
  const terms = text.match(/(?:\\.|[^\\,])+/g) ?? [];
  // Whatever the terms and the commas between them leave over is an empty term, or a backslash at the end.
  if (terms.join(",") !== text || terms.length === 0) {
    throw invalid(field, "Give key=value or key, several with a comma between them.");
  }
  if (terms.length > tagBounds.tags) throw invalid(field, `Give at most ${tagBounds.tags} tags.`);
  return terms.map((term) => {
    const [, key = "", value] = /^([^=]*)(?:=(.*))?$/.exec(term) ?? [];
    const problem =
      problemOfKey(key) ?? (value === undefined ? undefined : problemOfText(value, 0, 2 * tagBounds.value));
    if (problem !== undefined) throw invalid(field, `${quoted(key)}: ${problem}`);
    return value === undefined ? { key } : { key, value: value.replaceAll(/\\(.)/g, "$1") };
  });
}

function problemOfKey(key: string): string | undefined {
  return (
    problemOfText(key, 1, tagBounds.key) ??
    (/[=,\\]/.test(key) ? "A key must not contain =, a comma or \\." : undefined)
  );
}

function problemOfText(text: string, least: number, most: number): string | undefined {
  const length = Array.from(text).length;
  if (length < least || length > most)
    return least === 0 ? `Give at most ${most} characters.` : `Give ${least} to ${most} characters.`;
  if (!text.isWellFormed()) return "It must be valid Unicode: it holds half of a surrogate pair.";
  if (/\p{Cc}/u.test(text)) return "It must not contain control characters, such as line breaks or tabs.";
  return undefined;
}
