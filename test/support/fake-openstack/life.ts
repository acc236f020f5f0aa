// How the fake's servers live. Each change that Nova answers with 202 is begun here and ends after its time (world.ts), or
// when the test releases it, or once its host is up again: as on the real ones, whose answers say nothing of it.

import { randomUUID } from "node:crypto";
import type { FakeHost } from "./hosts.ts";
import type { FakeNetwork, FakePort } from "./networks.ts";
import { type FakeFlavor, type FakeServer, needOf } from "./servers.ts";
import type { FakeWorld } from "./world.ts";

/** What a server is created with, as checked by the routes. */
export interface ServerOrder {
  readonly name: string;
  readonly description?: string | null;
  readonly project: string;
  readonly user: string;
  readonly flavor: FakeFlavor;
  readonly image?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly ports: readonly FakePort[];
  /** Nova makes a port on each. */
  readonly networks?: readonly FakeNetwork[];
  readonly volumes?: readonly string[];
  readonly host: string | undefined;
  readonly zone?: string;
  readonly userData?: string | null;
  readonly configDrive?: boolean;
  readonly body?: object;
}

export interface HowItGoes {
  readonly held?: boolean;
  readonly instantly?: boolean;
  readonly spawn?: "no-host" | "exhausted" | { readonly message: string };
}

export class FakeLife {
  readonly #world: FakeWorld;
  #count = 0;

  constructor(world: FakeWorld) {
    this.#world = world;
  }

  create(order: ServerOrder, how: HowItGoes = {}): FakeServer {
    const now = this.#world.now();
    const { access: _access, ...flavor } = order.flavor;
    const server: FakeServer = {
      ...{ id: randomUUID(), number: ++this.#count, name: order.name, description: order.description ?? null },
      ...{ project: order.project, user: order.user, status: "BUILD", task: "scheduling", power: 0 },
      ...{ metadata: { ...order.metadata }, tags: [...order.tags], host: undefined },
      ...{ flavor: { ...flavor, extraSpecs: { ...flavor.extraSpecs } }, image: order.image },
      ...{ userData: order.userData ?? null, configDrive: order.configDrive === true, order: order.body ?? {} },
      ...{ created: now, updated: now, launched: undefined, terminated: undefined, fault: undefined },
      ...{ ports: [], ownPorts: new Set(), volumes: [], console: "", boots: 0, guestRead: undefined },
    };
    this.#world.servers.set(server.id, server);
    const { scheduleMs } = this.#world.times;
    // One that is held is held as its host builds it.
    if (how.instantly === true || how.held === true) this.#build(server, order, how);
    else this.#later(server, scheduleMs, how, () => this.#build(server, order, how));
    return server;
  }

  #build(server: FakeServer, order: ServerOrder, how: HowItGoes): void {
    if (!this.#world.servers.has(server.id) || server.status === "DELETED") return;
    const host = how.spawn === "no-host" ? "" : this.#schedule(server, order);
    if (typeof host === "string") return void this.#fail(server, `No valid host was found. ${host}`);
    this.#set(server, { host: host.name, task: "spawning" });
    if (how.instantly === true) return void this.#spawn(server, order, how, host);
    const { scheduleMs, spawnMs } = this.#world.times;
    this.#later(server, Math.max(spawnMs - scheduleMs, 0), how, () => this.#spawn(server, order, how, host));
  }

  #spawn(server: FakeServer, order: ServerOrder, { spawn }: HowItGoes, host: FakeHost): void {
    if (server.status === "DELETED") return;
    const failed = spawn === "exhausted" ? exhausted(server.id) : typeof spawn === "object" ? spawn.message : undefined;
    const why = failed ?? this.#connect(server, order, host);
    if (why !== undefined) {
      this.#world.hosts.release(server.id);
      server.host = undefined;
      return void this.#fail(server, why);
    }
    for (const id of order.volumes ?? []) this.attach(server, id, { instantly: true });
    server.launched = this.#world.now();
    if (server.task === "deleting") this.#gone(server);
    else this.#boot(server, "ACTIVE");
  }

  /** Answers with why no host can take it. */
  #schedule(server: FakeServer, { host, zone, project, user }: ServerOrder): FakeHost | string {
    const { hosts, pciAliases } = this.#world;
    if (host !== undefined && !hosts.hosts.has(host)) return `No such host - host: ${host} node: None `;
    const among = [...hosts.hosts.values()].filter(
      ({ name }) => (host === undefined || name === host) && (zone === undefined || hosts.zoneOf(name) === zone),
    );
    return hosts.place(server.id, { project, user }, needOf(server.flavor, pciAliases), among) ?? "";
  }

  /** Answers with why its ports cannot be had. */
  #connect(server: FakeServer, { ports, networks = [] }: ServerOrder, host: FakeHost): string | undefined {
    const all = this.#world.networks;
    for (const port of ports) {
      if (!all.ports.has(port.id)) return exhausted(server.id);
      if (port.device === "" || port.device === server.id) continue;
      // As Nova does when two servers want the same port at a time: who comes too late cleans up what is not its own.
      for (const one of this.#world.servers.values()) if (one.id === port.device) one.ports = [];
      all.bind(port, "", "");
      return noNetwork(server.id);
    }
    const made = networks.map((network) => all.addPort({ project: server.project, network }));
    const own = made.filter((port) => port !== undefined);
    if (own.length < made.length) {
      for (const port of own) all.removePort(port);
      return noNetwork(server.id);
    }
    server.ports = [...ports, ...own];
    for (const port of own) server.ownPorts.add(port.id);
    for (const port of server.ports) all.bind(port, server.id, host.name);
    return undefined;
  }

  stop(server: FakeServer, how: HowItGoes = {}): void {
    this.#begin(server, "powering-off", this.#world.times.stopMs, how, () => this.halt(server));
  }

  /** It halts now, as by itself. */
  halt(server: FakeServer): void {
    this.#set(server, { status: "SHUTOFF", task: null, power: 4 });
  }

  start(server: FakeServer, how: HowItGoes = {}): void {
    this.#begin(server, "powering-on", this.#world.times.startMs, how, () => this.#boot(server, "ACTIVE"));
  }

  reboot(server: FakeServer, type: "SOFT" | "HARD", how: HowItGoes = {}): void {
    const hard = type === "HARD";
    server.status = hard ? "HARD_REBOOT" : "REBOOT";
    const task = hard ? "rebooting_hard" : "rebooting";
    this.#begin(server, task, this.#world.times.rebootMs, how, () => this.#boot(server, "ACTIVE"));
  }

  /** Where its host is down Nova's API does it alone. */
  remove(server: FakeServer, how: HowItGoes = {}): void {
    const host = this.#hostOf(server);
    if (server.host !== undefined && host?.down === true) return void this.#gone(server);
    // It is not with any host yet, and in no list of changes later.
    if (server.task === "scheduling") return void this.#world.servers.delete(server.id);
    const building = server.status === "BUILD";
    this.#set(server, { task: "deleting" });
    // One that is being built is removed when its build ends.
    if (!building) this.#later(server, this.#world.times.deleteMs, how, () => this.#gone(server));
  }

  /** As by a customer of the cloud, or its operator: at once. */
  removeNow(server: FakeServer): void {
    this.#gone(server);
  }

  /** As by the operator of the cloud: at once. `power`: what its hypervisor says then. */
  put(server: FakeServer, status: FakeServer["status"], power: number): void {
    this.#set(server, { status, task: null, power });
  }

  /** As the operator migrates or evacuates it, with what it takes of a host. False: the host has no room. */
  move(server: FakeServer, to: string): boolean {
    const { hosts, networks, pciAliases } = this.#world;
    const [host, before] = [hosts.hosts.get(to), hosts.allocations.get(server.id)];
    if (host === undefined) throw new Error(`BUG: no host ${to}`);
    hosts.release(server.id);
    const { project, user } = server;
    const moved = hosts.place(server.id, { project, user }, needOf(server.flavor, pciAliases), [host]) !== undefined;
    if (!moved && before !== undefined) hosts.allocations.set(server.id, before);
    if (!moved) return false;
    for (const port of server.ports) networks.bind(port, server.id, to);
    this.#set(server, { host: to });
    return true;
  }

  /** As when its compute node fails it: whether it still runs is told by `power`. */
  breakDown(server: FakeServer, message: string, power: number): void {
    this.#fail(server, message);
    server.power = power;
  }

  setMetadata(server: FakeServer, metadata: Readonly<Record<string, string>>): void {
    this.#set(server, { metadata: { ...metadata } });
    this.#guestReads(server);
  }

  attach(server: FakeServer, id: string, how: HowItGoes = {}): void {
    const volume = this.#world.volumes.get(id);
    if (volume === undefined) return;
    volume.status = "reserved";
    server.volumes.push(id);
    const device = `/dev/vd${String.fromCharCode(97 + server.volumes.length)}`;
    const attach = () => {
      volume.attachments = [{ id: randomUUID(), server: server.id, device, at: this.#world.now() }];
      volume.status = "in-use";
    };
    if (how.instantly === true) attach();
    else this.#later(volume, this.#world.times.volumeMs, how, attach);
  }

  detach(server: FakeServer, id: string, how: HowItGoes = {}): void {
    const volume = this.#world.volumes.get(id);
    if (volume === undefined) return;
    volume.status = "detaching";
    this.#later(volume, this.#world.times.volumeMs, how, () => {
      server.volumes = server.volumes.filter((one) => one !== id);
      volume.attachments = [];
      volume.status = "available";
    });
  }

  #boot(server: FakeServer, status: "ACTIVE"): void {
    server.boots++;
    server.console += `boot ${server.boots}\n`;
    this.#set(server, { status, task: null, power: 1 });
    this.#guestReads(server);
  }

  #guestReads(server: FakeServer): void {
    if (server.power === 1 && "lessor-told" in server.metadata) server.guestRead ??= { ...server.metadata };
  }

  #fail(server: FakeServer, message: string): void {
    server.fault = { code: 500, created: this.#world.now(), message };
    const deleted = server.task === "deleting";
    this.#set(server, { status: "ERROR", task: null });
    if (deleted) this.#gone(server);
  }

  #gone(server: FakeServer): void {
    const { hosts, networks, volumes } = this.#world;
    hosts.release(server.id);
    for (const port of server.ports) {
      if (server.ownPorts.has(port.id)) networks.removePort(port);
      else if (port.device === server.id) networks.bind(port, "", "");
    }
    for (const id of server.volumes) {
      const volume = volumes.get(id);
      if (volume !== undefined) Object.assign(volume, { status: "available", attachments: [] });
    }
    server.terminated = this.#world.now();
    // What a list of changes shows of it then has neither metadata nor tags.
    Object.assign(server, { ports: [], volumes: [], metadata: {}, tags: [] });
    this.#set(server, { status: "DELETED", task: null, power: 0 });
  }

  /** A request to the compute node: it waits there as long as the node is down. */
  #begin(server: FakeServer, task: string, ms: number, how: HowItGoes, work: () => void): void {
    this.#set(server, { task });
    const carryOut = () =>
      this.#later(server, ms, how, () => {
        if (server.status !== "DELETED" && server.task === task) work();
      });
    const host = this.#hostOf(server);
    if (host?.down === true) host.told.push(carryOut);
    else carryOut();
  }

  #later({ id }: { readonly id: string }, ms: number, { held }: HowItGoes, work: () => void): void {
    this.#world.timers.later(id, ms, held === true, work);
  }

  #hostOf({ host }: FakeServer): FakeHost | undefined {
    return host === undefined ? undefined : this.#world.hosts.hosts.get(host);
  }

  #set(server: FakeServer, part: Partial<FakeServer>): void {
    Object.assign(server, part, { updated: this.#world.now() });
  }
}

function noNetwork(id: string): string {
  return `Build of instance ${id} aborted: Failed to allocate the network(s), not rescheduling.`;
}

function exhausted(id: string): string {
  return `Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance ${id}.`;
}
