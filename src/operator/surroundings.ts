// What the commands of this room work with: where they run, and where their output goes.

import { type IncusClusterSettings, type LibvirtSettings, loadConfig } from "../config.ts";
import type { StatusLine } from "./status-line.ts";

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Where lessor.yaml is looked for. */
  readonly cwd: string;
  /** A line of output. */
  readonly print: (line: string) => void;
  /** A line for the person, apart from the output. */
  readonly tell: (line: string) => void;
  readonly status: StatusLine;
}

/** The command cannot be carried out as it was given; the message says why, and what to do. */
export class OperatorError extends Error {
  override name = "OperatorError";
}

/** An engine of lessor.yaml with real machines. */
export type ConfiguredEngine =
  | { readonly kind: "incus"; readonly name: string; readonly settings: IncusClusterSettings }
  | { readonly kind: "libvirt"; readonly name: string; readonly settings: LibvirtSettings };

const example = `incus:                       # a cluster of Incus or LXD
  - name: north
    urls: [unix:///var/lib/incus/unix.socket]
    region: north
    network: incusbr0
libvirt:                     # and, or, plain hosts with libvirt
  - name: metal
    hosts:
      - { name: gpu-1, region: north, uri: qemu+ssh://root@gpu-1/system }`;

/** The engines of lessor.yaml, clusters first; at least one. Throws ConfigError, OperatorError. */
export function configuredEngines({ env, cwd }: Surroundings): readonly ConfiguredEngine[] {
  const { incus, libvirt } = loadConfig({ env, cwd });
  const engines: ConfiguredEngine[] = [
    ...incus.map((settings) => ({ kind: "incus", name: settings.name, settings }) as const),
    ...libvirt.map((settings) => ({ kind: "libvirt", name: settings.name, settings }) as const),
  ];
  if (engines.length > 0) return engines;
  throw new OperatorError(
    "There are no clusters and no libvirt hosts in the settings. Name some in lessor.yaml (docs/operating.md), such " +
      `as:\n\n${example}`,
  );
}

/** The one of this name. Throws OperatorError. */
export function engineNamed(engines: readonly ConfiguredEngine[], name: string): ConfiguredEngine {
  const found = engines.find((engine) => engine.name === name);
  if (found !== undefined) return found;
  const known = engines.map((engine) => engine.name).join(", ");
  throw new OperatorError(`There is no engine ${name} in the settings. There is: ${known}.`);
}
