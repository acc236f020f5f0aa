// What a lab of OpenStack is called and where its things are: see support/lab/grounds.ts. It is one network namespace with
// all services in it, each on its usual port; so nothing depends on the slot but the address and the directory.

import { join } from "node:path";
import type { Grounds, Kind, MemberGrounds } from "../../support/lab/grounds.ts";

/** How Nova's services talk: in one process, or over RabbitMQ, each in a process of its own. */
export type Bus = "memory" | "rabbit";

export interface HostLayout {
  readonly name: string;
  /** Eight of them, as a resource class of the host, or as PCI devices that Placement shows one by one. */
  readonly gpus: "class" | "pci" | "none";
  readonly availabilityZone: string;
}

/** The compute hosts, which are fakes: no guest boots on them. */
export const hosts: readonly HostLayout[] = [
  { name: "gpu1", gpus: "class", availabilityZone: "gpu-az" },
  { name: "gpu2", gpus: "class", availabilityZone: "gpu-az" },
  { name: "pci1", gpus: "pci", availabilityZone: "pci-az" },
  { name: "cpu1", gpus: "none", availabilityZone: "nova" },
];

/** By what name Nova knows where its other services are. */
export const controlHost = "control";

export const ports = {
  identity: 5000,
  image: 9292,
  placement: 8778,
  compute: 8774,
  network: 9696,
  volume: 8776,
  database: 3306,
  bus: 5672,
} as const;

export interface Layout extends Grounds {
  /** Where all services listen that tests talk to. */
  readonly address: string;
  readonly namespace: string;
  /** Settings of the services. */
  readonly settings: string;
  readonly logs: string;
  readonly mysql: string;
  readonly images: string;
  /** Keys of tokens and of credentials. */
  readonly fernet: string;
  readonly credential: string;
  readonly state: string;
  /** For files that are there for a moment, and locks. */
  readonly scratch: string;
  /** A file for each service that was started: its process. */
  readonly running: string;
  /** What the seed made, for `labOf`. */
  readonly factsFile: string;
  readonly cloudsFile: string;
  readonly members: readonly MemberGrounds[];
}

const prefix = "lessoros";
const labsDirectory = "/var/lib/lessor-openstack-lab";

/** Slots from 0 to 99; interface names hold 15 characters. */
function layoutOf(slot: number): Layout {
  if (!Number.isInteger(slot) || slot < 0 || slot > 99) throw new Error(`BUG: there is no slot ${slot}`);
  const called = `${prefix}${slot}`;
  const directory = join(labsDirectory, called);
  const [namespace, address] = [`${called}c`, `10.219.${slot}.1`];
  return {
    slot,
    directory,
    bridge: `${called}br`,
    gateway: `10.219.${slot}.254`,
    subnet: `10.219.${slot}.0/24`,
    members: [{ name: controlHost, namespace, address, veth: `${called}v` }],
    address,
    namespace,
    settings: join(directory, "settings"),
    logs: join(directory, "logs"),
    mysql: join(directory, "mysql"),
    images: join(directory, "images"),
    fernet: join(directory, "fernet"),
    credential: join(directory, "credential"),
    state: join(directory, "state"),
    scratch: join(directory, "scratch"),
    running: join(directory, "running"),
    factsFile: join(directory, "facts.json"),
    cloudsFile: join(directory, "clouds.yaml"),
  };
}

export const openStackLabs: Kind<Layout> = { directory: labsDirectory, prefix, layoutOf };

/** Of a service, without a path and without a slash at the end. */
export function urlOf({ address }: Pick<Layout, "address">, service: keyof typeof ports): string {
  return `http://${address}:${ports[service]}`;
}
