// Names as people can read and type them. An instance's name may be any 64 characters: several spaces, which a page shows
// as one; invisible letters; nothing else at all. It must still be found on a page and confirmed.

/** What of a name is seen: without what has no shape, and with white space as a page shows it. */
export function readable(name: string): string {
  return name
    .normalize()
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** The name of a thing in a link: the beginning of its id if the name is invisible. */
export function nameShown({ name, id }: { readonly name: string; readonly id: string }): string {
  return readable(name) === "" ? id.slice(0, 8) : name;
}

/** What to type for a name; `otherwise` if it is invisible. */
export function wordFor(name: string, otherwise: string): string {
  return readable(name) || otherwise;
}

/** Whether that was typed. */
export function isTyped(typed: string, word: string): boolean {
  return word !== "" && readable(typed) === word;
}
