// The LXD daemon of a member. A process that does nothing holds the member's namespaces (network and mounts), and the
// daemon runs in them: so one that is killed and started again sees the mounts that it made before, as on a real machine.
//
// `ip netns exec` mounts a fresh /sys, without the control groups; they are kept aside before and mounted there again.
// All in a mount namespace of its own, so that nothing of it is seen, or left, on the machine.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { logEnd, startDetached, until } from "../../support/lab/detached.ts";
import { identityOf, isAlive } from "../../support/lab/processes.ts";
import { run } from "../../support/lab/run.ts";
import type { Layout, MemberLayout } from "./layout.ts";

// $1: where the control groups are kept aside, $2: the namespace, $3: the file that says that all is ready, $4: the
// lab's directory, by which its file systems are known; then the directories that are to be in memory.
const HOLD = `
set -e
groups=$1 namespace=$2 ready=$3 lab=$4
shift 4
mount --rbind /sys/fs/cgroup "$groups"
for directory; do mount -t tmpfs -o mode=0711 "$lab" "$directory"; done
exec ip netns exec "$namespace" sh -c 'mount --rbind "$1" /sys/fs/cgroup && : >"$2" && exec sleep infinity' \\
  sh "$groups" "$ready"`;

/** What of LXD_DIR is written most: unpacking an image takes 0.9 s in memory, and 2 to 13 s on the disk of a small machine. */
const busyDirectories = ["database", "images", "storage-pools"] as const;

/** Available memory from which these are kept in it: a guest takes 300 MB there, and a test has some ten at once. */
const ENOUGH_MEMORY_GIB = 7;

/** Makes the namespaces. Returns when they are there. */
export async function startHolder(layout: Layout, member: MemberLayout): Promise<void> {
  const groups = join(layout.directory, `${member.name}.cgroup`);
  const ready = join(layout.directory, `${member.name}.ready`);
  mkdirSync(groups);
  mkdirSync(member.lxdDir, { mode: 0o711 });
  const inMemory =
    availableMemoryGib() < ENOUGH_MEMORY_GIB ? [] : busyDirectories.map((name) => join(member.lxdDir, name));
  for (const directory of inMemory) mkdirSync(directory, { mode: 0o711 });
  const script = ["sh", "-c", HOLD, "sh", groups, member.namespace, ready, layout.directory, ...inMemory];
  const args = ["--mount", "--propagation", "slave", ...script];
  // Everything that is exec'ed keeps the id, so it is the holder's.
  const pid = startDetached("unshare", args, member.logFile, { LXD_DIR: member.lxdDir });
  writeFileSync(member.holderFile, `${pid}`);
  await until(() => existsSync(ready), `the namespaces of ${member.name}`, member.logFile);
}

/** Starts the daemon and returns when it answers. Nothing to do where it runs. */
export async function startDaemon(member: MemberLayout): Promise<void> {
  if (daemonIsAlive(member)) return;
  const holder = readFileSync(member.holderFile, "utf8");
  const inNamespaces = ["--target", holder, "--mount", "--net", "--wd=/"];
  const command = [...inNamespaces, "lxd", "--group", "root"];
  const pid = startDetached("nsenter", command, member.logFile, { LXD_DIR: member.lxdDir });
  writeFileSync(member.daemonFile, `${pid}`);
  try {
    await run("lxd", ["waitready", "--timeout", "60"], { env: { LXD_DIR: member.lxdDir } });
  } catch (cause) {
    throw new Error(`The daemon of ${member.name} does not come up. Its log ends: ${logEnd(member.logFile)}`, {
      cause,
    });
  }
}

/** Ends the daemon and returns when it is gone; its containers run on. SIGTERM: in order. SIGKILL: as in a crash. */
export async function endDaemon(member: MemberLayout, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const daemon = daemonOf(member);
  if (daemon === undefined) return;
  process.kill(daemon.pid, signal);
  await until(() => !isAlive(daemon), `the end of the daemon of ${member.name}`, member.logFile);
}

export function daemonIsAlive(member: MemberLayout): boolean {
  return daemonOf(member) !== undefined;
}

/** Never another process that has its number by now. */
function daemonOf(member: MemberLayout) {
  const daemon = existsSync(member.daemonFile)
    ? identityOf(Number(readFileSync(member.daemonFile, "utf8")))
    : undefined;
  if (daemon === undefined) return undefined;
  const environment = readFileSync(`/proc/${daemon.pid}/environ`, "utf8").split("\0");
  return environment.includes(`LXD_DIR=${member.lxdDir}`) ? daemon : undefined;
}

function availableMemoryGib(): number {
  const kibibytes = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
  return Number(kibibytes ?? 0) / 2 ** 20;
}
