// How this engine recognizes its own: names and tags made from ids, and `lessor-*` keys in the metadata of servers.
//
// Invariant: only what has the tag of this installation is listed, changed or removed. Two services can share a project.

import { createHash } from "node:crypto";
import type { MachineSpec } from "../engine.ts";

const prefix = "lessor-";

/** The name of a machine's server and of its port, and the tag by which its servers are found. At most 43 characters. */
export function machineName(machineId: string): string {
  return `${prefix}${machineId}`;
}

/** The tag of what belongs to an engine of an installation. Tags have at most 60 characters. */
export function ownerTag(installation: string, engine: string): string {
  return `${prefix}i-${digest(`${installation}/${engine}`, 32)}`;
}

/** Whether it is that of any. */
export function isOwnerTag(tag: string): boolean {
  return tag.startsWith(`${prefix}i-`);
}

/** The first hexadecimal digits of the text's SHA-256. */
export function digest(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}

/** On a port: its server was accepted once. Without a server it is what is left of a machine that is gone. */
export const madeTag = `${prefix}made`;

/** Keys of the metadata of servers and volumes, which the project's members and the cloud's administrators can read. */
export const keys = {
  account: `${prefix}account`,
  /** The GPUs that were ordered: `gpusText`. */
  gpus: `${prefix}gpus`,
  /** The host in Lessor's sense. */
  host: `${prefix}host`,
  /** Set with the secrets: from then on it holds customer data. */
  told: `${prefix}told`,
  /** Of a volume that no server ever had: how often the storage was told to make one, and for which machine. */
  empty: `${prefix}empty`,
} as const;

/** The limit of Nova for one value of metadata, in characters. */
const MOST_VALUE = 255;

/** GPUs by their addresses, class by class: `A/0,1 B/0`. Of more than a value holds, the first. */
export function gpusText(addresses: readonly string[]): string {
  let text = "";
  let last: string | undefined;
  for (const address of addresses.toSorted()) {
    const slash = address.indexOf("/");
    const gpuClass = address.slice(0, slash);
    const more = gpuClass === last ? `,${address.slice(slash + 1)}` : `${text === "" ? "" : " "}${address}`;
    if (text.length + more.length > MOST_VALUE) break;
    text += more;
    last = gpuClass;
  }
  return text;
}

/** The addresses in what `gpusText` has written. */
export function gpusIn(text: string): string[] {
  return text.split(" ").flatMap((part) => {
    const [gpuClass, units] = part.split("/");
    return units === undefined ? [] : units.split(",").map((unit) => `${gpuClass}/${unit}`);
  });
}

/** The description of a machine's port: its host, and whose it is, as Neutron takes no tags with a new port. */
export function portText(host: string, owner: string): string {
  return `${host} ${owner}`;
}

export function isPortText(description: string, owner: string): boolean {
  return description.endsWith(` ${owner}`);
}

/** The host in what `portText` has written. */
export function hostInPortText(description: string): string {
  return description.split(" ")[0] ?? "";
}

/** The key of one piece of the secrets. */
export function secretKey(index: number): string {
  return `${prefix}secret-${index}`;
}

export function isSecretKey(key: string): boolean {
  return key.startsWith(`${prefix}secret-`);
}

/** The tags of a machine's server. */
export function serverTags(spec: MachineSpec, owner: string): string[] {
  return [machineName(spec.id), `${prefix}g${spec.generation}`, owner];
}

/** The machine whose name or tag is among these; undefined: not one of ours. */
export function machineIdIn(names: readonly string[]): string | undefined {
  for (const name of names) {
    const id = /^lessor-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(name)?.[1];
    if (id !== undefined) return id;
  }
  return undefined;
}
