// The processes of a lab, found by what they cannot shed: the network namespace of a member, or a file system of the lab
// as their root (a container's own processes have only that). Never by a name, because other labs run the same programs.

import { existsSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Grounds } from "./grounds.ts";
import { attempt } from "./run.ts";

/** A process as it was then: its id may be given to another later, but not with the same start. */
export interface Identity {
  readonly pid: number;
  /** In clock ticks since the machine started. */
  readonly started: string;
}

/** Undefined where there is no such process, or only its remains that nobody has waited for. */
export function identityOf(pid: number): Identity | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything, so what follows its end is counted: state is field 3, start field 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields[0], fields[19]];
  if (started === undefined || state === "Z" || state === "X") return undefined;
  return { pid, started };
}

export function isAlive({ pid, started }: Identity): boolean {
  return identityOf(pid)?.started === started;
}

/** Kills everything that runs in the lab and waits for its end; the control groups that only they used go as well. */
export async function killAllOf(lab: Grounds): Promise<void> {
  const groups = new Set<string>();
  const deadline = performance.now() + 30_000;
  for (;;) {
    const pids = await processesOf(lab);
    if (pids.length === 0) break;
    if (performance.now() > deadline) throw new Error(`Processes of the lab do not end: ${pids.join(", ")}`);
    for (const pid of pids) {
      for (const group of controlGroupsOf(pid)) groups.add(group);
      kill(pid);
    }
    await sleep(20);
  }
  // What nobody has waited for yet keeps its group busy, and on some machines the first process takes a second for that.
  while (!removeControlGroups(groups) && performance.now() < deadline) await sleep(50);
}

/** Everything that runs in the lab, but us. */
export async function processesOf(lab: Grounds): Promise<number[]> {
  const found = new Set<number>();
  for (const { namespace } of lab.members) {
    // Fails where there is no such namespace (any more).
    const { stdout } = await attempt("ip", ["netns", "pids", namespace]);
    for (const pid of stdout.split("\n").filter(Boolean)) found.add(Number(pid));
  }
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (Number.isInteger(pid) && belongsTo(lab, pid)) found.add(pid);
  }
  found.delete(process.pid);
  return [...found].filter((pid) => identityOf(pid) !== undefined);
}

/** Whether its root is on a file system of the lab: on the disk, or in memory, where the lab's directory is the source. */
function belongsTo({ directory }: Grounds, pid: number): boolean {
  const mounts = read(`/proc/${pid}/mountinfo`).split("\n");
  return mounts.some((line) => {
    const [, , , part, mountPoint] = line.split(" ");
    const [, source] = line.slice(line.indexOf(" - ") + 3).split(" ");
    // The part is told without the path of the mount that it is on, hence `includes`.
    const ofDisk = `${part}/`.includes(`${directory.slice("/var/lib".length)}/`);
    return mountPoint === "/" && (ofDisk || source === directory);
  });
}

/** Only those that LXC made, which bear its name. */
function controlGroupsOf(pid: number): string[] {
  return read(`/proc/${pid}/cgroup`)
    .split("\n")
    .flatMap((line) => {
      const path = line.split(":").slice(2).join(":");
      const own = /^.*?\/lxc\.(payload|monitor)\.[^/]+/.exec(path)?.[0];
      return own === undefined ? [] : [own];
    });
}

/** Leaves first. In every hierarchy of version 1, or in the one of version 2. False where something is left. */
function removeControlGroups(groups: ReadonlySet<string>): boolean {
  const top = "/sys/fs/cgroup";
  const hierarchies = [top, ...list(top).map((name) => join(top, name))];
  const remove = (path: string): void => {
    for (const child of list(path)) remove(join(path, child));
    try {
      rmdirSync(path);
    } catch {
      // Not in this hierarchy, or still busy.
    }
  };
  const paths = [...groups].flatMap((group) => hierarchies.map((hierarchy) => join(hierarchy, group)));
  for (const path of paths) remove(path);
  return !paths.some((path) => existsSync(path));
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map((one) => one.name);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** "" where the process is gone meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
