// The kernel's figures of a process (Linux): CPU time and resident memory. Used for the cost of an idle server, and to
// report CPU usage during a round.

import { readFile } from "node:fs/promises";

/**
 * The process and all its descendants except PostgreSQL, which is reported separately. Processes that end meanwhile are
 * left out.
 */
export async function serverProcesses(pid: number): Promise<number[]> {
  const started = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const children = started.split(" ").filter(Boolean).map(Number);
  const each = await Promise.all(
    children.map(async (child) => {
      const name = await readFile(`/proc/${child}/comm`, "utf8").catch(() => "postgres");
      return name.trim() === "postgres" ? [] : serverProcesses(child);
    }),
  );
  return [pid, ...each.flat()];
}

/** Of /proc/<pid>/stat, in ticks of 10 ms on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU of the process so far, in user space and in the kernel. Throws if it has ended. */
export async function cpuSeconds(pid: number): Promise<number> {
  return cpuSecondsIn(await readFile(`/proc/${pid}/stat`, "utf8"));
}

/** The name in parentheses may contain any character, so fields are counted from its end. */
export function cpuSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Megabytes (10^6) of resident memory. */
export async function residentMb(pid: number): Promise<number> {
  return residentMbIn(await readFile(`/proc/${pid}/status`, "utf8"));
}

export function residentMbIn(status: string): number {
  const kib = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  if (kib === undefined) throw new Error("the kernel tells no VmRSS");
  return (Number(kib) * 1024) / 1e6;
}
