// What libvirt is told at each host, once: its network and its pool.

import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { imageCache } from "../../support/lab/grounds.ts";
import { startDaemon, startHolder } from "./daemon.ts";
import { placeImages } from "./images.ts";
import { type HostLayout, network, pool, poolDirectory } from "./layout.ts";
import { virsh } from "./virsh.ts";

/** Brings a host up. `images`: the files that are to be volumes of its pool. */
export async function startHost(host: HostLayout, images: readonly string[]): Promise<void> {
  await startHolder(host);
  placeImages(host, images);
  recallCapabilities(host);
  await startDaemon(host);
  await virsh(host, ["net-define", "/dev/stdin"], networkXml(host));
  await virsh(host, ["pool-define", "/dev/stdin"], poolXml());
  // One connection for the rest.
  await virsh(host, [
    [`net-autostart ${network}`, `net-start ${network}`, `pool-autostart ${pool}`, `pool-start ${pool}`].join("; "),
  ]);
  await keepCapabilities(host);
}

/** Guests are reached from the machine by their addresses, hence "open": no address translation, no rule of libvirt's. */
function networkXml({ guestPrefix }: HostLayout): string {
  return `<network>
  <name>${network}</name>
  <forward mode='open'/>
  <bridge name='virbr0' stp='off' delay='0'/>
  <ip address='${guestPrefix}.1' netmask='255.255.255.0'>
    <dhcp><range start='${guestPrefix}.10' end='${guestPrefix}.250'/></dhcp>
  </ip>
</network>`;
}

function poolXml(): string {
  return `<pool type='dir'><name>${pool}</name><target><path>${poolDirectory}</path></target></pool>`;
}

// libvirt asks each QEMU what it can do, which takes seconds, and keeps the answers as long as neither of them changes. It
// looks by itself whether they still hold, so they may be those of an earlier lab.

const answers = "qemu/capabilities";
const kept = join(imageCache, "vm-capabilities");

function recallCapabilities(host: HostLayout): void {
  if (!existsSync(kept)) return;
  cpSync(kept, join(host.directory, "cache", answers), { recursive: true });
}

/** Asks for them as well, so that no test waits for the answer. */
async function keepCapabilities(host: HostLayout): Promise<void> {
  await virsh(host, ["capabilities"]);
  if (existsSync(kept)) return;
  const from = join(host.directory, "cache", answers);
  const unfinished = `${kept}.${process.pid}.${host.name}`;
  mkdirSync(dirname(kept), { recursive: true });
  cpSync(from, unfinished, { recursive: true, preserveTimestamps: true });
  try {
    renameSync(unfinished, kept);
  } catch {
    // Another host was faster.
    rmSync(unfinished, { recursive: true, force: true });
  }
}
