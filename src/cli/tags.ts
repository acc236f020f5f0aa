// Parses tags: `key=value`, or only a key. Pure; used by launch, list and tag.

import { usageError } from "./command-error.ts";
import type { Instance } from "./instances.ts";

export type Tag = Instance["tags"][number];

/** Splits at the first `=`. Throws CommandError without a key. */
export function tagFrom(word: string): Tag {
  const [, key = "", value = ""] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (key === "") throw usageError(`"${word}" is not a tag.`, "Use key=value.");
  return { key, value };
}

/** Whether it has the tag; for only a key, with any value. */
export function hasTag({ tags }: Pick<Instance, "tags">, word: string): boolean {
  const { key, value } = tagFrom(word);
  return tags.some((one) => one.key === key && (!word.includes("=") || one.value === value));
}

/** Merges new tags over those with the same keys, and drops the removed keys. */
export function changedTags(before: readonly Tag[], set: readonly Tag[], removed: readonly string[]): Tag[] {
  const after = new Map(before.map(({ key, value }) => [key, value]));
  for (const key of removed) {
    if (!after.delete(key)) throw usageError(`There is no tag "${key}".`, "No tags were changed.");
  }
  for (const { key, value } of set) after.set(key, value);
  return [...after].map(([key, value]) => ({ key, value }));
}

/** `key=value`; only the key if the value is empty. */
export function tagText({ key, value }: Tag): string {
  return value === "" ? key : `${key}=${value}`;
}
