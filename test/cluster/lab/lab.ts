// A lab: three LXD daemons on this machine that are one cluster, with an image, for tests of what runs on real machines.
//
// The lab is not in this process: `labOf` gives the same lab to any process that knows its slot. What began it owns it,
// and a guardian removes it when that process is gone, however it ended.

import { join } from "node:path";
import { bringUp } from "../../support/lab/bring-up.ts";
import { cleanAbandonedLabs } from "../../support/lab/clean.ts";
import { installPackages, refuseMachine } from "../../support/lab/packages.ts";
import type { Ended } from "../../support/lab/run.ts";
import { type ClientCertificate, clientCertificate } from "./client-certificate.ts";
import { formCluster, httpsPort, lxc } from "./cluster.ts";
import { endDaemon, startDaemon, startHolder } from "./daemon.ts";
import { type Login, probeCommand, ssh } from "./guest-access.ts";
import { cachedImage, importImage } from "./image.ts";
import { clusterLabs, type MemberLayout } from "./layout.ts";

/** What another process needs to get at the lab. */
export interface LabFacts {
  readonly slot: number;
}

export interface Member {
  readonly name: string;
  readonly namespace: string;
  readonly lxdDir: string;
  /** The Unix socket of its API. */
  readonly socket: string;
  readonly address: string;
  /** Its API over HTTPS, from this machine. */
  readonly url: string;
}

export interface Lab extends LabFacts {
  readonly members: readonly Member[];
  /** As in `ssh_probe.command` of the settings. */
  readonly probeCommand: string[];
  /** The lxc client on the first member. Gives its standard output; throws where it fails. */
  lxc(args: readonly string[], input?: string): Promise<string>;
  /** A real login from the member's namespace. Never throws for what the guest answers. */
  ssh(login: Login): Promise<Ended>;
  /** Ends the member's daemon in order. Its containers run on. */
  stopMember(name: string): Promise<void>;
  /** kill -9 of the member's daemon. Its containers run on. */
  killMember(name: string): Promise<void>;
  /** Returns when the daemon answers; the cluster sees it within some seconds. Nothing to do where it runs. */
  startMember(name: string): Promise<void>;
  clientCertificate(): Promise<ClientCertificate>;
  /** Removes every instance and every custom volume that a test has left. */
  clean(): Promise<void>;
}

/** The lab in that slot, which runs. */
export function labOf({ slot }: LabFacts): Lab {
  const layout = clusterLabs.layoutOf(slot);
  const member = (name: string): MemberLayout => {
    const found = layout.members.find((one) => one.name === name);
    if (found === undefined) throw new Error(`The lab has no member "${name}"`);
    return found;
  };
  const first = member("h1");
  const onFirst = (args: readonly string[], input?: string) => lxc(layout, first, args, input);
  return {
    slot,
    members: layout.members.map(({ name, namespace, lxdDir, socket, address }) => {
      return { name, namespace, lxdDir, socket, address, url: `https://${address}:${httpsPort}` };
    }),
    probeCommand: probeCommand(layout),
    lxc: onFirst,
    ssh: (login) => ssh(layout, login),
    stopMember: (name) => endDaemon(member(name), "SIGTERM"),
    killMember: (name) => endDaemon(member(name), "SIGKILL"),
    startMember: (name) => startDaemon(member(name)),
    clientCertificate: () => clientCertificate(layout),
    clean: () => emptyCluster(onFirst),
  };
}

export interface StartedLab {
  readonly lab: Lab;
  /** Removes all of it. Once is enough, twice does no harm. */
  stop(): Promise<void>;
}

/** Besides what every Debian has. LXD's own start on a machine with systemd is in nobody's way: another LXD_DIR. */
const packages = [
  ...["lxd", "lxd-client", "dnsmasq-base", "iptables", "nftables", "squashfs-tools", "zstd"],
  ...["mmdebstrap", "iproute2", "openssh-client", "openssl"],
];

/**
 * Brings up a lab, after removing those that killed runs have left. `log` is told, line by line, what takes long. Throws
 * where the machine is not fit for it; then nothing is left behind.
 */
export async function startLab({ log }: { log: (line: string) => void }): Promise<StartedLab> {
  refuseMachine({ command: "npm run test:cluster", starts: "three LXD daemons" });
  await installPackages(packages, log);
  await cleanAbandonedLabs(clusterLabs, log);
  const image = await cachedImage(log);
  const guardian = join(import.meta.dirname, "guardian.ts");
  const { layout, stop } = await bringUp(clusterLabs, guardian, async (lab) => {
    await Promise.all(lab.members.map((member) => startHolder(lab, member)));
    await Promise.all(lab.members.map((member) => startDaemon(member)));
    await formCluster(lab);
    await importImage(lab, image);
  });
  return { lab: labOf(layout), stop };
}

async function emptyCluster(onFirst: (args: readonly string[]) => Promise<string>): Promise<void> {
  const instances = (await onFirst(["list", "--format", "csv", "--columns", "n"])).split("\n").filter(Boolean);
  if (instances.length > 0) await onFirst(["delete", "--force", ...instances]);
  const volumes: { name: string; type: string; location: string }[] = JSON.parse(
    await onFirst(["storage", "volume", "list", "default", "--format", "json"]),
  );
  for (const { name, location } of volumes.filter(({ type }) => type === "custom")) {
    await onFirst(["storage", "volume", "delete", "default", name, "--target", location]);
  }
}
