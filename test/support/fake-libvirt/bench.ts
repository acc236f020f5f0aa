// The engine on fake hosts, and single steps of it, ready for a test; everything is closed when the test is over.

import { onTestFinished } from "vitest";
import type { MachineSpec } from "../../../src/engines/engine.ts";
import { LibvirtEngine } from "../../../src/engines/libvirt/engine.ts";
import { type Inventory, readInventory } from "../../../src/engines/libvirt/host/inventory.ts";
import type { HostConnection } from "../../../src/engines/libvirt/host-connection.ts";
import { domainName } from "../../../src/engines/libvirt/labels.ts";
import type { LibvirtSettings } from "../../../src/engines/libvirt/settings/settings.ts";
import { type TimeoutPolicy, timeoutPolicy } from "../../../src/engines/libvirt/timeouts.ts";
import type { Virsh } from "../../../src/engines/libvirt/virsh/virsh.ts";
import { VirshError } from "../../../src/engines/libvirt/virsh/virsh-error.ts";
import { signal } from "../engine-calls.ts";
import { standInIso } from "../stand-in.ts";
import type { FakeHost } from "./fake-host.ts";
import { beginStand, installation, machineSpec, type Stand } from "./stand.ts";

export interface Bench extends Stand {
  readonly engine: LibvirtEngine;
  /** On h1. */
  readonly spec: MachineSpec;
  readonly name: string;
  /** h1, with the way to it. */
  readonly host: FakeHost;
  readonly place: HostConnection;
  readonly inventory: Inventory;
  /** Another engine on the same hosts, as after a restart, or of another installation. */
  another(mark?: string, part?: Partial<LibvirtSettings>): LibvirtEngine;
}

export async function beginBench(
  part: Partial<LibvirtSettings> = {},
  waiting: TimeoutPolicy = timeoutPolicy(),
): Promise<Bench> {
  await standInIso();
  const stand = await beginStand(part);
  const { fake, settings } = stand;
  const another: Bench["another"] = (mark = installation, other = {}) => {
    const connect = (uri: string) => fake.virsh(uri);
    const engine = new LibvirtEngine({ ...settings, ...other }, mark, { connect, waiting });
    onTestFinished(() => engine.close());
    return engine;
  };
  const host = fake.world.host("h1");
  const place = placeOn(stand, "h1");
  const inventory = await readInventory(place.virsh, settings, signal());
  fake.calls.length = 0;
  const spec = machineSpec();
  return { ...stand, engine: another(), another, host, place, inventory, spec, name: domainName(spec.id) };
}

export function placeOn({ fake, settings }: Stand, name: string): HostConnection {
  const host = settings.hosts.find((one) => one.name === name);
  if (host === undefined) throw new Error(`BUG: no fake host is called ${name}`);
  return { host, settings, installation, virsh: fake.virsh(host.uri) };
}

/** What happens to a command on its way. */
export type Disturbance = <T>(command: () => Promise<T>) => Promise<T>;

export interface Disturbed extends Virsh {
  /** How many commands have come by. */
  readonly count: number;
}

/** The same way to the same host, where the command of that number, from 0 on, meets a disturbance. */
export function disturbed(virsh: Virsh, at: number, disturbance: Disturbance): Disturbed {
  let count = 0;
  const pass = <T>(command: () => Promise<T>) => (count++ === at ? disturbance(command) : command());
  return {
    call: (args, options) => pass(() => virsh.call(args, options)),
    bytes: (args, options) => pass(() => virsh.bytes(args, options)),
    all: (commands, options) => pass(() => virsh.all(commands, options)),
    follow: (commands, follower) => virsh.follow(commands, follower),
    console: (order, within) => pass(() => virsh.console(order, within)),
    get count() {
      return count;
    },
  };
}

/** How many commands it takes undisturbed. */
export async function stepsOf(
  place: HostConnection,
  run: (place: HostConnection) => Promise<unknown>,
): Promise<number> {
  const counted = disturbed(place.virsh, -1, (command) => command());
  await run({ ...place, virsh: counted });
  return counted.count;
}

/** As when the daemon goes away. */
export function connectionLost(): VirshError {
  return VirshError.ended(
    1,
    null,
    "error: Disconnected from qemu+tcp://h1/system due to end of file\nerror: End of file while reading data",
  );
}

export const disturbances = [
  "never arrives",
  "is done, and its answer is lost",
  "comes after the daemon was restarted",
  "comes after the host was restarted",
] as const;
export type DisturbanceName = (typeof disturbances)[number];

/** Ways in which any command may be disturbed on that host, by what a person would call them. */
export function disturbancesOn(host: FakeHost): Readonly<Record<DisturbanceName, Disturbance>> {
  return {
    "never arrives": async () => {
      throw connectionLost();
    },
    "is done, and its answer is lost": async (command) => {
      await command().catch(() => {});
      throw connectionLost();
    },
    "comes after the daemon was restarted": (command) => {
      host.restartDaemon();
      return command();
    },
    "comes after the host was restarted": (command) => {
      host.reboot();
      return command();
    },
  };
}

/** All that there is on a host, to be compared: domains, files, filters, and reserved addresses. */
export function contentsOf(host: FakeHost) {
  return {
    domains: host.domains.all().map(({ name, defined, running }) => ({
      name,
      xml: defined?.xml,
      runs: running !== undefined,
    })),
    files: [...host.storage.files].map(([path, { format, capacity, backing }]) => ({
      path,
      format,
      capacity,
      backing,
    })),
    filters: [...host.filters.own.keys()],
    reservations: host.networks.get("default").reservations.map(({ mac, ip }) => ({ mac, ip })),
  };
}
