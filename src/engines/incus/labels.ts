// How this engine recognizes its own: names made from ids, and `user.lessor.*` keys in the configuration.
//
// Invariant: only what has the label of this installation is listed, changed or removed. Two services can share a
// cluster, and operators' own machines can be on it.

import type { MachineSpec } from "../engine.ts";
import type { ApiInstance } from "./api.ts";

export const marks = {
  installation: "user.lessor.installation",
  instance: "user.lessor.instance",
  account: "user.lessor.account",
  generation: "user.lessor.generation",
  /** Set when the secrets were delivered: from then on it holds customer data. */
  told: "user.lessor.told",
  /** Set when the guest's first boot was seen to have completed. */
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

/** The machine that an event's source ("/1.0/instances/lessor-…?project=…") is about; undefined: not one of ours. */
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

/** The machine's id; undefined if the instance is not of this installation. */
export function machineIdOf(instance: ApiInstance, installation: string): string | undefined {
  const { config } = instance;
  return config?.[marks.installation] === installation ? config[marks.instance] : undefined;
}

export function isTold(instance: ApiInstance): boolean {
  return instance.config?.[marks.told] === "true";
}
