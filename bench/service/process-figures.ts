// What the kernel tells of a process (Linux): CPU time and resident memory. Used for what a server at rest costs, and to
// say who was busy during a round.

import { readFile } from "node:fs/promises";

/**
 * The process and those that it started to do its work: all below it but PostgreSQL, which is told apart. Processes that
 * end meanwhile are left out.
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

/** Seconds of CPU the process has had so far, in user space and in the kernel. Throws when it is gone. */
export async function cpuSeconds(pid: number): Promise<number> {
  return cpuSecondsIn(await readFile(`/proc/${pid}/stat`, "utf8"));
}

/** The name in brackets may hold anything, so it is counted from its end. */
export function cpuSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Megabytes (10^6) that are in memory now. */
export async function residentMb(pid: number): Promise<number> {
  return residentMbIn(await readFile(`/proc/${pid}/status`, "utf8"));
}

export function residentMbIn(status: string): number {
  const kib = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  if (kib === undefined) throw new Error("the kernel tells no VmRSS");
  return (Number(kib) * 1024) / 1e6;
}
