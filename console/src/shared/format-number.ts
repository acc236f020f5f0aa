// Numbers as people read them, with separators. Pure. Single source for counts and amounts; money has format-money.ts.

/** By digits: to make one takes longer than to draw the tile of a host. */
const formats = new Map<number, Intl.NumberFormat>();

/** "20,000" of 20000; "2.5" of 2.5. At most `digits` (0 to 20) after the point. */
export function formatNumber(value: number, digits = 2): string {
  const format = formats.get(digits) ?? new Intl.NumberFormat("en", { maximumFractionDigits: digits });
  formats.set(digits, format);
  return format.format(value);
}

/** "1 host", "1,000 hosts". `plural`: where it is not the singular and an "s". */
export function counted(value: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(value)} ${value === 1 ? singular : plural}`;
}
