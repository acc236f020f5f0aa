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

/** What a thing is called where its name is a link: the beginning of its id where the name shows nothing. */
export function nameShown({ name, id }: { readonly name: string; readonly id: string }): string {
  return readable(name) === "" ? id.slice(0, 8) : name;
}

/** What has to be typed for a name; `otherwise` where it shows nothing. */
export function wordFor(name: string, otherwise: string): string {
  return readable(name) || otherwise;
}

/** Whether that was typed. */
export function isTyped(typed: string, word: string): boolean {
  return word !== "" && readable(typed) === word;
}
