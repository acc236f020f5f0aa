// A host: a process that does nothing holds its namespaces (network and mounts), and virtlogd and libvirtd run in them. So
// a daemon that is killed and started again finds its guests, as on a real machine.
//
// The host's own /run is in memory and libvirt's directories are the lab's, so nothing of it is seen, or left, on the
// machine. /dev/kvm is covered: libvirt would offer what this machine may not be able to do (a guest hangs on it).

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { logEnd, startDetached, until } from "../../support/lab/detached.ts";
import { type Identity, identityOf, isAlive } from "../../support/lab/processes.ts";
import { attempt } from "../../support/lab/run.ts";
import type { HostLayout } from "./layout.ts";

// $1: the host's directory, $2: the file that says that all is ready. `ip netns exec` has made a mount namespace.
const HOLD = `
set -e
mount -t tmpfs -o mode=0755 tmpfs /run
mkdir -p /run/libvirt /run/lock
mount --bind "$1/etc" /etc/libvirt
for name in lib cache log; do mount --bind "$1/$name" "/var/$name/libvirt"; done
if [ -e /dev/kvm ]; then
  mount --bind "$1/no-kvm" /dev/kvm
  mount -o remount,bind,ro /dev/kvm
fi
echo 1 >/proc/sys/net/ipv4/ip_forward
: >"$2"
exec sleep infinity`;

/** Makes the namespaces, with libvirt's settings in them. Returns when they are there. */
export async function startHolder(host: HostLayout): Promise<void> {
  writeSettings(host);
  const ready = `${host.holderFile}.ready`;
  const args = ["netns", "exec", host.namespace, "sh", "-c", HOLD, "sh", host.directory, ready];
  // Everything that is exec'ed keeps the id, so it is the holder's.
  const pid = startDetached("ip", args, host.logFile);
  writeFileSync(host.holderFile, `${pid}`);
  await until(() => existsSync(ready), `the namespaces of ${host.name}`, host.logFile);
}

function writeSettings(host: HostLayout): void {
  for (const name of ["etc", "lib/images", "cache", "log/qemu"]) {
    mkdirSync(join(host.directory, name), { recursive: true, mode: 0o711 });
  }
  const etc = join(host.directory, "etc");
  writeFileSync(join(host.directory, "no-kvm"), "");
  cpSync("/etc/libvirt/nwfilter", join(etc, "nwfilter"), { recursive: true });
  writeFileSync(
    join(etc, "libvirtd.conf"),
    // Without authentication, because the lab's network is this machine's own.
    `listen_tls = 0\nlisten_tcp = 1\nauth_tcp = "none"\nlisten_addr = "${host.address}"\nhost_uuid = "${host.uuid}"\n`,
  );
  writeFileSync(
    join(etc, "qemu.conf"),
    `security_driver = "none"\ncgroup_controllers = []\nuser = "root"\ngroup = "root"\n` +
      "dynamic_ownership = 0\nremember_owner = 0\nnamespaces = []\n",
  );
}

const STARTS = 20;

/**
 * Starts what does not run of virtlogd and libvirtd; returns when libvirtd answers. As systemd does it, it is started again
 * where it ends: what the one before was just starting when it was killed may hold its port, or its pid file, for a moment.
 */
export async function startDaemon(host: HostLayout): Promise<void> {
  if (!daemonOf(host.logDaemonFile, "virtlogd")) {
    enter(host, host.logDaemonFile, ["virtlogd"]);
    await until(() => existsSync(inside(host, "/run/libvirt/virtlogd-sock")), `virtlogd of ${host.name}`, host.logFile);
  }
  for (let starts = 0; starts < STARTS; starts++) {
    if (!daemonIsAlive(host)) enter(host, host.daemonFile, ["libvirtd", "--listen"]);
    await until(() => !daemonIsAlive(host) || listens(host), `libvirtd of ${host.name}`, host.logFile);
    const asked = ["--quiet", "--connect", `qemu+tcp://${host.address}/system`, "hostname"];
    const { code } = await attempt("virsh", asked, { timeoutSeconds: 30 });
    if (code === 0 && daemonIsAlive(host)) return;
    await sleep(100);
  }
  throw new Error(`libvirtd of ${host.name} does not come up: ${logEnd(host.logFile)}`);
}

function enter(host: HostLayout, file: string, command: readonly string[]): void {
  const holder = readFileSync(host.holderFile, "utf8");
  const pid = startDetached("nsenter", ["--target", holder, "--mount", "--net", "--wd=/", ...command], host.logFile);
  writeFileSync(file, `${pid}`);
}

/** Whether something listens at libvirt's port, 16509, in the host's network. */
function listens(host: HostLayout): boolean {
  const daemon = daemonOf(host.daemonFile, "libvirtd");
  // Local address and port, remote ones, state 0A.
  return daemon !== undefined && /:407D \S+ 0A/.test(readFileSync(`/proc/${daemon.pid}/net/tcp`, "utf8"));
}

/** Ends libvirtd and returns when it is gone; its guests run on. SIGTERM: in order. SIGKILL: as in a crash. */
export async function endDaemon(host: HostLayout, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const daemon = daemonOf(host.daemonFile, "libvirtd");
  if (daemon === undefined) return;
  process.kill(daemon.pid, signal);
  await until(() => !isAlive(daemon), `the end of libvirtd of ${host.name}`, host.logFile);
}

/** Kills the host's guests and returns when they are gone, also while libvirtd is away. */
export async function endGuests(host: HostLayout): Promise<void> {
  const guests = qemuProcesses(host).flatMap(({ pid }) => identityOf(pid) ?? []);
  for (const { pid } of guests) process.kill(pid, "SIGKILL");
  await until(() => !guests.some(isAlive), `the end of the guests of ${host.name}`, host.logFile);
}

export function daemonIsAlive(host: HostLayout): boolean {
  return daemonOf(host.daemonFile, "libvirtd") !== undefined;
}

/** Never another process that has its number by now. */
function daemonOf(file: string, program: string): Identity | undefined {
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
  const daemon = pid === undefined ? undefined : identityOf(pid);
  if (daemon === undefined) return undefined;
  const [word] = readFileSync(`/proc/${daemon.pid}/cmdline`, "utf8").split("\0");
  // Until it is exec'ed, it is nsenter, which is about to be it.
  return word === program || word === "nsenter" ? daemon : undefined;
}

/** A path of the host's own, as this process sees it. */
export function inside(host: HostLayout, path: string): string {
  return `/proc/${readFileSync(host.holderFile, "utf8")}/root${path}`;
}

export interface QemuProcess {
  /** The domain's name. */
  readonly domain: string;
  readonly pid: number;
}

/** Those that run, by what libvirt has noted of them; also while libvirtd is away. */
export function qemuProcesses(host: HostLayout): QemuProcess[] {
  const directory = inside(host, "/run/libvirt/qemu");
  const files = existsSync(directory) ? readdirSync(directory) : [];
  return files
    .filter((file) => file.endsWith(".pid") && file !== "driver.pid")
    .map((file) => ({ domain: file.slice(0, -4), pid: Number(readFileSync(join(directory, file), "utf8")) }))
    .filter(({ pid }) => identityOf(pid) !== undefined);
}
