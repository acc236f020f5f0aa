// What a tag may be: its key, its value, and how many there are. Stands alone, so that the console says while a tag is typed
// what the service would. Used by tags.ts and by the console.

export interface Tag {
  readonly key: string;
  readonly value: string;
}

/** The most tags of an instance, and the most characters (code points) of a key and of a value. */
export const tagBounds = { tags: 50, key: 64, value: 256 } as const;

/** For the characters of a key. */
export const tagKeyRule = /^[^=,\\]*$/;

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

/** What is wrong with a key, in a sentence. */
export function problemOfKey(key: string): string | undefined {
  return (
    problemOfText(key, 1, tagBounds.key) ??
    (!tagKeyRule.test(key) ? "A key must not contain =, a comma or \\." : undefined)
  );
}

/** What is wrong with a text of `least` to `most` code points, in a sentence. */
export function problemOfText(text: string, least: number, most: number): string | undefined {
  const length = Array.from(text).length;
  if (length < least || length > most)
    return least === 0 ? `Give at most ${most} characters.` : `Give ${least} to ${most} characters.`;
  if (!text.isWellFormed()) return "It must be valid Unicode: it holds half of a surrogate pair.";
  if (/\p{Cc}/u.test(text)) return "It must not contain control characters, such as line breaks or tabs.";
  return undefined;
}
