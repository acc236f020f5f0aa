// Fake libvirt hosts for tests of `lessor engine check` and `lessor image import`: fit to serve, until the test makes
// something of them unfit. What the fake does not know of virsh, because only these commands ask it, is answered here.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { probeInstallation } from "../../src/engines/check/test-instance-label.ts";
import type { Step, Subject } from "../../src/engines/libvirt/check/subject.ts";
import { readCapabilities } from "../../src/engines/libvirt/host/capabilities.ts";
import type { HostConnection } from "../../src/engines/libvirt/host-connection.ts";
import type { LibvirtSettings } from "../../src/engines/libvirt/settings/settings.ts";
import { type CallOptions, fromInput, type Virsh } from "../../src/engines/libvirt/virsh/virsh.ts";
import { readOne } from "../../src/engines/libvirt/xml/read.ts";
import { lines } from "./check-stand.ts";
import type { FakeHost } from "./fake-libvirt/fake-host.ts";
import { beginStand, type Stand } from "./fake-libvirt/stand.ts";
import { standInIso } from "./stand-in.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const version = `Compiled against library: libvirt 9.0.0
Using library: libvirt 9.0.0
Using API: QEMU 9.0.0
Running hypervisor: QEMU 7.2.22
Running against daemon: 9.0.0
`;

/** As `pool-info` and `net-info` print it; --quiet changes nothing there. */
export const info = {
  pool: (part: Record<string, string> = {}) =>
    fields({ Name: "default", State: "running", Persistent: "yes", Autostart: "yes", ...part }),
  network: (part: Record<string, string> = {}) =>
    fields({ Name: "default", Active: "yes", Persistent: "yes", Autostart: "yes", ...part }),
};

export const efi =
  "<domainCapabilities><os supported='yes'><enum name='firmware'><value>efi</value></enum></os></domainCapabilities>";

export class LibvirtCheckStand {
  readonly stand: Stand;
  /** The search path of programs. */
  readonly path: string;

  constructor(stand: Stand, path: string) {
    this.stand = stand;
    this.path = path;
  }

  get settings(): LibvirtSettings {
    return this.stand.settings;
  }

  host(name: string): FakeHost {
    return this.stand.fake.world.host(name);
  }

  /** From now on this is what the command prints, at the hosts that match, such as "h1" or "h[12]". */
  answer(command: string, text: string, hosts = "h\\d"): void {
    this.stand.fake.faults.add(commandAt(hosts, command), { answer: text }, Infinity);
  }

  /** From now on this is what the command complains of. */
  refuse(command: string, complaint: string, hosts = "h\\d"): void {
    this.stand.fake.faults.add(commandAt(hosts, command), { fail: complaint }, Infinity);
  }

  readonly connect = (uri: string): Virsh => this.stand.fake.virsh(uri);

  /**
   * The hosts as they take files of this machine: `upload` gives what reading the file at that path gives the host. A raw
   * volume that a qcow2 was sent to is one then, as libvirt sees when it looks anew.
   */
  takingFiles(upload: (path: string) => Buffer | Promise<Buffer>): (uri: string) => Virsh {
    return (uri) => {
      const all = bound(this.connect(uri));
      const call = async (args: readonly string[], options: CallOptions): Promise<string> => {
        const [command, , pool = "", name = "", file = ""] = args;
        if (command !== "vol-upload" || file === fromInput) return all.call(args, options);
        const input = await upload(file);
        await all.call(["vol-upload", "--pool", pool, name, fromInput], { ...options, input });
        this.#noticeFormat(uri, pool, name);
        return "";
      };
      return { ...all, call };
    };
  }

  #noticeFormat(uri: string, pool: string, name: string): void {
    const host = [...this.stand.fake.world.hosts.values()].find((one) => one.uri === uri);
    const { file } = host?.storage.volume(pool, name) ?? {};
    if (file === undefined || file.content.toString("latin1", 0, 4) !== "QFI\xfb") return;
    file.format = "qcow2";
    file.capacity = Number(file.content.readBigUInt64BE(24));
  }

  place(name = "h1", part: Partial<LibvirtSettings> = {}): HostConnection {
    const settings = { ...this.settings, ...part };
    const host = settings.hosts.find((one) => one.name === name);
    if (host === undefined) throw new Error(`BUG: no host of the stand is called ${name}`);
    return { host, settings, installation: probeInstallation, virsh: this.connect(host.uri) };
  }

  subject(part: Partial<LibvirtSettings> = {}): Subject {
    const capabilities = readCapabilities(readOne(this.host("h1").hardware.capabilities()));
    return { place: this.place("h1", part), capabilities };
  }

  /** The lines that the step tells of h1. */
  run(step: Step, part: Partial<LibvirtSettings> = {}): Promise<string[]> {
    return lines(step(this.subject(part), AbortSignal.timeout(10_000)));
  }
}

/** Hosts h1, h2 and h3, and the programs that the engine starts on this machine. */
export async function beginLibvirtCheckStand(part: Partial<LibvirtSettings> = {}): Promise<LibvirtCheckStand> {
  const stand = await beginStand({ managementNetworks: ["192.0.2.0/24"], ...part });
  // Probe machines have seeds, and what makes them is not on every machine that runs these tests.
  await standInIso();
  const path = await temporaryDirectory();
  for (const program of ["virsh", "script", "genisoimage", "ssh"]) addProgram(path, program);
  const check = new LibvirtCheckStand(stand, path);
  check.answer("version --daemon", version);
  check.answer("pool-info default", info.pool());
  check.answer("net-info default", info.network());
  check.answer("domcapabilities .*", efi);
  // What the shell of a fake guest says is no answer to whom it reaches, and would be waited for.
  check.refuse("console .*", "internal error: the guest has no shell");
  return check;
}

export function addProgram(directory: string, name: string): void {
  writeFileSync(join(directory, name), "#!/bin/sh\n");
  chmodSync(join(directory, name), 0o755);
}

function bound(virsh: Virsh): Virsh {
  return {
    call: (...given) => virsh.call(...given),
    bytes: (...given) => virsh.bytes(...given),
    all: (...given) => virsh.all(...given),
    follow: (...given) => virsh.follow(...given),
    console: (...given) => virsh.console(...given),
  };
}

function commandAt(hosts: string, command: string): RegExp {
  return new RegExp(`^${hosts} ${command}$`);
}

function fields(all: Record<string, string>): string {
  return Object.entries(all)
    .map(([name, value]) => `${`${name}:`.padEnd(16)}${value}\n`)
    .join("");
}
