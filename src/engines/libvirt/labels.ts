// How this engine recognizes its own: names made from ids, and an element in a domain's metadata.
//
// Invariant: only what has the label of this installation is listed, changed or removed. An operator's own domains can
// be on the host, and those of another installation.

import type { MachineSpec } from "../engine.ts";
import { type Element, element } from "./xml/element.ts";
import type { XmlNode } from "./xml/read.ts";

const namespace = "urn:lessor:machine:1";

/** What a domain alone says about its machine. */
export interface OwnershipLabel {
  readonly installation: string;
  readonly engine: string;
  readonly instance: string;
  /** Its reserved address. */
  readonly address: string;
  /** Of a copy that was never started: the state of the disk that it was copied from (move/disk.ts). */
  readonly copied?: string | undefined;
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

export function domainName(machineId: string): string {
  return `lessor-${machineId}`;
}

/** The machine of a domain with this name; undefined: not one of ours. */
export function machineIdIn(name: string): string | undefined {
  return new RegExp(`^lessor-(${uuid})$`).exec(name)?.[1];
}

/** The volumes of one machine. Those in memory are lost when the host restarts, and are created before each start. */
export const volumes = {
  disk: (machineId: string) => `${domainName(machineId)}.qcow2`,
  seed: (machineId: string) => `${domainName(machineId)}.seed.iso`,
  secrets: (machineId: string) => `${domainName(machineId)}.secrets`,
  /** Beside a disk that is being copied from another host. */
  copying: (machineId: string) => `${domainName(machineId)}.copying`,
} as const;

export function fileSystemVolume(fileSystemId: string): string {
  return `lessor-fs-${fileSystemId}.img`;
}

/** The name of the volume that marks another one as incomplete: its import is in progress or was interrupted. */
export function unfinishedMark(volume: string): string {
  return `lessor-importing.${volume}`;
}

/** For the domain's metadata. The account and the generation are for people who inspect the host. */
export function labelOf(spec: MachineSpec, mark: Omit<OwnershipLabel, "instance">): Element {
  return element("lessor:machine", {
    "xmlns:lessor": namespace,
    installation: mark.installation,
    engine: mark.engine,
    instance: spec.id,
    account: spec.accountId,
    generation: spec.generation,
    address: mark.address,
    copied: mark.copied,
  });
}

/** The label of a domain, from its XML; undefined if it has none, or an incomplete one. */
export function labelIn(domain: XmlNode): OwnershipLabel | undefined {
  const own = domain.one("metadata", "lessor:machine");
  if (own?.attribute("xmlns:lessor") !== namespace) return undefined;
  const [installation, engine, instance, address] = ["installation", "engine", "instance", "address"].map((name) =>
    own.attribute(name),
  );
  if (installation === undefined || engine === undefined || instance === undefined || address === undefined) {
    return undefined;
  }
  return { installation, engine, instance, address, copied: own.attribute("copied") };
}

/** The account in a domain's label, for people and the check; undefined if missing. */
export function accountIn(domain: XmlNode): string | undefined {
  return domain.one("metadata", "lessor:machine")?.attribute("account");
}
