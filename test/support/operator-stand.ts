// A directory with a lessor.yaml that names a fake cluster, and what the commands of an operator say there.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Surroundings } from "../../src/operator/surroundings.ts";
import { beginCheckStand, type CheckStand } from "./check-stand.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface OperatorStand {
  readonly stand: CheckStand;
  readonly directory: string;
  readonly surroundings: Surroundings;
  /** What was printed, line by line. */
  readonly printed: string[];
  /** What the person was told beside that. */
  readonly told: string[];
  /** Writes lessor.yaml with these clusters, each the fake one with what is said of it. */
  configure(...clusters: readonly object[]): void;
  /** The same, with an engine of libvirt hosts beside them, called metal, on which nothing answers. */
  configureHosts(...clusters: readonly object[]): void;
}

/** With one cluster, called north. */
export async function beginOperatorStand(): Promise<OperatorStand> {
  const stand = await beginCheckStand();
  const directory = await temporaryDirectory();
  const [endpoint] = stand.settings.endpoints;
  if (endpoint?.kind !== "unix") throw new Error("BUG: the fake listens on no socket");
  const cluster = {
    name: "north",
    urls: [`unix://${endpoint.path}`],
    region: "north",
    kind: "container",
    pool: "local",
    network: "lxdbr0",
    ssh_probe: { port: stand.door.port },
  };
  const write = (clusters: readonly object[], others: object) => {
    const incus = clusters.map((part) => ({ ...cluster, ...part }));
    writeFileSync(join(directory, "lessor.yaml"), stringify({ incus, ...others }));
  };
  const configure = (...clusters: readonly object[]) => write(clusters, {});
  const hosts = [{ name: "gpu-1", region: "north", uri: "qemu+tcp://127.0.0.1:1/system" }];
  const configureHosts = (...clusters: readonly object[]) => write(clusters, { libvirt: [{ name: "metal", hosts }] });
  configure({});
  const [printed, told]: [string[], string[]] = [[], []];
  const surroundings: Surroundings = {
    env: { PATH: "/bin" },
    cwd: directory,
    print: (line) => printed.push(line),
    tell: (line) => told.push(line),
    status: { show: () => {}, clear: () => {} },
  };
  return { stand, directory, surroundings, printed, told, configure, configureHosts };
}
