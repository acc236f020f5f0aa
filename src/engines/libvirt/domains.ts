// Reads domains of a host: one, or all that are ours. Used by everything that looks before it acts.

import { EngineError } from "../engine.ts";
import type { HostConnection } from "./host-connection.ts";
import { domainName, labelIn, machineIdIn } from "./labels.ts";
import { unless } from "./virsh/virsh-error.ts";
import { readOne, readXml, type XmlNode } from "./xml/read.ts";

/** `ending`: the guest has halted, and what ran it is being put away. */
export type Power = "running" | "paused" | "ending" | "off";

export interface Domain {
  readonly machineId: string;
  readonly power: Power;
  /** Why, in libvirt's words, such as "booted" or "crashed"; undefined: it was not asked. */
  readonly reason: string | undefined;
  /** What its address is, once it runs. */
  readonly address: string;
  /** Another at each start; undefined while it is off. */
  readonly run: string | undefined;
}

/** Undefined: the host is sure that it has none of ours of that id. Throws VirshError. */
export async function readDomain(
  place: HostConnection,
  machineId: string,
  signal: AbortSignal,
): Promise<Domain | undefined> {
  const domain = await read(place, machineId, signal);
  return domain === "foreign" ? undefined : domain;
}

/** Likewise, before something is made or removed by its name. Throws EngineError where another's domain has it. */
export async function readOwnDomain(
  place: HostConnection,
  machineId: string,
  signal: AbortSignal,
): Promise<Domain | undefined> {
  const domain = await read(place, machineId, signal);
  if (domain !== "foreign") return domain;
  throw new EngineError("unavailable", "not-ours", "A domain of this name is there, and not one of ours.");
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

/** All that are ours. Two requests, however many there are. Throws VirshError. */
export async function readDomains(place: HostConnection, signal: AbortSignal): Promise<Domain[]> {
  for (let attempt = 1; ; attempt++) {
    const states = statesIn(await place.virsh.call(["domstats", "--raw", "--state", "--nowait"], { signal }));
    const names = [...states.keys()].filter((name) => machineIdIn(name) !== undefined);
    if (names.length === 0) return [];
    const dumps = names.map((name) => ["dumpxml", name]);
    const text = await unless("noSuchDomain", place.virsh.all(dumps, { signal }));
    const nodes = text === undefined ? [] : readXml(text);
    if (nodes.length < names.length && attempt < LIST_ATTEMPTS) continue;
    // One that vanished in between is gone; the others must not be taken for gone.
    if (nodes.length < names.length) throw new Error("the domains of the host change faster than they can be listed");
    return nodes.flatMap((node) => {
      const power = powers[states.get(node.one("name")?.text ?? "") ?? -1] ?? "off";
      return domainOf(place, node, power, undefined) ?? [];
    });
  }
}

/** libvirt's numbers. A guest that sleeps runs. */
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
  if (power === undefined) throw new Error(`libvirt says of a domain what is not known: ${state}`);
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
  // A copy that somebody made of one of ours is not it.
  if (node.one("name")?.text !== domainName(mark.instance)) return undefined;
  const { instance: machineId, address } = mark;
  const run = node.attribute("id");
  // It was asked for its state first, and may have ended before it was described.
  return { machineId, power: run === undefined ? "off" : power, reason, address, run };
}
