// The address of a machine: reserved for its MAC in the operator's network, from before its first start until it is
// removed. So it is known before the guest responds, survives restarts, and is exclusive.
//
// Invariants: libvirt decides races: it rejects a second reservation of a MAC or an address, and the search is
// repeated. An address that a guest might still hold a lease of is not reserved for another: dnsmasq would assign that
// one a different address, which its filter blocks.

import { createHash } from "node:crypto";
import { EngineError } from "../engine.ts";
import type { HostConnection } from "./host-connection.ts";
import { says, unless } from "./virsh/virsh-error.ts";
import { element, xmlText } from "./xml/element.ts";
import { readOne, type XmlNode } from "./xml/read.ts";

const ATTEMPTS = 30;

/** Always the same for a machine: 40 bits of its id, after a first byte that marks locally administered addresses. */
export function macOf(machineId: string): string {
  const digest = createHash("sha256").update(machineId).digest();
  return ["52", ...[...digest.subarray(0, 5)].map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
}

/** Returns its address, and reserves one if needed. Throws EngineError if none is free, VirshError. */
export async function reserveAddress(place: HostConnection, machineId: string, signal: AbortSignal): Promise<string> {
  const { virsh, settings } = place;
  const mac = macOf(machineId);
  /** The last address that was rejected although it looked free. */
  let refused: string | undefined;
  let leases: readonly Lease[] | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const network = readOne(await virsh.call(["net-dumpxml", settings.network], { signal }));
    const reserved = hostsOf(network);
    const own = reserved.find((one) => one.mac === mac)?.ip;
    if (own !== undefined) return own;
    const taken = new Set(reserved.map((one) => one.ip));
    if (refused !== undefined && !taken.has(refused)) await forgetHalf(place, mac, signal);
    const start = startOf(machineId, attempt);
    leases ??= await leasesOf(place, signal);
    const leased = leases.flatMap((lease) => (lease.mac === mac ? [] : [lease.ip]));
    const ip = freeAddress(network, new Set([...taken, ...leased]), start);
    if (ip === undefined) {
      if (freeAddress(network, taken, start) === undefined) {
        throw new EngineError("refused", "no-free-address", "The host's network has no free address.");
      }
      throw new EngineError(
        "unavailable",
        "no-free-address",
        "Every free address of the host's network is still leased.",
      );
    }
    const order = ["net-update", settings.network, "add", "ip-dhcp-host", xmlText(element("host", { mac, ip }))];
    try {
      await virsh.call([...order, "--live", "--config"], { signal });
      return ip;
    } catch (error) {
      // Most likely a concurrent call reserved it.
      if (!says(error, "exists")) throw error;
      refused = ip;
    }
  }
  throw new EngineError("unavailable", "no-free-address", "The host's network is too busy to assign an address.");
}

/** Does nothing if it has none. Throws VirshError. */
export async function freeReservation(
  { virsh, settings }: HostConnection,
  machineId: string,
  signal: AbortSignal,
): Promise<void> {
  const mac = macOf(machineId);
  const order = ["net-update", settings.network, "delete", "ip-dhcp-host", xmlText(element("host", { mac }))];
  // The reservations of a deleted network are gone too.
  const free = async () => {
    const done = await unless("noSuchReservation", virsh.call([...order, "--live", "--config"], { signal }));
    if (done === undefined) await forgetHalf({ virsh, settings }, mac, signal);
  };
  await unless("noSuchNetwork", free());
}

/**
 * Deletes a reservation that libvirt wrote to the network's definition but not to the running network, because it was
 * killed in between: it is invisible and blocks another one. Does nothing if there is none. Throws VirshError.
 */
async function forgetHalf(
  { virsh, settings }: Pick<HostConnection, "virsh" | "settings">,
  mac: string,
  signal: AbortSignal,
): Promise<void> {
  const order = ["net-update", settings.network, "delete", "ip-dhcp-host", xmlText(element("host", { mac }))];
  await unless("noSuchReservation", virsh.call([...order, "--config"], { signal }));
}

interface Lease {
  readonly mac: string;
  readonly ip: string;
}

/** Unexpired leases of all guests, also of removed ones. */
async function leasesOf({ virsh, settings }: HostConnection, signal: AbortSignal): Promise<Lease[]> {
  const printed = await virsh.call(["net-dhcp-leases", settings.network], { signal });
  return [...printed.matchAll(/ ((?:[0-9a-f]{2}:){5}[0-9a-f]{2}) +ipv4 +([0-9.]+)\//gi)].map(
    ([, mac = "", ip = ""]) => {
      return { mac: mac.toLowerCase(), ip };
    },
  );
}

/** Includes reservations that an operator made for a name alone: their address is taken. */
function hostsOf(network: XmlNode): { mac: string | undefined; ip: string }[] {
  return network.all("ip", "dhcp", "host").flatMap((host) => {
    const ip = host.attribute("ip");
    return ip === undefined ? [] : [{ mac: host.attribute("mac")?.toLowerCase(), ip }];
  });
}

/** How many addresses the network can assign in total. */
export function addressCount(network: XmlNode): number {
  return rangesOf(network).reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** The first free address from the `start`-th on (modulo the count), so that concurrent creates choose different ones. */
function freeAddress(network: XmlNode, taken: ReadonlySet<string>, start: number): string | undefined {
  const ranges = rangesOf(network);
  const count = addressCount(network);
  const own = new Set(network.all("ip").flatMap((ip) => ip.attribute("address") ?? []));
  for (let step = 0; step < count; step++) {
    const ip = addressAt(ranges, (start + step) % count);
    if (!taken.has(ip) && !own.has(ip)) return ip;
  }
  return undefined;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** IPv4 only: the anti-spoofing filter blocks everything else. */
function rangesOf(network: XmlNode): Range[] {
  return network.all("ip", "dhcp", "range").flatMap((range) => {
    const [first, last] = [range.attribute("start"), range.attribute("end")].map(toNumber);
    return first === undefined || last === undefined || last < first ? [] : [{ first, last }];
  });
}

function addressAt(ranges: readonly Range[], index: number): string {
  let left = index;
  for (const { first, last } of ranges) {
    const size = last - first + 1;
    if (left < size) return toText(first + left);
    left -= size;
  }
  throw new Error("BUG: an address beyond the network's ranges");
}

function toNumber(ip: string | undefined): number | undefined {
  if (ip === undefined || !/^\d{1,3}(\.\d{1,3}){3}$/.test(ip)) return undefined;
  return ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function toText(value: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join(".");
}

function startOf(machineId: string, attempt: number): number {
  return createHash("sha256").update(`${machineId}/${attempt}`).digest().readUInt32BE(0);
}
