// The kernel's figures of a process (Linux): CPU time and memory. Used for the cost of an idle server, and to report CPU
// usage during a round.

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

export function cpuSecondsIn(stat: string): number {
  const [user = 0, system = 0] = timesIn(stat);
  return (user + system) / TICKS_PER_SECOND;
}

/** As cpuSeconds, with the processes that it started and that have ended. */
export async function cpuSecondsWithEnded(pid: number): Promise<number> {
  return cpuSecondsWithEndedIn(await readFile(`/proc/${pid}/stat`, "utf8"));
}

export function cpuSecondsWithEndedIn(stat: string): number {
  return timesIn(stat).reduce((total, ticks) => total + ticks, 0) / TICKS_PER_SECOND;
}

/**
 * In user space and in the kernel, of the process and of its ended children. The name in parentheses may contain any
 * character, so fields are counted from its end.
 */
function timesIn(stat: string): number[] {
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map(Number);
}

/** Megabytes (10^6) of resident memory. */
export async function residentMb(pid: number): Promise<number> {
  return residentMbIn(await readFile(`/proc/${pid}/status`, "utf8"));
}

export function residentMbIn(status: string): number {
  return megabytesIn(status, "VmRSS");
}

/** Megabytes (10^6): the most resident memory since the process began. */
export async function peakMb(pid: number): Promise<number> {
  return megabytesIn(await readFile(`/proc/${pid}/status`, "utf8"), "VmHWM");
}

/** Megabytes (10^6) of resident memory, in which what processes share counts once in all: each has its part of it. */
export async function proportionalMb(pid: number): Promise<number> {
  return megabytesIn(await readFile(`/proc/${pid}/smaps_rollup`, "utf8"), "Pss");
}

function megabytesIn(text: string, field: "VmRSS" | "VmHWM" | "Pss"): number {
  const kib = new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(text)?.[1];
  if (kib === undefined) throw new Error(`the kernel tells no ${field}`);
  return (Number(kib) * 1024) / 1e6;
}
