// A fake host's networks and the addresses that they reserve.

import { readOne } from "../../../src/engines/libvirt/xml/read.ts";
import { complaint } from "./complain.ts";

export interface Reservation {
  readonly mac: string | undefined;
  readonly name: string | undefined;
  readonly ip: string | undefined;
}

export interface Lease {
  readonly mac: string;
  readonly ip: string;
}

export interface FakeNetwork {
  readonly name: string;
  readonly uuid: string;
  /** The first three numbers of its addresses, such as "127.66.1". */
  readonly subnet: string;
  forward: "nat" | "open" | "route";
  readonly reservations: Reservation[];
  /** What guests were given. None runs out while a test runs. */
  readonly leases: Lease[];
}

export class FakeNetworks {
  readonly #networks = new Map<string, FakeNetwork>();

  add(name: string, subnet: string): FakeNetwork {
    const network: FakeNetwork = {
      name,
      uuid: crypto.randomUUID(),
      subnet,
      forward: "open",
      reservations: [],
      leases: [],
    };
    this.#networks.set(name, network);
    return network;
  }

  remove(name: string): void {
    this.#networks.delete(name);
  }

  get names(): string[] {
    return [...this.#networks.keys()];
  }

  find(name: string): FakeNetwork | undefined {
    return this.#networks.get(name);
  }

  get(name: string): FakeNetwork {
    const network = this.#networks.get(name);
    if (network !== undefined) return network;
    throw complaint(`failed to get network '${name}'`, noSuchNetwork(name));
  }

  /**
   * What the network gives to a card that asks: what is reserved for it, unless that is leased to another card. (Then a
   * real one gives it some other address, which it may not use.)
   */
  lease(name: string, mac: string): string | undefined {
    const network = this.#networks.get(name);
    const ip = network?.reservations.find((one) => one.mac === mac)?.ip;
    if (network === undefined || ip === undefined) return undefined;
    const holder = network.leases.find((one) => one.ip === ip);
    if (holder === undefined) network.leases.push({ mac, ip });
    return holder === undefined || holder.mac === mac ? ip : undefined;
  }

  /** As `virsh --quiet net-dhcp-leases` prints them. */
  leases(name: string): string {
    const { leases } = this.get(name);
    return leases.map(({ mac, ip }) => ` 2026-01-01 00:00:00   ${mac}   ipv4       ${ip}/24   -          -\n`).join("");
  }

  update(name: string, command: string, xml: string): void {
    const network = this.get(name);
    const host = readOne(xml);
    const [mac, hostName, ip] = ["mac", "name", "ip"].map((key) => host.attribute(key));
    const given: Reservation = { mac: mac?.toLowerCase(), name: hostName, ip };
    const doing = `Failed to update network ${name}`;
    if (mac !== undefined && !/^([0-9a-f]{1,2}:){5}[0-9a-f]{1,2}$/i.test(mac)) {
      throw complaint(doing, `XML error: Cannot parse MAC address '${mac}' in network '${name}'`);
    }
    if (command === "add") this.#reserve(network, given, doing);
    else if (command === "delete") this.#release(network, given, doing);
    else throw new Error(`BUG: the fake does not know net-update ${command}`);
  }

  #reserve({ name, reservations }: FakeNetwork, given: Reservation, doing: string): void {
    if (reservations.some((one) => keys.some((key) => given[key] !== undefined && given[key] === one[key]))) {
      const [mac, hostName, ip] = keys.map((key) => given[key] ?? "(null)");
      const described = `<host mac='${mac}' name='${hostName}' ip='${ip}'/>`;
      throw complaint(
        doing,
        `Requested operation is not valid: there is an existing dhcp host entry in network '${name}' that matches "${described}"`,
      );
    }
    reservations.push(given);
  }

  #release({ name, reservations }: FakeNetwork, given: Reservation, doing: string): void {
    const index = reservations.findIndex((one) => keys.every((key) => (given[key] ?? one[key]) === one[key]));
    if (index >= 0) return void reservations.splice(index, 1);
    throw complaint(
      doing,
      `Requested operation is not valid: couldn't locate a matching dhcp host entry in network '${name}'`,
    );
  }

  /** `connections`: how many cards of running domains are in it. */
  xml(name: string, connections: number): string {
    const { uuid, subnet, forward, reservations } = this.get(name);
    return [
      connections === 0 ? "<network>" : `<network connections='${connections}'>`,
      `  <name>${name}</name>`,
      `  <uuid>${uuid}</uuid>`,
      `  <forward mode='${forward}'/>`,
      "  <bridge name='virbr0' stp='on' delay='0'/>",
      `  <ip address='${subnet}.1' netmask='255.255.255.0'>`,
      "    <dhcp>",
      `      <range start='${subnet}.10' end='${subnet}.250'/>`,
      ...reservations.map((one) => `      <host${attributes(one)}/>`),
      "    </dhcp>\n  </ip>\n</network>\n",
    ].join("\n");
  }
}

const keys = ["mac", "name", "ip"] as const;

export function noSuchNetwork(name: string): string {
  return `Network not found: no network with matching name '${name}'`;
}

function attributes(reservation: Reservation): string {
  return keys.map((key) => (reservation[key] === undefined ? "" : ` ${key}='${reservation[key]}'`)).join("");
}
