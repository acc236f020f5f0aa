// A lab: three LXD daemons on this machine that are one cluster, with an image, for tests of what runs on real machines.
//
// The lab is not in this process: `labOf` gives the same lab to any process that knows its slot. What began it owns it,
// and a guardian removes it when that process is gone, however it ended.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { cleanAbandonedLabs, cleanLab } from "./clean.ts";
import { type ClientCertificate, clientCertificate } from "./client-certificate.ts";
import { formCluster, httpsPort, lxc } from "./cluster.ts";
import { endDaemon, startDaemon, startHolder } from "./daemon.ts";
import { type Login, probeCommand, ssh } from "./guest-access.ts";
import { cachedImage, importImage } from "./image.ts";
import { type Layout, layoutOf, type MemberLayout } from "./layout.ts";
import { makeNetwork, networkIsFree } from "./network.ts";
import { installPackages, refuseMachine } from "./packages.ts";
import type { Ended } from "./run.ts";
import { allSlots, isOurs, release, takeFree } from "./slot.ts";

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
  const layout = layoutOf(slot);
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

/**
 * Brings up a lab, after removing those that killed runs have left. `log` is told, line by line, what takes long. Throws
 * where the machine is not fit for it; then nothing is left behind.
 */
export async function startLab({ log }: { log: (line: string) => void }): Promise<StartedLab> {
  refuseMachine();
  await installPackages(log);
  await cleanAbandonedLabs(log);
  const image = await cachedImage(log);
  const layout = await takeSlot();
  const guardian = startGuardian(layout);
  try {
    await makeNetwork(layout);
    await Promise.all(layout.members.map((member) => startHolder(layout, member)));
    await Promise.all(layout.members.map((member) => startDaemon(member)));
    await formCluster(layout);
    await importImage(layout, image);
  } catch (error) {
    await stopLab(layout, guardian);
    throw error;
  }
  return { lab: labOf(layout), stop: () => stopLab(layout, guardian) };
}

async function stopLab(layout: Layout, guardian: ChildProcess): Promise<void> {
  if (isOurs(layout)) {
    await cleanLab(layout);
    release(layout);
  }
  guardian.stdin?.end();
}

async function takeSlot(): Promise<Layout> {
  for (const layout of allSlots()) {
    if (!takeFree(layout)) continue;
    if (await networkIsFree(layout)) return layout;
    release(layout);
  }
  throw new Error("There is no free slot for a lab on this machine.");
}

function startGuardian({ slot }: Layout): ChildProcess {
  const guardian = spawn(process.execPath, [join(import.meta.dirname, "guardian.ts"), `${slot}`], {
    // A session of its own: Ctrl-C is not for it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guardian.stdin?.on("error", () => {});
  guardian.unref();
  return guardian;
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
