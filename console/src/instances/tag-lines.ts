// Tags of instances as they are typed and shown. Their rules are the service's own file. Pure.

import type { Shape } from "../../../src/client/client.ts";
import { problemsOfTags } from "../../../src/rules/tag-rules.ts";

export type Tag = Shape<"Tag">;

export interface TagLine extends Tag {
  /** Of the line in the form. */
  readonly id: number;
}

export interface TagProblems {
  /** By the id of the line. */
  readonly keys: ReadonlyMap<number, string>;
  readonly values: ReadonlyMap<number, string>;
  /** The error of all lines together. */
  readonly whole: string | undefined;
}

const isBlank = ({ key, value }: Tag): boolean => key.trim() === "" && value.trim() === "";

/** All errors. Empty lines are no tags. */
export function checkTags(all: readonly TagLine[]): TagProblems {
  const typed = all.filter((line) => !isBlank(line));
  const keys = new Map<number, string>();
  const values = new Map<number, string>();
  let whole: string | undefined;
  for (const [within, message] of problemsOfTags(tagsOf(typed))) {
    const [at = "", field] = within.split(".");
    const line = typed[Number(at)];
    if (field === undefined || line === undefined) whole = message;
    else (field === "key" ? keys : values).set(line.id, message);
  }
  return { keys, values, whole };
}

export const hasProblems = ({ keys, values, whole }: TagProblems): boolean =>
  keys.size > 0 || values.size > 0 || whole !== undefined;

/** As the service takes them. */
export const tagsOf = (all: readonly TagLine[]): Tag[] =>
  all.filter((line) => !isBlank(line)).map(({ key, value }) => ({ key: key.trim(), value: value.trim() }));

/** As the form has them. */
export const linesOf = (tags: readonly Tag[]): readonly TagLine[] =>
  tags.map(({ key, value }, id) => ({ id, key, value }));

/** "team=vision"; of a tag without a value its key. A key has no "=", so no two tags are written alike. */
export const tagText = ({ key, value }: Tag): string => (value === "" ? key : `${key}=${value}`);

/** The tags of all of them, each once, in alphabetical order. */
export function allTags(instances: readonly { readonly tags: readonly Tag[] }[]): readonly string[] {
  return [...new Set(instances.flatMap(({ tags }) => tags.map(tagText)))].sort();
}

/** Whether it has each of these tags, given as `tagText` writes them. */
export function hasTags({ tags }: { readonly tags: readonly Tag[] }, wanted: readonly string[]): boolean {
  const own = new Set(tags.map(tagText));
  return wanted.every((text) => own.has(text));
}
