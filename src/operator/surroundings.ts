// What the commands of this room work with: where they run, and where their output goes.

import { type IncusClusterSettings, loadConfig } from "../config.ts";
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

const example = `incus:
  - name: north
    urls: [unix:///var/lib/incus/unix.socket]
    region: north
    network: incusbr0`;

/** The clusters of lessor.yaml; at least one. Throws ConfigError, OperatorError. */
export function configuredClusters({ env, cwd }: Surroundings): readonly IncusClusterSettings[] {
  const { incus } = loadConfig({ env, cwd });
  if (incus.length > 0) return incus;
  throw new OperatorError(
    `There are no clusters in the settings. Name one in lessor.yaml (docs/operating.md), such as:\n\n${example}`,
  );
}

/** The one of this name. Throws OperatorError. */
export function clusterNamed(clusters: readonly IncusClusterSettings[], name: string): IncusClusterSettings {
  const found = clusters.find((cluster) => cluster.name === name);
  if (found !== undefined) return found;
  const known = clusters.map((cluster) => cluster.name).join(", ");
  throw new OperatorError(`There is no cluster ${name} in the settings. There is: ${known}.`);
}
