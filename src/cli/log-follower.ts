// Finds what is new in a console log that is polled: each read returns the end of the log, up to 1 MiB. Pure.

/** Enough to find the position; a longer one is no faster. */
const probeLength = 256;
/** A repetitive log has many positions that look right. */
const mostPlaces = 1000;

/** What `now` adds to `before`; all of it, as `isNewLog`, if it does not continue it, as after a reboot. */
export function newPart(before: string, now: string): { readonly text: string; readonly isNewLog: boolean } {
  if (now.startsWith(before)) return { text: now.slice(before.length), isNewLog: false };
  // Its beginning may have been dropped, at a line end; then its first line is inside the previous read.
  const probe = now.slice(0, Math.min(now.indexOf("\n") + 1, probeLength));
  let at = before.indexOf(`\n${probe}`);
  for (let tries = 0; probe !== "" && at !== -1 && tries < mostPlaces; tries += 1) {
    const kept = before.slice(at + 1);
    if (now.startsWith(kept)) return { text: now.slice(kept.length), isNewLog: false };
    at = before.indexOf(`\n${probe}`, at + 1);
  }
  return { text: now, isNewLog: now !== "" };
}
