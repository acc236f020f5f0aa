// Numbers as people read them: with separators, and with no digits that say nothing. Pure. Single source of how a count or an
// amount is written; money has format-money.ts. Used by pages and by format-time.ts.

/** "20,000" of 20000; "2.5" of 2.5. At most `digits` (0 to 20) after the point. */
export function formatNumber(value: number, digits = 2): string {
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** "1 host", "1,000 hosts". `plural`: where it is not the singular and an "s". */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(value)} ${value === 1 ? singular : plural}`;
}
