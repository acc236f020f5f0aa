// Tags: a customer's own labels of an instance, each a key and a value. The service does not interpret them; it keeps
// their order, shows them, and filters lists by them. Limits are wider than what clients of the lambda family send
// (keys of lower-case letters, digits, `-` and `:`, up to 55; values up to 128). A key contains no `=`, `,` or `\`, so
// that every key can be used in a filter. Used by order.ts, change-labels.ts, instance-store.ts and the interfaces that
// show tags.

import { problemOfKey, problemOfText, tagBounds } from "../../rules/tag-rules.ts";
import { invalid } from "../errors.ts";
import { quoted } from "../quoted.ts";

/** A filter of lists: an instance has the key, and the value if given. */
export interface WantedTag {
  readonly key: string;
  readonly value?: string;
}

/**
 * Parses a filter such as `team=vision,spot`: terms between commas, each a key, or key and value at its first `=`. In a
 * value `\,` is a comma and `\\` a backslash. Throws RentalError invalid-parameters with `field` for an invalid filter.
 */
export function parseTagFilter(text: string, field: string): WantedTag[] {
  const terms = text.match(/(?:\\.|[^\\,])+/g) ?? [];
  // Anything besides terms and commas is an empty term, or a trailing backslash.
  if (terms.join(",") !== text || terms.length === 0) {
    throw invalid(field, "Use key=value or key, separated by commas.");
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
