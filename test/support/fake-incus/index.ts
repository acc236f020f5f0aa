// The fake of the Incus API with an engine on it, ready for a test; everything is closed when the test is over.

import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { GuestSpec, MachineSpec } from "../../../src/engines/engine.ts";
import { type Cluster, openCluster } from "../../../src/engines/incus/cluster.ts";
import { IncusEngine, type IncusSettings } from "../../../src/engines/incus/index.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { FakeIncus } from "./fake-incus.ts";
import { openSshDoor, type SshDoor } from "./ssh-door.ts";

export { type CertificateName, certificatePath, fingerprint, keyPath } from "./certificates.ts";
export { FakeIncus, type SeenRequest } from "./fake-incus.ts";
export type { FakeInstance } from "./world.ts";

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
    onTestFinished(() => engine.close());
    return engine;
  };
  const cluster = openCluster(settings, installation);
  onTestFinished(() => cluster.client.close());
  return { fake, engine: another(), settings, door, cluster, another };
}

/** Listens nowhere yet. */
export async function beginFake(): Promise<FakeIncus> {
  const fake = new FakeIncus();
  onTestFinished(() => fake.close());
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
  return {
    id: crypto.randomUUID(),
    host: "m1",
    accountId: crypto.randomUUID(),
    generation: 1,
    vcpus: 4,
    memoryGib: 16,
    storageGb: 100,
    gpuAddresses: [],
    image: "debian-12",
    guest: guestSpec(),
    ...part,
  };
}

export function guestSpec(part: Partial<GuestSpec> = {}): GuestSpec {
  return {
    hostname: "training-1",
    loginUser: "renter",
    sshKeys: ["ssh-ed25519 AAAA ann@laptop"],
    password: undefined,
    jupyterToken: undefined,
    command: undefined,
    userData: undefined,
    envVars: { TOKEN: "a secret value" },
    fileSystems: [],
    ...part,
  };
}

/** Bounds a call of the engine, so that a test that hangs says where. */
export function signal(): AbortSignal {
  return AbortSignal.timeout(10_000);
}

/** Looks until it is as expected: `await eventually(() => value).toBe(…)`. */
export function eventually<T>(look: () => T) {
  return expect.poll(look, { interval: 5, timeout: 10_000 });
}

/** What the call failed with. Throws when it succeeded. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    () => ({ failed: false as const }),
    (error: unknown) => ({ failed: true as const, error }),
  );
  if (!outcome.failed) throw new Error("it succeeded, and should have failed");
  return outcome.error;
}
