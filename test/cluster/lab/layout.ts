// What a lab of LXD daemons is called and where its things are: see support/lab/grounds.ts.

import { join } from "node:path";
import type { Grounds, Kind, MemberGrounds } from "../../support/lab/grounds.ts";

export const memberNames = ["h1", "h2", "h3"] as const;
export type MemberName = (typeof memberNames)[number];

export interface MemberLayout extends MemberGrounds {
  readonly name: MemberName;
  /** LXD_DIR of its daemon. */
  readonly lxdDir: string;
  /** The Unix socket of its API. */
  readonly socket: string;
  readonly logFile: string;
  /** Holds the id of the process that keeps the member's namespaces open. */
  readonly holderFile: string;
  /** Holds the id of its daemon. */
  readonly daemonFile: string;
}

export interface Layout extends Grounds {
  readonly prefix: string;
  /** Where the guests are: the same on each member, as LXD's bridges are. */
  readonly guestGateway: string;
  readonly members: readonly MemberLayout[];
}

const labsDirectory = "/var/lib/lessor-lab";
const namePrefix = "lessor";

/** Slots from 0 to 99; interface names hold 15 characters. */
function layoutOf(slot: number): Layout {
  if (!Number.isInteger(slot) || slot < 0 || slot > 99) throw new Error(`BUG: there is no slot ${slot}`);
  const prefix = `${namePrefix}${slot}`;
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

export const clusterLabs: Kind<Layout> = { directory: labsDirectory, prefix: namePrefix, layoutOf };
