// The rules for tags: key, value and number. Without dependencies, so that the console can validate while a tag is
// typed. Used by tags.ts and by the console.

export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** The most tags of an instance, and the most characters (code points) of a key and of a value. */
export const tagBounds = { tags: 50, key: 64, value: 256 } as const;

/** For the characters of a key. */
export const tagKeyRule = /^[^=,\\]*$/;

/** The error: its place in the list (`0.key`; "" for the list itself), and a sentence. */
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

/** The rule that a key breaks, in a sentence. */
export function problemOfKey(key: string): string | undefined {
  return (
    problemOfText(key, 1, tagBounds.key) ??
    (!tagKeyRule.test(key) ? "A key must not contain =, a comma or \\." : undefined)
  );
}

/** The rule that a text of `least` to `most` code points breaks, in a sentence. */
export function problemOfText(text: string, least: number, most: number): string | undefined {
  const length = Array.from(text).length;
  if (length < least || length > most)
    return least === 0 ? `Give at most ${most} characters.` : `Give ${least} to ${most} characters.`;
  if (!text.isWellFormed()) return "It must be valid Unicode: it holds half of a surrogate pair.";
  if (/\p{Cc}/u.test(text)) return "It must not contain control characters, such as line breaks or tabs.";
  return undefined;
}
