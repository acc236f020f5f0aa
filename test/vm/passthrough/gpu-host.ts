// The GPU host: a machine in emulation with an IOMMU, whose cards are QEMU's. Used by run.ts and secret.ts.
//
// It ends with this process, however that ends; what is left then is its directory.

import { spawn } from "node:child_process";
import { copyFileSync, createWriteStream, linkSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestKey } from "../../support/keys.ts";
import { logEnd } from "../../support/lab/detached.ts";
import { attempt, run } from "../../support/lab/run.ts";
import { sshOptions } from "../../support/lab/ssh.ts";
import type { HostImage } from "./host-image.ts";

/** Where the pool's files are on the host. */
export const poolDirectory = "/srv/images";

export interface GpuHost {
  readonly uri: string;
  /** ssh and its arguments up to the command, with a connection that is open already. */
  readonly login: readonly string[];
  /** The same with another key, without a connection that is open already. */
  loginBy(key: TestKey): readonly string[];
  /** Runs a command as root on the host, with `input` to read; gives what it printed. Throws where it fails. */
  on(command: string, input?: string): Promise<string>;
  /** Asks the machine itself, from outside (QEMU's monitor). */
  monitor(command: string): Promise<string>;
  stop(): Promise<void>;
}

const machine = [
  ...["-machine", "q35", "-accel", "tcg,thread=multi", "-smp", "2", "-m", "4G", "-no-user-config", "-nodefaults"],
  // Page tables of five levels, which the rest of "max" brings, are slower to walk.
  ...["-cpu", "max,la57=off", "-display", "none", "-device", "virtio-rng-pci"],
  // As wide as a guest's own addresses.
  ...["-device", "intel-iommu,intremap=on,aw-bits=48"],
];

/**
 * The last line saves time and changes nothing that is tried. No display of the kind that secret.ts gives to tenants
 * becomes the host's own.
 */
const commandLine = [
  ...["root=/dev/vda", "console=ttyS0", "intel_iommu=on", "modprobe.blacklist=virtio_gpu"],
  // On a busy machine the timer is late for the kernel's check of it.
  ...["no_timer_check", "mitigations=off", "nokaslr", "audit=0", "random.trust_cpu=on"],
].join(" ");

export interface GpuHostParts {
  readonly image: HostImage;
  /** Options of QEMU that describe the devices. */
  readonly cards: readonly string[];
  /** Files that become volumes. */
  readonly pool: readonly string[];
  /** With which root logs in. */
  readonly key: TestKey;
  /** For the run, removed by the caller. */
  readonly directory: string;
}

/** Returns when libvirt answers. */
export async function startGpuHost({ image, cards, pool, key, directory }: GpuHostParts): Promise<GpuHost> {
  const [sshPort, libvirtPort] = await Promise.all([freePort(), freePort()]);
  const [disk, srv, monitorSocket] = ["host.qcow2", "srv.raw", "monitor"].map((name) => join(directory, name));
  if (disk === undefined || srv === undefined || monitorSocket === undefined) throw new Error("BUG: three names");
  await run("qemu-img", ["create", "-q", "-f", "qcow2", "-b", image.disk, "-F", "qcow2", disk]);
  await makeSrv(srv, pool, key, join(directory, "srv"));
  const forward = `hostfwd=tcp:127.0.0.1:${sshPort}-:22,hostfwd=tcp:127.0.0.1:${libvirtPort}-:16509`;
  const log = join(directory, "qemu.log");
  const child = spawn(
    // The tests of others come first.
    "setpriv",
    [
      ...["--pdeathsig", "KILL", "nice", "-n", "15", "qemu-system-x86_64", ...machine],
      ...["-kernel", image.kernel, "-initrd", image.initrd, "-append", commandLine],
      ...["-drive", `file=${disk},if=virtio,cache=unsafe`, "-drive", `file=${srv},format=raw,if=virtio,cache=unsafe`],
      ...["-netdev", `user,id=net,${forward}`, "-device", "virtio-net-pci,netdev=net", ...cards],
      ...["-serial", `file:${join(directory, "console")}`, "-monitor", `unix:${monitorSocket},server=on,wait=off`],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  for (const stream of [child.stdout, child.stderr]) stream.pipe(createWriteStream(log, { flags: "a" }));
  const control = ["-o", `ControlPath=${join(directory, "ssh")}`];
  const to = ["-p", `${sshPort}`, "root@127.0.0.1"];
  const login = ["ssh", ...sshOptions(key.file), ...control, ...to];
  const host: GpuHost = {
    uri: `qemu+tcp://127.0.0.1:${libvirtPort}/system`,
    login,
    // The first of an option counts: a host in emulation that runs guests takes its time to answer.
    loginBy: (other) => ["ssh", "-o", "ConnectTimeout=60", ...sshOptions(other.file), ...to],
    on: (command, input) => run("ssh", [...login.slice(1), command], input === undefined ? {} : { input }),
    monitor: (command) => askMonitor(monitorSocket, command),
    stop: async () => {
      await attempt("ssh", [...control, "-O", "exit", ...to]);
      child.kill("SIGKILL");
      await ended;
    },
  };
  try {
    await untilUp(host, () => child.exitCode === null, log);
    // One connection for everything from now on; what is forked off keeps no pipe of ours.
    await run("ssh", [...sshOptions(key.file), ...control, "-fNM", ...to]);
    return host;
  } catch (error) {
    await host.stop();
    throw error;
  }
}

async function makeSrv(raw: string, pool: readonly string[], key: TestKey, work: string): Promise<void> {
  mkdirSync(join(work, "images"), { recursive: true, mode: 0o755 });
  writeFileSync(join(work, "authorized_keys"), `${key.publicKey}\n`, { mode: 0o600 });
  for (const path of pool) {
    const to = join(work, "images", path.split("/").at(-1) ?? "");
    try {
      linkSync(path, to);
    } catch {
      // On another file system.
      copyFileSync(path, to);
    }
  }
  await run("mke2fs", ["-q", "-t", "ext4", "-m", "0", "-d", work, raw, "8G"]);
}

async function untilUp(host: GpuHost, lives: () => boolean, log: string): Promise<void> {
  const deadline = performance.now() + 900_000;
  for (;;) {
    const [program = "", ...args] = host.login;
    const { code } = await attempt(program, [...args, "systemctl is-active libvirtd-tcp.socket"]);
    if (code === 0) return;
    if (!lives()) throw new Error(`The GPU host has ended: ${logEnd(log)}`);
    if (performance.now() > deadline) throw new Error("The GPU host is not up after 15 minutes");
    await sleep(2000);
  }
}

/** Each question has a connection of its own; the answer stands between two prompts. */
async function askMonitor(path: string, command: string): Promise<string> {
  const socket = connect(path);
  socket.write(`${command}\n`);
  let text = "";
  socket.setEncoding("utf8");
  for await (const part of socket) {
    text += part;
    if (text.split("(qemu) ").length > 2) break;
  }
  return text.split("(qemu) ")[1]?.split("\r\n").slice(1).join("\n").trim() ?? "";
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Of a TCP server it is an object.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
