// Timestamps as clients write them: ISO 8601 with date, time and offset, and nothing that JavaScript would guess or move to
// another day. Used by the interfaces (http/api/timestamps.ts) and by the command line.

const shape = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Undefined: the text is no timestamp of the years 1970 to 9999. */
export function timestampFrom(text: string): Date | undefined {
  const [year, month, day, hour, minute, second] = (shape.exec(text) ?? []).slice(1).map(Number);
  const moment = new Date(text);
  // Date reads 30 February as 2 March, so the day is compared with the last day of the month.
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  const real =
    year !== undefined && (day ?? 0) <= lastDay && (hour ?? 99) < 24 && (minute ?? 99) < 60 && (second ?? 99) < 60;
  const utcYear = moment.getUTCFullYear();
  return !real || Number.isNaN(utcYear) || utcYear < 1970 || utcYear > 9999 ? undefined : moment;
}
