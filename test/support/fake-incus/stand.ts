// The fake of the Incus API with an engine on it, ready for a test; everything is closed when the test is over.

import { join } from "node:path";
import type { MachineSpec } from "../../../src/engines/engine.ts";
import { type Cluster, openCluster } from "../../../src/engines/incus/cluster.ts";
import { IncusEngine } from "../../../src/engines/incus/engine.ts";
import type { IncusSettings } from "../../../src/engines/incus/settings/settings.ts";
import { machineSpecOn } from "../machine-spec.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { afterTest } from "../when-over.ts";
import { FakeIncus } from "./fake-incus.ts";
import { openSshDoor, type SshDoor } from "./ssh-door.ts";

export const installation = "installation-1";

/** What marks the machines and volumes of a stand's engine: its installation and its name. */
export const mark = "installation-1/lab";

export interface Stand {
  readonly fake: FakeIncus;
  readonly engine: IncusEngine;
  readonly settings: IncusSettings;
  readonly door: SshDoor;
  /** What the engine's files work with, apart from the engine. */
  readonly cluster: Cluster;
  /** Another engine on the same cluster, as after a restart, or of another installation. */
  another(mark?: string): IncusEngine;
}

/** A cluster of the members m1 and m2, over a Unix socket. */
export async function beginStand(part: Partial<IncusSettings> = {}): Promise<Stand> {
  const fake = await beginFake();
  fake.world.addMember("m1");
  fake.world.addMember("m2");
  const path = await fake.listenUnix(join(await temporaryDirectory(), "socket"));
  const door = await openSshDoor();
  const settings = settingsFor({
    endpoints: [{ kind: "unix", path }],
    sshProbe: { kind: "tcp", port: door.port },
    ...part,
  });
  const another = (mark = installation) => {
    const engine = new IncusEngine(settings, mark);
    afterTest(() => engine.close());
    return engine;
  };
  const cluster = openCluster(settings, installation);
  afterTest(() => cluster.client.close());
  return { fake, engine: another(), settings, door, cluster, another };
}

/** Listens nowhere yet. */
export async function beginFake(): Promise<FakeIncus> {
  const fake = new FakeIncus();
  afterTest(() => fake.close());
  return fake;
}

export function settingsFor(part: Partial<IncusSettings> = {}): IncusSettings {
  return {
    name: "lab",
    endpoints: [],
    tls: undefined,
    regionOf: { kind: "all", region: "north" },
    kind: "container",
    project: "default",
    pool: "local",
    nic: { kind: "network", network: "lxdbr0" },
    managementNetworks: [],
    images: {},
    gpuModels: {},
    reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
    cpuRatio: 1,
    sshProbe: { kind: "tcp", port: 22 },
    stopGraceSeconds: 30,
    hostPrefix: "",
    ...part,
  };
}

export function machineSpec(part: Partial<MachineSpec> = {}): MachineSpec {
  return machineSpecOn("m1", part);
}
