// An amount of dollars as it is typed. Pure.

/** Whole cents of "50", "$1,250.5" or "49.99"; null if empty; undefined if not an amount. */
export function centsOf(text: string): number | null | undefined {
  const plain = text
    .trim()
    .replace(/^\$\s*/, "")
    .replaceAll(",", "");
  if (plain === "") return null;
  const match = /^(\d{1,12})(?:\.(\d{0,2}))?$/.exec(plain);
  if (match === null) return undefined;
  return Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
}
