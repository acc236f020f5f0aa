// Identifiers as clients write them. Internally always lower case, with dashes. Source: decisions, Identifiers and
// names (with or without dashes, in either case).

export const mostUuidCharacters = 36;

const shape = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/** The canonical form; undefined if the text is not a UUID. */
export function parseUuid(text: string): string | undefined {
  const parts = shape.exec(text);
  return parts === null ? undefined : parts.slice(1).join("-").toLowerCase();
}

/** A UUID that nothing has. */
const nobody = "00000000-0000-0000-0000-000000000000";

/** For lookups by client input: text that is not a UUID finds nothing, like an unknown one. */
export function asUuid(text: string): string {
  return parseUuid(text) ?? nobody;
}
