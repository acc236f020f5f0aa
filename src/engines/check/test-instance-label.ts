// How test instances are told from everything else on clusters and hosts, and from those of a check that still runs.
//
// Invariant: their installation label is their own, so no service takes one for its own or for an orphan, and a check
// never touches a customer's machine. The account label holds the check's process and its deadline.

import { hostname } from "node:os";

/** The installation label of all test instances. */
export const probeInstallation = "lessor-engine-check";

/** The label of this check. `until`: milliseconds since 1970. */
export function checkerMark(until: number): string {
  return `${hostname()}:${process.pid}:${until}`;
}

/**
 * Whether the check that created it is over: its time is up, or it ran on this machine and its process is gone. `mark`:
 * from checkerMark; any other label is no orphan's. `now`: milliseconds since 1970.
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
    // The process exists and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
