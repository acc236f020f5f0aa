// The clock and the ids of the fixed world (service.ts): always the same, so that pictures of it are.

/** A Wednesday in the middle of a month, with a day of usage behind it and half a one to come. */
export const fixedNow = new Date("2026-03-18T14:20:00.000Z");

const second = 1000;
export const minute = 60;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The moment so many seconds before the fixed one. */
export const ago = (seconds: number): string => new Date(fixedNow.getTime() - seconds * second).toISOString();

/** The moment so many seconds after it. */
export const inTime = (seconds: number): string => ago(-seconds);

const kinds = [
  "account",
  "token",
  "instance",
  "key",
  "file-system",
  "webhook",
  "event",
  "delivery",
  "entry",
  "server",
  "ruleset",
  "window",
  "reservation",
  "session",
  "person",
  "invitation",
  "voucher",
  "invoice",
  "payment",
  "method",
  "budget",
] as const;

/** The id of the `number`th thing of a kind. */
export function idOf(kind: (typeof kinds)[number], number: number): string {
  const index = kinds.indexOf(kind);
  // Three digits that differ between kinds.
  const digits = `${(index % 16).toString(16)}${Math.floor(index / 16)}0`;
  return `0195a${digits}-0000-7000-8000-${String(number).padStart(12, "0")}`;
}

/** The fields of a cost. `cents` are whole. */
export function costOf(cents: number): { cost_micro_cents: string; cost_cents: string } {
  return { cost_micro_cents: `${cents}000000`, cost_cents: `${cents}.000000` };
}
