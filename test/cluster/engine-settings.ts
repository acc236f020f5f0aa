// The engine on a lab without a service around it: its settings, and machines for it.

import type { MachineSpec } from "../../src/engines/engine.ts";
import type { IncusSettings } from "../../src/engines/incus/index.ts";
import type { Lab } from "./lab/index.ts";

/** Over the members' Unix sockets. */
export function labSettings(lab: Lab): IncusSettings {
  return {
    name: "lab",
    endpoints: lab.members.map(({ socket }) => ({ kind: "unix", path: socket })),
    tls: undefined,
    regionOf: { kind: "all", region: "lab" },
    kind: "container",
    project: "default",
    pool: "default",
    nic: { kind: "network", network: "lxdbr0" },
    images: {},
    gpuModels: {},
    reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
    cpuRatio: 4,
    sshProbe: { kind: "command", command: lab.probeCommand, port: 22 },
    stopGraceSeconds: 5,
    hostPrefix: "",
  };
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f nobody@nowhere";

/** One with an id that was never used, so small that a member has room for several. Nobody can log in. */
export function machineOn(host: string, part: Partial<MachineSpec> = {}): MachineSpec {
  return {
    id: crypto.randomUUID(),
    host,
    accountId: crypto.randomUUID(),
    generation: 1,
    vcpus: 1,
    memoryGib: 1,
    storageGb: 1,
    gpuAddresses: [],
    image: "debian-12",
    guest: {
      hostname: "conformance",
      loginUser: "ubuntu",
      sshKeys: [publicKey],
      password: undefined,
      jupyterToken: undefined,
      command: undefined,
      userData: undefined,
      envVars: { NAME: "value" },
      fileSystems: [],
    },
    ...part,
  };
}
