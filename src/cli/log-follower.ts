// What is new in a console log that is read again and again: each read gives the end of the log, of up to 1 MiB. Pure.

/** Enough to find the place by; a longer one would not be found any faster. */
const probeLength = 256;
/** A log that repeats itself has many places that look right. */
const mostPlaces = 1000;

/** What `now` has beyond `before`; all of it, as `isNewLog`, where it does not continue it, as after a reboot. */
export function newPart(before: string, now: string): { readonly text: string; readonly isNewLog: boolean } {
  if (now.startsWith(before)) return { text: now.slice(before.length), isNewLog: false };
  // Its beginning may have been dropped, at the end of a line; then its first line stands in what was there before.
  const probe = now.slice(0, Math.min(now.indexOf("\n") + 1, probeLength));
  let at = before.indexOf(`\n${probe}`);
  for (let tries = 0; probe !== "" && at !== -1 && tries < mostPlaces; tries += 1) {
    const kept = before.slice(at + 1);
    if (now.startsWith(kept)) return { text: now.slice(kept.length), isNewLog: false };
    at = before.indexOf(`\n${probe}`, at + 1);
  }
  return { text: now, isNewLog: now !== "" };
}
