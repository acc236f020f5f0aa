// A lab: three libvirt hosts on this machine, for tests of what runs on real virtual machines.
//
// The lab is not in this process: `vmLabOf` gives the same lab to any process that knows its slot. What began it owns it,
// and a guardian removes it when that process is gone, however it ended.

import { join } from "node:path";
import { bringUp } from "../../support/lab/bring-up.ts";
import { cleanAbandonedLabs } from "../../support/lab/clean.ts";
import { setCable } from "../../support/lab/network.ts";
import { installPackages, refuseMachine } from "../../support/lab/packages.ts";
import type { Ended } from "../../support/lab/run.ts";
import { type SshLogin, sshLogin } from "../../support/lab/ssh.ts";
import { cleanHost, orphansOf, reinstallHost } from "./contents.ts";
import { endDaemon, type QemuProcess, qemuProcesses, startDaemon } from "./daemon.ts";
import { startHost } from "./host.ts";
import { cachedImages, imageVolumes } from "./images.ts";
import { type HostLayout, type HostName, type Layout, network, pool, vmLabs } from "./layout.ts";
import { lightCommandLine } from "./light-guest/build.ts";
import { virsh } from "./virsh.ts";

/** What another process needs to get at the lab. */
export interface VmLabFacts {
  readonly slot: number;
}

export interface VmHost {
  readonly name: HostName;
  /** As in `ip netns exec`. */
  readonly namespace: string;
  /** For any process of this machine: "qemu+tcp://10.215.0.1/system". */
  readonly uri: string;
  readonly address: string;
  /** Of `virsh capabilities`. */
  readonly uuid: string;
  /** Where its guests' addresses are; this machine reaches them. */
  readonly guestSubnet: string;
}

export interface VmLab extends VmLabFacts {
  readonly hosts: readonly VmHost[];
  /** The libvirt network and the storage pool of each host. */
  readonly network: string;
  readonly pool: string;
  /** The volumes that are in each pool from the start. */
  readonly images: readonly string[];
  /** How the light guest is started: volumes of the pool, and the kernel's command line. Its disk is the first, virtio. */
  readonly light: {
    readonly image: string;
    readonly kernel: string;
    readonly initrd: string;
    readonly commandLine: string;
  };
  /** libvirt's client at that host; `input` is its /dev/stdin. Throws where it fails, and after 30 seconds. */
  virsh(host: string, args: readonly string[], input?: string): Promise<string>;
  /** A real login from this machine. Never throws for what the guest answers. */
  ssh(login: SshLogin): Promise<Ended>;
  /** Ends the host's libvirtd in order. Its guests run on. */
  stopDaemon(host: string): Promise<void>;
  /** kill -9 of the host's libvirtd. Its guests run on. */
  killDaemon(host: string): Promise<void>;
  /** Returns when libvirtd listens. Nothing to do where it runs. */
  startDaemon(host: string): Promise<void>;
  /** The QEMU processes of the host's guests, also while libvirtd is away. */
  qemuPids(host: string): QemuProcess[];
  /** Cuts the host's cable: it and its guests run on, and nobody reaches them. */
  cutHost(host: string): Promise<void>;
  mendHost(host: string): Promise<void>;
  /** Makes it another host under its name, without guests. Returns when its libvirtd listens. */
  reinstallHost(host: string): Promise<void>;
  /** Makes all hosts as they were at the beginning: cables, daemons, no guests, no volumes but the images. */
  clean(): Promise<void>;
  /** What tests have left at all hosts, one line for each domain, file, filter and reserved address. */
  leftovers(): Promise<string[]>;
}

/** The lab in that slot, which runs. */
export function vmLabOf({ slot }: VmLabFacts): VmLab {
  const layout = vmLabs.layoutOf(slot);
  const host = (name: string): HostLayout => {
    const found = layout.members.find((one) => one.name === name);
    if (found === undefined) throw new Error(`The lab has no host "${name}"`);
    return found;
  };
  return {
    slot,
    hosts: layout.members.map(({ name, namespace, uri, address, uuid, guestSubnet }) => {
      return { name, namespace, uri, address, uuid, guestSubnet };
    }),
    network,
    pool,
    images: imageVolumes,
    light: {
      image: "light.qcow2",
      kernel: "light-vmlinuz",
      initrd: "light-initrd",
      commandLine: lightCommandLine,
    },
    virsh: (name, args, input) => virsh(host(name), args, input),
    ssh: (login) => sshLogin(login, layout.directory),
    stopDaemon: (name) => endDaemon(host(name), "SIGTERM"),
    killDaemon: (name) => endDaemon(host(name), "SIGKILL"),
    startDaemon: (name) => startDaemon(host(name)),
    qemuPids: (name) => qemuProcesses(host(name)),
    cutHost: (name) => setCable(host(name), "down"),
    mendHost: (name) => setCable(host(name), "up"),
    reinstallHost: (name) => reinstallHost(host(name)),
    clean: async () => void (await Promise.all(layout.members.map(cleanHost))),
    leftovers: async () => (await Promise.all(layout.members.map(orphansOf))).flat(),
  };
}

export interface StartedVmLab {
  readonly lab: VmLab;
  /** Removes all of it. Once is enough, twice does no harm. */
  stop(): Promise<void>;
}

/** Besides what every Debian has. The machine's own libvirtd, where one runs, is in nobody's way. */
const packages = [
  ...["libvirt-daemon-system", "libvirt-clients", "libvirt-daemon-driver-qemu", "libvirt-daemon-config-network"],
  ...["libvirt-daemon-config-nwfilter", "qemu-system-x86", "qemu-utils", "genisoimage", "dnsmasq-base"],
  ...["iptables", "ebtables", "iproute2", "openssh-client", "mmdebstrap", "busybox-static", "cpio", "e2fsprogs"],
  // For the image that operators build, and the schema of domains.
  ...["ovmf", "fdisk", "mtools", "libxml2-utils"],
];

/**
 * Brings up a lab, after removing those that killed runs have left. `log` is told, line by line, what takes long. Throws
 * where the machine is not fit for it; then nothing is left behind.
 */
export async function startVmLab({ log }: { log: (line: string) => void }): Promise<StartedVmLab> {
  refuseMachine({ command: "npm run test:vm", starts: "three libvirt hosts" });
  await installPackages(packages, log);
  await cleanAbandonedLabs(vmLabs, log);
  const images = await cachedImages(log);
  const guardian = join(import.meta.dirname, "guardian.ts");
  const { layout, stop } = await bringUp(vmLabs, guardian, async ({ members }: Layout) => {
    await Promise.all(members.map((host) => startHost(host, images)));
  });
  return { lab: vmLabOf(layout), stop };
}
