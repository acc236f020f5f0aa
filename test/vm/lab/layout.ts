// What a lab of libvirt hosts is called and where its things are: see support/lab/grounds.ts.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Grounds, Kind, MemberGrounds } from "../../support/lab/grounds.ts";

export const hostNames = ["h1", "h2", "h3"] as const;
export type HostName = (typeof hostNames)[number];

/** The libvirt network and the storage pool of every host. */
export const network = "lessor";
export const pool = "lessor";

/** Where the pool's files are, in a host's own view. */
export const poolDirectory = "/var/lib/libvirt/images";

export interface HostLayout extends MemberGrounds {
  readonly name: HostName;
  readonly uri: string;
  /** By which libvirt tells hosts apart. */
  readonly uuid: string;
  readonly guestSubnet: string;
  /** The host's own address in its guests' subnet, without the last number: "10.216.0". */
  readonly guestPrefix: string;
  /** What the host sees as /etc/libvirt and as /var/{lib,cache,log}/libvirt. */
  readonly directory: string;
  readonly logFile: string;
  /** These hold the id of the process that keeps the namespaces open, and of the daemons. */
  readonly holderFile: string;
  readonly daemonFile: string;
  readonly logDaemonFile: string;
}

export interface Layout extends Grounds {
  readonly members: readonly HostLayout[];
}

const prefix = "lessorvm";
const labsDirectory = "/var/lib/lessor-vm-lab";

/** Slots from 0 to 99; interface names hold 15 characters. */
function layoutOf(slot: number): Layout {
  if (!Number.isInteger(slot) || slot < 0 || slot > 99) throw new Error(`BUG: there is no slot ${slot}`);
  const called = `${prefix}${slot}`;
  const directory = join(labsDirectory, called);
  const members = hostNames.map((name, index) => {
    const address = `10.215.${slot}.${index + 1}`;
    const guestPrefix = `10.${216 + index}.${slot}`;
    return {
      name,
      namespace: `${called}${name}`,
      address,
      uri: `qemu+tcp://${address}/system`,
      uuid: uuidOf(`${called}${name}`),
      veth: `${called}v${index + 1}`,
      guestSubnet: `${guestPrefix}.0/24`,
      guestPrefix,
      directory: join(directory, name),
      logFile: join(directory, `${name}.log`),
      holderFile: join(directory, `${name}.holder`),
      daemonFile: join(directory, `${name}.libvirtd`),
      logDaemonFile: join(directory, `${name}.virtlogd`),
    };
  });
  return {
    slot,
    directory,
    bridge: `${called}br`,
    gateway: `10.215.${slot}.254`,
    subnet: `10.215.${slot}.0/24`,
    members,
  };
}

export const vmLabs: Kind<Layout> = { directory: labsDirectory, prefix, layoutOf };

/** The same for the same name, in the form of version 4. */
function uuidOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
