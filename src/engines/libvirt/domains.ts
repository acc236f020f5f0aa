// Reads domains of a host: one, or all that are ours. Used by everything that observes before it acts.

import { EngineError } from "../engine.ts";
import type { HostConnection } from "./host-connection.ts";
import { domainName, labelIn, machineIdIn } from "./labels.ts";
import { unless } from "./virsh/virsh-error.ts";
import { readOne, readXml, type XmlNode } from "./xml/read.ts";

/** `ending`: the guest has halted, and libvirt is cleaning up its process. */
export type Power = "running" | "paused" | "ending" | "off";

export interface Domain {
  readonly machineId: string;
  readonly power: Power;
  /** The reason in libvirt's terms, such as "booted" or "crashed"; undefined: not requested. */
  readonly reason: string | undefined;
  /** Its address while it runs. */
  readonly address: string;
  /** Different at each start, on any host; undefined while it is off. */
  readonly run: string | undefined;
  /** As in the ownership label (labels.ts). */
  readonly copied: string | undefined;
}

/** Undefined: the host is sure that no such domain of ours exists. Throws VirshError. */
export async function readDomain(
  place: HostConnection,
  machineId: string,
  signal: AbortSignal,
): Promise<Domain | undefined> {
  const domain = await read(place, machineId, signal);
  return domain === "foreign" ? undefined : domain;
}

/** As readDomain, before something is created or removed by name. Throws EngineError if another domain has the name. */
export async function readOwnDomain(
  place: HostConnection,
  machineId: string,
  signal: AbortSignal,
): Promise<Domain | undefined> {
  const domain = await read(place, machineId, signal);
  if (domain !== "foreign") return domain;
  throw new EngineError("unavailable", "not-ours", "A domain with this name exists and belongs to something else.");
}

async function read(
  place: HostConnection,
  machineId: string,
  signal: AbortSignal,
): Promise<Domain | "foreign" | undefined> {
  const name = domainName(machineId);
  const commands = [
    ["domstate", name, "--reason"],
    ["dumpxml", name],
  ];
  const text = await unless("noSuchDomain", place.virsh.all(commands, { signal }));
  if (text === undefined) return undefined;
  const begin = text.indexOf("<domain");
  const [, state = "", reason] = /^(.*?)(?: \((.*)\))?$/.exec(text.slice(0, begin).trim()) ?? [];
  return domainOf(place, readOne(text.slice(begin)), powerNamed(state), reason) ?? "foreign";
}

const LIST_ATTEMPTS = 5;

/** All domains of ours, in two requests. Throws VirshError. */
export async function readDomains(place: HostConnection, signal: AbortSignal): Promise<Domain[]> {
  for (let attempt = 1; ; attempt++) {
    const states = statesIn(await place.virsh.call(["domstats", "--raw", "--state", "--nowait"], { signal }));
    const names = [...states.keys()].filter((name) => machineIdIn(name) !== undefined);
    if (names.length === 0) return [];
    const dumps = names.map((name) => ["dumpxml", name]);
    const text = await unless("noSuchDomain", place.virsh.all(dumps, { signal }));
    const nodes = text === undefined ? [] : readXml(text);
    if (nodes.length < names.length && attempt < LIST_ATTEMPTS) continue;
    // A domain might have been removed in between, but the others must not count as missing.
    if (nodes.length < names.length) throw new Error("the domains of the host change faster than they can be listed");
    return nodes.flatMap((node) => {
      const power = powers[states.get(node.one("name")?.text ?? "") ?? -1] ?? "off";
      return domainOf(place, node, power, undefined) ?? [];
    });
  }
}

/** libvirt's numbers. A sleeping guest counts as running. */
const powers: Readonly<Record<number, Power>> = {
  1: "running",
  2: "running",
  3: "paused",
  4: "ending",
  5: "off",
  6: "off",
  7: "running",
};

const powersByName: Readonly<Record<string, Power>> = {
  running: "running",
  idle: "running",
  paused: "paused",
  "in shutdown": "ending",
  "shut off": "off",
  crashed: "off",
  pmsuspended: "running",
};

function powerNamed(state: string): Power {
  const power = powersByName[state];
  if (power === undefined) throw new Error(`libvirt reports an unknown domain state: ${state}`);
  return power;
}

/** By name, from `domstats --raw --state`. */
function statesIn(text: string): Map<string, number> {
  const states = new Map<string, number>();
  let name: string | undefined;
  for (const line of text.split("\n")) {
    name = /^Domain: '(.*)'$/.exec(line)?.[1] ?? name;
    const state = /^\s*state\.state=(\d+)$/.exec(line)?.[1];
    if (name !== undefined && state !== undefined) states.set(name, Number(state));
  }
  return states;
}

function domainOf(place: HostConnection, node: XmlNode, power: Power, reason: string | undefined): Domain | undefined {
  const mark = labelIn(node);
  if (mark === undefined || mark.installation !== place.installation || mark.engine !== place.settings.name) {
    return undefined;
  }
  // Not a manual copy of one of our domains.
  if (node.one("name")?.text !== domainName(mark.instance)) return undefined;
  const { instance: machineId, address, copied } = mark;
  const id = node.attribute("id");
  // Each host counts for itself, and a machine can move.
  const run = id === undefined ? undefined : `${place.host.name}/${id}`;
  // The state was read first; the domain might have ended before it was described.
  return { machineId, power: run === undefined ? "off" : power, reason, address, run, copied };
}
