// A stand-in for libvirt hosts, for tests that need neither root nor a libvirt: a world in memory that the test sees and
// changes, behind the interface that the engine speaks to a real host through. What goes wrong, the test says (faults.ts,
// fake-host.ts). Its words are those of libvirt 9.0; test/vm/fake-libvirt.test.ts holds them to a real one.

import type { Virsh } from "../../../src/engines/libvirt/virsh/virsh.ts";
import type { FakeConsole } from "./consoles.ts";
import type { FakeDomain } from "./domains.ts";
import { FakeHost } from "./fake-host.ts";
import { FakeVirsh, type SeenCall } from "./fake-virsh.ts";
import { Faults } from "./faults.ts";
import { type FakeGuest, goodManners } from "./guest.ts";

/** What is there: hosts, and the guests on them. */
export class FakeWorld {
  readonly hosts = new Map<string, FakeHost>();
  /** How all guests behave from now on. */
  readonly manners = goodManners();

  host(name: string): FakeHost {
    const host = this.hosts.get(name);
    if (host === undefined) throw new Error(`BUG: no fake host is called ${name}`);
    return host;
  }

  /** All domains of that name; more than one is what an engine must never make. */
  domains(name: string): { host: FakeHost; domain: FakeDomain }[] {
    return [...this.hosts.values()].flatMap((host) => {
      const domain = host.domains.find(name);
      return domain === undefined ? [] : [{ host, domain }];
    });
  }

  /** The only domain of that name. */
  domain(name: string): { host: FakeHost; domain: FakeDomain } {
    const [found, ...others] = this.domains(name);
    if (found === undefined || others.length > 0) throw new Error(`BUG: not one fake domain is called ${name}`);
    return found;
  }

  /** What runs in the domain. */
  guest(name: string): FakeGuest {
    const { running } = this.domain(name).domain;
    if (running === undefined) throw new Error(`BUG: the fake domain ${name} does not run`);
    return running.guest;
  }

  /** The guest that has this address now. */
  guestAt(address: string): FakeGuest | undefined {
    const domains = [...this.hosts.values()].flatMap((host) => host.domains.all());
    return domains.flatMap(({ running }) => running?.guest ?? []).find((guest) => guest.address === address);
  }

  /** The guest powers its machine off. */
  powerOff(name: string): void {
    this.domain(name).host.domains.powerOff(name);
  }

  /** The guest reboots by itself. */
  reboot(name: string): void {
    this.domain(name).host.domains.reboot(name);
  }

  /** The machine's QEMU is killed. */
  crash(name: string): void {
    this.domain(name).host.domains.crash(name);
  }

  /** Every console that was opened on any host. */
  get consoles(): FakeConsole[] {
    return [...this.hosts.values()].flatMap((host) => host.domains.opened);
  }
}

export interface FakeLibvirtOptions {
  /** Each gets the pool and the network `default`. */
  readonly hosts: readonly string[];
}

export class FakeLibvirt {
  readonly world = new FakeWorld();
  readonly faults = new Faults();
  /** Every command that reached a host, in order. */
  readonly calls: SeenCall[] = [];

  constructor({ hosts }: FakeLibvirtOptions) {
    for (const name of hosts) this.addHost(name);
  }

  /** One more, with addresses of its own for its guests. */
  addHost(name: string): FakeHost {
    const subnet = `127.66.${this.world.hosts.size + 1}`;
    const host = new FakeHost(name, `qemu+tcp://${subnet}.2/system`, this.world.manners);
    host.storage.addPool("default", "/var/lib/libvirt/images");
    host.networks.add("default", subnet);
    this.world.hosts.set(name, host);
    return host;
  }

  /** The host at that URI. */
  virsh(uri: string): Virsh {
    const host = [...this.world.hosts.values()].find((one) => one.uri === uri);
    if (host === undefined) throw new Error("BUG: no fake host has this URI");
    return new FakeVirsh(host, this.faults, (call) => this.calls.push(call));
  }

  /** The commands that read like this, such as /^h1 start /, in their order. */
  seen(command: RegExp): SeenCall[] {
    return this.calls.filter(({ host, args }) => command.test([host, ...args].join(" ")));
  }

  /** Nothing runs any more; no timer is left. */
  close(): void {
    for (const host of this.world.hosts.values()) host.domains.losePower();
  }
}
