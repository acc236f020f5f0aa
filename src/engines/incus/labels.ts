// How this engine recognizes what is its own: names made from ids, and `user.lessor.*` keys in the configuration.
//
// Invariant: only what carries the mark of this installation is ever listed, changed or removed. Two services may share
// a cluster, and an operator's own machines are on it too.

import type { MachineSpec } from "../engine.ts";
import type { ApiInstance } from "./api.ts";

export const marks = {
  installation: "user.lessor.installation",
  instance: "user.lessor.instance",
  account: "user.lessor.account",
  generation: "user.lessor.generation",
  /** Set when the guest was told its secrets: from then on it holds a renter's data. */
  told: "user.lessor.told",
  /** Set when the guest was seen to have done at its first boot what it was told. */
  setUp: "user.lessor.set-up",
  fileSystem: "user.lessor.file-system",
} as const;

const prefix = "lessor-";

/** A valid host name, as instance names have to be. */
export function instanceName(machineId: string): string {
  return `${prefix}${machineId}`;
}

export function volumeName(fileSystemId: string): string {
  return `${prefix}${fileSystemId}`;
}

/** The machine that an event's source ("/1.0/instances/lessor-…?project=…") is about; undefined: none of ours. */
export function machineIdIn(source: string): string | undefined {
  return /^\/1\.0\/(?:instances|containers|virtual-machines)\/lessor-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/|\?|$)/.exec(
    source,
  )?.[1];
}

export function labelsOf(spec: MachineSpec, installation: string): Record<string, string> {
  return {
    [marks.installation]: installation,
    [marks.instance]: spec.id,
    [marks.account]: spec.accountId,
    [marks.generation]: `${spec.generation}`,
  };
}

/** The machine's id, or undefined where the instance is not one of this installation's. */
export function machineIdOf(instance: ApiInstance, installation: string): string | undefined {
  const { config } = instance;
  return config?.[marks.installation] === installation ? config[marks.instance] : undefined;
}

export function isTold(instance: ApiInstance): boolean {
  return instance.config?.[marks.told] === "true";
}
