// How probe instances are told from everything else on clusters and hosts, and from those of a check that is still running.
//
// Invariant: they carry an installation mark of their own, so no service takes one for its own or for an orphan, and a
// check never touches a renter's machine. The account mark says whose check it is, and until when it can still run.

import { hostname } from "node:os";

/** The installation that all probe instances belong to. */
export const probeInstallation = "lessor-engine-check";

/** Who checks: written into each probe instance. `until`: milliseconds since 1970. */
export function checkerMark(until: number): string {
  return `${hostname()}:${process.pid}:${until}`;
}

/**
 * Whether the check that made it is over: its time is up, or it ran on this machine and its process is gone. `mark`: of
 * checkerMark; anything else, or none, is nobody's. `now`: milliseconds since 1970.
 */
export function isOrphan(
  mark: string | undefined,
  now: number,
  isAlive: (pid: number) => boolean = processLives,
): boolean {
  const [, machine, pid, until] = /^(.*):(\d+):(\d+)$/.exec(mark ?? "") ?? [];
  if (Number(until ?? 0) < now) return true;
  return machine === hostname() && !isAlive(Number(pid));
}

function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one too.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
