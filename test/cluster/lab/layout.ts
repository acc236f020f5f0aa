// What a lab is called and where its things are: all of it follows from the number of its slot, so that labs of several
// checkouts stand side by side on one machine, and so that a later run can find and remove what a killed one left.
//
// Invariant: nothing of a lab is outside its directory, its namespaces, its bridge and the processes in them.

import { join } from "node:path";

/** Everything of all labs is in here: one directory for each slot. */
export const labsDirectory = "/var/lib/lessor-lab";

/** Images built earlier, for all checkouts. */
export const imageCache = "/var/cache/lessor-lab";

export const memberNames = ["h1", "h2", "h3"] as const;
export type MemberName = (typeof memberNames)[number];

export interface MemberLayout {
  readonly name: MemberName;
  readonly namespace: string;
  /** LXD_DIR of its daemon. */
  readonly lxdDir: string;
  /** The Unix socket of its API. */
  readonly socket: string;
  /** Of its API over HTTPS (port 8443); reached from the machine itself through the lab's bridge. */
  readonly address: string;
  /** Our end of its cable; the other end is eth0 in the namespace. */
  readonly veth: string;
  readonly logFile: string;
  /** Holds the id of the process that keeps the member's namespaces open. */
  readonly holderFile: string;
  /** Holds the id of its daemon. */
  readonly daemonFile: string;
}

export interface Layout {
  readonly slot: number;
  readonly prefix: string;
  readonly directory: string;
  readonly bridge: string;
  /** The machine's own address on the bridge, and the members' gateway. */
  readonly gateway: string;
  /** Where the members are. */
  readonly subnet: string;
  /** Where the guests are: the same on each member, as LXD's bridges are. */
  readonly guestGateway: string;
  readonly members: readonly MemberLayout[];
}

/** Slots from 0 to 99; interface names hold 15 characters. */
export function layoutOf(slot: number): Layout {
  if (!Number.isInteger(slot) || slot < 0 || slot > 99) throw new Error(`BUG: there is no slot ${slot}`);
  const prefix = `lessor${slot}`;
  const directory = join(labsDirectory, prefix);
  const members = memberNames.map((name, index) => {
    const lxdDir = join(directory, name);
    return {
      name,
      namespace: `${prefix}${name}`,
      lxdDir,
      socket: join(lxdDir, "unix.socket"),
      address: `10.213.${slot}.${index + 1}`,
      veth: `${prefix}v${index + 1}`,
      logFile: join(directory, `${name}.log`),
      holderFile: join(directory, `${name}.holder`),
      daemonFile: join(directory, `${name}.daemon`),
    };
  });
  return {
    slot,
    prefix,
    directory,
    bridge: `${prefix}br`,
    gateway: `10.213.${slot}.254`,
    subnet: `10.213.${slot}.0/24`,
    guestGateway: `10.214.${slot}.1/24`,
    members,
  };
}
