// The domains of a fake host: defined, running or both, under libvirt's rules for names, uuids, disks and devices.

import { VirshError } from "../../../src/engines/libvirt/virsh/virsh-error.ts";
import { complaint } from "./complain.ts";
import { FakeConsole } from "./consoles.ts";
import { type Description, describe, dumped } from "./domain-xml.ts";
import type { Events } from "./events.ts";
import type { FakeFilters } from "./filters.ts";
import { FakeGuest, type GuestManners } from "./guest.ts";
import type { FakeHardware } from "./hardware.ts";
import { type FakeNetworks, noSuchNetwork } from "./network.ts";
import { checkStart } from "./start-checks.ts";
import type { FakeFile, FakeStorage } from "./storage.ts";

/** Why a domain is off, with libvirt's number of it. */
const offReasons = { unknown: 0, shutdown: 1, destroyed: 2, crashed: 3, failed: 6 } as const;
export type OffReason = keyof typeof offReasons;

export interface FakeDomain {
  readonly name: string;
  readonly uuid: string;
  /** What it is started from next; undefined: it is gone when it ends. */
  defined: Description | undefined;
  /** Undefined: it is off. */
  running: { readonly id: number; readonly description: Description; readonly guest: FakeGuest } | undefined;
  offReason: OffReason;
  readonly consoles: Map<string, FakeConsole>;
}

/** The rest of a host, as its domains need it. */
export interface DomainHost {
  readonly hardware: FakeHardware;
  readonly storage: FakeStorage;
  readonly networks: FakeNetworks;
  readonly filters: FakeFilters;
  readonly events: Events;
  readonly manners: GuestManners;
  isDaemonUp(): boolean;
}

export class FakeDomains {
  readonly #host: DomainHost;
  readonly #domains = new Map<string, FakeDomain>();
  /** Every console that was opened, in order. */
  readonly opened: FakeConsole[] = [];
  #lastId = 0;

  constructor(host: DomainHost) {
    this.#host = host;
  }

  find(name: string): FakeDomain | undefined {
    return this.#domains.get(name);
  }

  /** As `list --all` sorts them: those that run by id, then the others by name. */
  all(): FakeDomain[] {
    const off = (domain: FakeDomain) => domain.running?.id ?? Number.POSITIVE_INFINITY;
    return [...this.#domains.values()]
      .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
      .sort((a, b) => (off(a) === off(b) ? 0 : off(a) - off(b)));
  }

  get(name: string): FakeDomain {
    const domain = this.#domains.get(name);
    if (domain === undefined) throw complaint(`failed to get domain '${name}'`);
    return domain;
  }

  define(xml: string): void {
    const description = this.#checked(xml);
    const known = this.#domains.get(description.name);
    if (known === undefined) this.#domains.set(description.name, { ...off(description), defined: description });
    else known.defined = description;
    this.#host.events.lifecycle(description.name, `Defined ${known === undefined ? "Added" : "Updated"}`);
  }

  /** Starts one that is gone when it ends. */
  create(xml: string): void {
    const description = this.#checked(xml);
    const known = this.#domains.get(description.name);
    if (known?.running !== undefined) {
      throw complaint(`Requested operation is not valid: domain '${description.name}' is already active`);
    }
    const domain = known ?? off(description);
    this.#domains.set(domain.name, domain);
    this.#power(domain, description);
  }

  start(name: string): void {
    const domain = this.get(name);
    if (domain.running !== undefined) throw complaint("Domain is already active");
    if (domain.defined === undefined) throw new Error("BUG: a domain that neither runs nor is defined");
    try {
      this.#power(domain, domain.defined);
    } catch (error) {
      if (error instanceof VirshError) throw complaint(`Failed to start domain '${name}'`, error.complaint);
      throw error;
    }
  }

  undefine(name: string): void {
    const domain = this.get(name);
    if (domain.defined === undefined) {
      throw complaint(
        `Failed to undefine domain '${name}'`,
        "Requested operation is not valid: cannot undefine transient domain",
      );
    }
    domain.defined = undefined;
    if (domain.running === undefined) this.#domains.delete(name);
    this.#host.events.lifecycle(name, "Undefined Removed");
  }

  shutdown(name: string): void {
    this.#running(name, `Failed to shutdown domain '${name}'`).guest.askToHalt();
  }

  destroy(name: string): void {
    this.#running(name, `Failed to destroy domain '${name}'`);
    this.#end(this.get(name), "destroyed", ["Shutdown Finished after host request", "Stopped Destroyed"]);
  }

  /** The guest powers the machine off. */
  powerOff(name: string): void {
    this.#mustRun(name);
    this.#end(this.get(name), "shutdown", ["Shutdown Finished after guest request", "Stopped Shutdown"]);
  }

  /** QEMU is killed. */
  crash(name: string): void {
    this.#mustRun(name);
    this.#end(this.get(name), "crashed", ["Stopped Failed"]);
  }

  /** The guest reboots by itself. */
  reboot(name: string): void {
    this.#mustRun(name).guest.reboot();
  }

  state(name: string): string {
    const { running, offReason } = this.get(name);
    return running === undefined ? `shut off (${offReason})` : "running (booted)";
  }

  states(): string {
    return this.all()
      .map(({ name, running, offReason }) => {
        const [state, reason] = running === undefined ? [5, offReasons[offReason]] : [1, 1];
        return `Domain: '${name}'\n  state.state=${state}\n  state.reason=${reason}\n`;
      })
      .join("\n");
  }

  xml(name: string, inactive: boolean): string {
    const { running, defined } = this.get(name);
    if (running !== undefined && !inactive) return dumped(running.description, running.id);
    const description = defined ?? running?.description;
    if (description === undefined) throw new Error("BUG: a domain that neither runs nor is defined");
    return dumped(description, undefined);
  }

  /** How many cards of running domains are in the network. */
  connections(network: string): number {
    const cards = this.all().flatMap(({ running }) => running?.description.cards ?? []);
    return cards.filter((card) => card.network === network).length;
  }

  openConsole(name: string, device: string | undefined): FakeConsole {
    const domain = this.get(name);
    const { running } = domain;
    if (running === undefined) throw complaint("The domain is not running");
    const alias = device ?? "serial0";
    if (!running.description.consoles.includes(alias)) {
      throw complaint(`internal error: cannot find character device ${alias}`);
    }
    domain.consoles.get(alias)?.end();
    const console = new FakeConsole(name, alias, {
      isConnected: () => this.#host.isDaemonUp(),
      isHeard: () => running.guest.isUp,
      shellLeft: () => this.#host.manners.shellLeft,
    });
    domain.consoles.set(alias, console);
    this.opened.push(console);
    running.guest.read();
    return console;
  }

  /** The daemon began anew: it knows what runs, and no longer why the others are off. */
  forgetReasons(): void {
    for (const domain of this.#domains.values()) domain.offReason = "unknown";
  }

  /** The host lost its power: nobody is told. */
  losePower(): void {
    for (const domain of this.#domains.values()) this.#end(domain, "unknown", []);
  }

  /** What it says, if a domain may have this name and uuid. */
  #checked(xml: string): Description {
    const description = describe(xml);
    const { name, uuid, accelerator } = description;
    if (this.#host.hardware.accelerators[accelerator] === "refuses") {
      const emulator = "Emulator '/usr/bin/qemu-system-x86_64'";
      throw complaint(`unsupported configuration: ${emulator} does not support virt type '${accelerator}'`);
    }
    const sameUuid = this.all().find((one) => one.uuid === uuid);
    if (sameUuid !== undefined && sameUuid.name !== name) {
      throw complaint(`operation failed: domain '${sameUuid.name}' is already defined with uuid ${uuid}`);
    }
    const sameName = this.#domains.get(name);
    if (sameName !== undefined && sameName.uuid !== uuid) {
      throw complaint(`operation failed: domain '${name}' already exists with uuid ${sameName.uuid}`);
    }
    return description;
  }

  #running(name: string, doing: string): NonNullable<FakeDomain["running"]> {
    const { running } = this.get(name);
    if (running === undefined) throw complaint(doing, "Requested operation is not valid: domain is not running");
    return running;
  }

  #mustRun(name: string): NonNullable<FakeDomain["running"]> {
    const running = this.#domains.get(name)?.running;
    if (running === undefined) throw new Error(`BUG: the fake domain ${name} does not run`);
    return running;
  }

  #power(domain: FakeDomain, description: Description): void {
    const { hardware, storage, networks, filters, events } = this.#host;
    try {
      const missing = description.cards.find(({ network }) => networks.find(network) === undefined);
      const others = this.all().flatMap((one) => one.running?.description ?? []);
      const paths = checkStart(description, others, {
        hardware,
        storage,
        controlError: () => events.controlError(domain.name),
      });
      if (missing !== undefined) throw complaint(noSuchNetwork(missing.network));
      for (const { filter } of description.cards) if (filter !== undefined) filters.checkStart(filter);
      this.#lastId++;
      const guest = this.#guestOf(domain, description, paths);
      domain.running = { id: this.#lastId, description, guest };
    } catch (error) {
      domain.offReason = "failed";
      if (domain.defined === undefined) this.#domains.delete(domain.name);
      throw error;
    }
    for (const { path, appends } of description.logs) if (!appends) storage.write(path, {});
    events.lifecycle(domain.name, "Resumed Unpaused");
    events.lifecycle(domain.name, "Started Booted");
    if (hardware.accelerators[description.accelerator] === "works") domain.running.guest.powerOn();
  }

  #guestOf(domain: FakeDomain, description: Description, paths: readonly string[]): FakeGuest {
    const { storage, networks, events, manners } = this.#host;
    const seeds = paths.filter((path) => path.endsWith(".seed.iso"));
    const contents = seeds.map((path) => storage.files.get(path)?.content ?? Buffer.alloc(0));
    const [card] = description.cards;
    const guest: FakeGuest = new FakeGuest(domain, contents, {
      manners,
      isProof: description.endsOnReboot && seeds.length === 0 && isBootable(storage.files.get(paths[0] ?? "")),
      address: () => (card === undefined ? undefined : networks.lease(card.network, card.mac)),
      log: (text) => {
        for (const path of new Set(description.logs.map((log) => log.path))) storage.append(path, text);
        for (const [device, console] of domain.consoles) if (device === "serial0") console.show(text);
      },
      halted: () => this.powerOff(domain.name),
      rebooted: () => {
        if (description.endsOnReboot) return this.powerOff(domain.name);
        events.reboot(domain.name);
        guest.powerOn();
      },
    });
    return guest;
  }

  #end(domain: FakeDomain, reason: OffReason, told: readonly string[]): void {
    domain.running?.guest.powerOff();
    domain.running = undefined;
    domain.offReason = reason;
    for (const console of domain.consoles.values()) console.end();
    domain.consoles.clear();
    if (domain.defined === undefined) this.#domains.delete(domain.name);
    for (const what of told) this.#host.events.lifecycle(domain.name, what);
  }
}

/** Firmware boots from no disk of less than a cylinder: its guest waits for ever, and so never resets. */
function isBootable(disk: FakeFile | undefined): boolean {
  return disk !== undefined && disk.capacity >= 16 * 63 * 512;
}

/** Not running yet. */
function off({ name, uuid }: Description): FakeDomain {
  return { name, uuid, defined: undefined, running: undefined, offReason: "unknown", consoles: new Map() };
}
