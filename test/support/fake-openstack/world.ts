// What one region of the fake has: hosts, networks, images, servers, volumes. A test sees and changes it; the routes do it
// as the services would. Nothing here knows HTTP.

import { createHash } from "node:crypto";
import { FakeHosts } from "./hosts.ts";
import { bareId, type FakeIdentity, type FakeProject } from "./identity.ts";
import { FakeLife } from "./life.ts";
import { FakeNetworks } from "./networks.ts";
import type { FakeFlavor, FakeServer } from "./servers.ts";
import { FakeTimers } from "./timers.ts";

export interface FakeImage {
  readonly id: string;
  name: string;
  readonly owner: string;
  visibility: "public" | "private" | "shared" | "community";
  status: "queued" | "active";
  readonly diskFormat: string | null;
  readonly containerFormat: string | null;
  readonly minDisk: number;
  readonly minRam: number;
  readonly properties: Record<string, unknown>;
  readonly tags: readonly string[];
  bytes: Buffer | undefined;
  readonly created: Date;
  updated: Date;
}

export interface FakeVolume {
  readonly id: string;
  readonly project: string;
  readonly user: string;
  name: string | null;
  description: string | null;
  readonly size: number;
  readonly type: string;
  metadata: Record<string, string>;
  status: "creating" | "available" | "reserved" | "in-use" | "detaching" | "deleting" | "error";
  attachments: { readonly id: string; readonly server: string; readonly device: string; readonly at: Date }[];
  readonly created: Date;
  updated: Date;
}

/** Upper bounds of each project; -1: none. */
export interface FakeQuotas {
  instances: number;
  cores: number;
  ram: number;
  port: number;
  security_group: number;
  security_group_rule: number;
  floatingip: number;
  volumes: number;
  gigabytes: number;
}

export class FakeWorld {
  readonly identity: FakeIdentity;
  readonly hosts = new FakeHosts();
  readonly networks: FakeNetworks;
  readonly timers = new FakeTimers();
  readonly flavors = new Map<string, FakeFlavor>();
  readonly images = new Map<string, FakeImage>();
  readonly volumes = new Map<string, FakeVolume>();
  readonly volumeTypes = ["__DEFAULT__"];
  /** Those that are deleted too. */
  readonly servers = new Map<string, FakeServer>();
  readonly life: FakeLife;
  /** How long what was answered with 202 takes; `spawnMs` from the order on. */
  readonly times = { scheduleMs: 10, spawnMs: 30, stopMs: 10, startMs: 10, rebootMs: 10, deleteMs: 10, volumeMs: 10 };
  readonly quotas: FakeQuotas = {
    ...{ instances: -1, cores: -1, ram: -1, port: -1, security_group: -1, security_group_rule: -1 },
    ...{ floatingip: -1, volumes: -1, gigabytes: -1 },
  };
  /** PCI aliases of nova.conf, with the resource class of their cards. */
  readonly pciAliases = new Map<string, string>();
  /** Whether Nova has a proxy for serial consoles. */
  serialConsoles = true;
  /** The newest microversions: Zed's. */
  readonly newest = { compute: 93, placement: 39, volume: 70 };
  /** Whether the guest of a running server greets at its SSH port: once it read its secrets. */
  guestAnswers: (server: FakeServer) => boolean = ({ guestRead }) => guestRead !== undefined;

  constructor(identity: FakeIdentity) {
    this.identity = identity;
    this.networks = new FakeNetworks(() => identity.now());
    this.life = new FakeLife(this);
  }

  now(): Date {
    return this.identity.now();
  }

  addFlavor(
    name: string,
    size: { readonly vcpus: number; readonly ram: number; readonly disk: number },
    extraSpecs: Record<string, string> = {},
    part: Partial<FakeFlavor> = {},
  ): FakeFlavor {
    const flavor: FakeFlavor = {
      ...{ id: crypto.randomUUID(), name, ...size, public: true, description: null, extraSpecs: { ...extraSpecs } },
      access: new Set(),
      ...part,
    };
    this.flavors.set(flavor.id, flavor);
    return flavor;
  }

  /** With content, so that servers can boot from it. */
  addImage(name: string, project: FakeProject, part: Partial<FakeImage> = {}): FakeImage {
    const now = this.now();
    const image: FakeImage = {
      ...{ id: crypto.randomUUID(), name, owner: project.id, visibility: "public", status: "active" },
      ...{ diskFormat: "raw", containerFormat: "bare", minDisk: 0, minRam: 0, properties: {}, tags: [] },
      ...{ bytes: Buffer.alloc(4096), created: now, updated: now },
      ...part,
    };
    this.images.set(image.id, image);
    return image;
  }

  /** One that runs, as from before, or of another customer of the cloud. */
  addServer(name: string, project: FakeProject, flavor: FakeFlavor, part: Partial<FakeServer> = {}): FakeServer {
    const order = { name, project: project.id, user: bareId(), flavor, host: undefined };
    const server = this.life.create({ ...order, metadata: {}, tags: [], ports: [] }, { instantly: true });
    return Object.assign(server, part);
  }

  /** The servers that are there and have this tag. */
  tagged(tag: string): FakeServer[] {
    return [...this.servers.values()].filter(({ status, tags }) => status !== "DELETED" && tags.includes(tag));
  }

  /** The running server that has this address; undefined: nothing does. */
  serverAt(address: string): FakeServer | undefined {
    const ports = [...this.networks.ports.values()];
    const port = ports.find((one) => one.address === address || this.networks.floatingOf(one)?.address === address);
    const server = port === undefined ? undefined : this.servers.get(port.device);
    return server?.power === 1 && server.host !== undefined ? server : undefined;
  }

  close(): void {
    this.timers.close();
  }
}

/** What Nova gives instead of a host's name to those who may not see it. */
export function hostIdOf(project: string, host: string | undefined): string {
  return host === undefined
    ? ""
    : createHash("sha224")
        .update(project + host)
        .digest("hex");
}
