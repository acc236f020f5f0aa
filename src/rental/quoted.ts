// Quotes a client's text in a sentence for people. Used by errors of the rental and of HTTP.

/** `text` limited to `most` UTF-16 units; a cut shows as "…". Never splits a surrogate pair. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** `text`, quoted and limited in length. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text, 80));
}
