// What a client wrote, in a sentence for people. Used by errors of the rental and of HTTP.

/** `text` without what is beyond `most` UTF-16 units; a cut shows as "…". Never half of a surrogate pair. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** `text` so that it can be read back safely: quoted, and never at length. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text, 80));
}
