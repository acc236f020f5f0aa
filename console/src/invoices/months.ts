// The months that a list of invoices can be filtered by. Pure.

/** The most that are offered. */
const most = 60;

/** From that of `now` (milliseconds) back to that of `since` (a time), as 2026-03, in UTC. */
export function monthsSince(since: string, now: number): readonly string[] {
  const first = since.slice(0, 7);
  const months: string[] = [];
  const month = new Date(now);
  month.setUTCDate(1);
  for (; months.length < most; month.setUTCMonth(month.getUTCMonth() - 1)) {
    const name = month.toISOString().slice(0, 7);
    if (name < first) break;
    months.push(name);
  }
  return months;
}
