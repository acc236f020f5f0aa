// How this engine recognizes what is its own: names made from ids, and an element in the metadata of a domain.
//
// Invariant: only what carries the mark of this installation is ever listed, changed or removed. An operator's own
// domains may be on the host too, and those of another installation.

import type { MachineSpec } from "../engine.ts";
import { type Element, element } from "./xml/element.ts";
import type { XmlNode } from "./xml/read.ts";

const namespace = "urn:lessor:machine:1";

/** What is known of a machine by its domain alone. */
export interface OwnershipLabel {
  readonly installation: string;
  readonly engine: string;
  readonly instance: string;
  /** Reserved for it. */
  readonly address: string;
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

export function domainName(machineId: string): string {
  return `lessor-${machineId}`;
}

/** The machine that a domain of this name would be; undefined: none of ours. */
export function machineIdIn(name: string): string | undefined {
  return new RegExp(`^lessor-(${uuid})$`).exec(name)?.[1];
}

/** The volumes of one machine. Those in memory are gone when the host starts anew, and are made before each start. */
export const volumes = {
  disk: (machineId: string) => `${domainName(machineId)}.qcow2`,
  seed: (machineId: string) => `${domainName(machineId)}.seed.iso`,
  secrets: (machineId: string) => `${domainName(machineId)}.secrets`,
} as const;

export function fileSystemVolume(fileSystemId: string): string {
  return `lessor-fs-${fileSystemId}.img`;
}

/** The name of the volume that says that another one is not whole yet: its import is under way, or was broken off. */
export function unfinishedMark(volume: string): string {
  return `lessor-importing.${volume}`;
}

/** For the metadata of the domain. The account and the generation are for people who look at the host. */
export function labelOf(spec: MachineSpec, mark: Pick<OwnershipLabel, "installation" | "engine" | "address">): Element {
  return element("lessor:machine", {
    "xmlns:lessor": namespace,
    installation: mark.installation,
    engine: mark.engine,
    instance: spec.id,
    account: spec.accountId,
    generation: spec.generation,
    address: mark.address,
  });
}

/** The mark of a domain, from the XML that describes it; undefined where it bears none, or none that is whole. */
export function labelIn(domain: XmlNode): OwnershipLabel | undefined {
  const own = domain.one("metadata", "lessor:machine");
  if (own?.attribute("xmlns:lessor") !== namespace) return undefined;
  const [installation, engine, instance, address] = ["installation", "engine", "instance", "address"].map((name) =>
    own.attribute(name),
  );
  if (installation === undefined || engine === undefined || instance === undefined || address === undefined) {
    return undefined;
  }
  return { installation, engine, instance, address };
}

/** Whose machine a marked domain is, for people and the check; undefined: it does not say. */
export function accountIn(domain: XmlNode): string | undefined {
  return domain.one("metadata", "lessor:machine")?.attribute("account");
}
