// A libvirt daemon of the benchmark's own, with Debian's packages, that plays many hosts: each has a socket of its own,
// and all lead to the one daemon. It has its own network and its own view of libvirt's directories, so nothing of it is
// seen, or left, on the machine. Used by runs/hosts.ts.

import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isProgramOn } from "../../src/engines/check/programs.ts";
import { Program } from "../service/program.ts";
import type { NoPeer } from "./missing.ts";

const packages = ["libvirt-daemon", "libvirt-daemon-driver-qemu", "libvirt-clients", "qemu-system-x86"];

export interface LibvirtHosts extends AsyncDisposable {
  /** One for each host. */
  readonly uris: readonly string[];
  /** The daemon's own. */
  readonly socket: string;
  /** How many connections the daemon has. */
  connections(): Promise<number>;
}

// $0: the directory. The network of an unshared namespace has no interface that is up.
const ENTER = `
mount -t tmpfs -o mode=0755 tmpfs /run
mkdir -p /run/libvirt /run/lock
mount --bind "$0/etc" /etc/libvirt
for name in lib cache log; do mount --bind "$0/$name" "/var/$name/libvirt"; done
if [ -e /dev/kvm ]; then mount --bind "$0/no-kvm" /dev/kvm; fi
ulimit -n "$(ulimit -Hn)"
exec libvirtd`;

const POOL = "<pool type='dir'><name>default</name><target><path>/var/lib/libvirt/images</path></target></pool>";

/** `directory`: its own, existing. The hosts are this machine, with a pool and without guests. */
export async function startLibvirtHosts(directory: string, count: number): Promise<LibvirtHosts | NoPeer> {
  const path = process.env.PATH ?? "";
  const isThere = ["libvirtd", "virsh", "qemu-system-x86_64"].every((program) => isProgramOn(path, program));
  if (!isThere) return { missing: `libvirt is not installed: apt-get install ${packages.join(" ")}` };
  if (process.getuid?.() !== 0) return { missing: "only root can give libvirt a view of its own on the machine" };
  await writeSettings(directory, count);
  const daemon = new Program({
    name: "libvirtd",
    command: "unshare",
    args: ["--mount", "--net", "sh", "-ec", ENTER, directory],
    logFile: join(directory, "libvirtd.log"),
    cwd: directory,
  });
  const socket = join(directory, "libvirt-sock");
  const virsh = (...args: string[]) => promisify(execFile)("virsh", ["--quiet", "--connect", uriOf(socket), ...args]);
  try {
    await daemon.until(async () => (await virsh("hostname")).stdout !== "", 200);
    // It asks each QEMU what it can do, once.
    await virsh("capabilities");
    await virsh("pool-define", join(directory, "pool.xml"));
    await virsh("pool-start", "default");
    await Promise.all(Array.from({ length: count }, (_, index) => symlink(socket, join(directory, `${index}.sock`))));
  } catch (error) {
    await daemon.end();
    throw error;
  }
  return {
    socket,
    uris: Array.from({ length: count }, (_, index) => uriOf(join(directory, `${index}.sock`))),
    connections: async () => {
      // Their state and path, in the network in which the client is.
      const lines = (await readFile("/proc/net/unix", "utf8")).split("\n");
      return lines.filter((line) => / 03 +\d+ /.test(line) && line.endsWith(` ${socket}`)).length;
    },
    [Symbol.asyncDispose]: () => daemon.end(),
  };
}

/** Of a host behind this socket. */
export function uriOf(socket: string): string {
  return `qemu:///system?socket=${socket}`;
}

async function writeSettings(directory: string, count: number): Promise<void> {
  for (const name of ["etc", "lib/images", "cache", "log/qemu"]) {
    await mkdir(join(directory, name), { recursive: true, mode: 0o711 });
  }
  const file = (name: string, text: string) => writeFile(join(directory, name), text);
  // Each host may have several connections for a moment.
  const most = 10 * count;
  await file(
    "etc/libvirtd.conf",
    `listen_tls = 0\nlisten_tcp = 0\nunix_sock_dir = "${directory}"\nauth_unix_rw = "none"\nauth_unix_ro = "none"\n` +
      `max_clients = ${most}\nmax_queued_clients = ${most}\nmax_anonymous_clients = ${most}\n`,
  );
  await file("etc/qemu.conf", `security_driver = "none"\ncgroup_controllers = []\nstdio_handler = "file"\n`);
  await file("no-kvm", "");
  await file("pool.xml", POOL);
}
