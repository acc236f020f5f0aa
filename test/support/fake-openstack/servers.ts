// The fake's servers and how they live: what Nova answers with 202 happens later (life.ts).

import type { HostNeed } from "./hosts.ts";
import type { FakePort } from "./networks.ts";

export interface FakeFlavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly ram: number;
  readonly disk: number;
  readonly public: boolean;
  readonly description: string | null;
  readonly extraSpecs: Record<string, string>;
  /** Projects that may use it although it is not public. */
  readonly access: Set<string>;
}

export interface FakeFault {
  readonly code: number;
  readonly created: Date;
  readonly message: string;
}

export type ServerStatus =
  | ("BUILD" | "ACTIVE" | "SHUTOFF" | "REBOOT" | "HARD_REBOOT" | "ERROR" | "DELETED")
  // Only the operator of the cloud brings servers to these.
  | ("PAUSED" | "SUSPENDED" | "SHELVED" | "SHELVED_OFFLOADED" | "MIGRATING");

export interface FakeServer {
  readonly id: string;
  /** Counts from 1. */
  readonly number: number;
  name: string;
  description: string | null;
  readonly project: string;
  readonly user: string;
  status: ServerStatus;
  task: string | null;
  /** 0 unknown, 1 running, 3 paused, 4 shut down, 7 suspended. */
  power: number;
  metadata: Record<string, string>;
  tags: string[];
  host: string | undefined;
  /** As it was when the server was created. */
  readonly flavor: Omit<FakeFlavor, "access">;
  readonly image: string | undefined;
  readonly userData: string | null;
  readonly configDrive: boolean;
  /** What POST said, as it came. */
  readonly order: object;
  readonly created: Date;
  updated: Date;
  launched: Date | undefined;
  terminated: Date | undefined;
  fault: FakeFault | undefined;
  ports: FakePort[];
  /** Those of its ports that Nova made, and removes with it. */
  readonly ownPorts: Set<string>;
  /** Ids of volumes. */
  volumes: string[];
  console: string;
  boots: number;
  /** The metadata as the guest read it while `lessor-told` was there for the first time. */
  guestRead: Readonly<Record<string, string>> | undefined;
}

export const vmStates: Readonly<Record<ServerStatus, string>> = {
  BUILD: "building",
  ACTIVE: "active",
  SHUTOFF: "stopped",
  REBOOT: "active",
  HARD_REBOOT: "active",
  ERROR: "error",
  DELETED: "deleted",
  PAUSED: "paused",
  SUSPENDED: "suspended",
  SHELVED: "shelved",
  SHELVED_OFFLOADED: "shelved_offloaded",
  MIGRATING: "active",
};

/** What its flavor asks of a host. `aliases`: PCI aliases of nova.conf, with the resource class of their cards. */
export function needOf(flavor: Omit<FakeFlavor, "access">, aliases: ReadonlyMap<string, string>): HostNeed {
  const amounts: Record<string, number> = { VCPU: flavor.vcpus, MEMORY_MB: flavor.ram, DISK_GB: flavor.disk };
  const cards: Record<string, number> = {};
  const traits: string[] = [];
  for (const [key, value] of Object.entries(flavor.extraSpecs)) {
    const resource = /^resources:(.+)$/.exec(key)?.[1];
    if (resource !== undefined) amounts[resource] = Number(value);
    const trait = /^trait:(.+)$/.exec(key)?.[1];
    if (trait !== undefined && value === "required") traits.push(trait);
    if (key !== "pci_passthrough:alias") continue;
    for (const one of value.split(",")) {
      const [alias = "", count = "1"] = one.split(":");
      const name = aliases.get(alias) ?? "CUSTOM_PCI_UNKNOWN";
      cards[name] = (cards[name] ?? 0) + Number(count);
    }
  }
  for (const [name, amount] of Object.entries(amounts)) if (amount === 0) delete amounts[name];
  return { amounts, traits, cards };
}

/** Those that a list shows: newest first, as Nova sorts them. */
export function newestFirst(servers: Iterable<FakeServer>): FakeServer[] {
  const seconds = ({ created }: FakeServer) => Math.floor(created.getTime() / 1000);
  return [...servers].sort((a, b) => seconds(b) - seconds(a) || b.number - a.number);
}
