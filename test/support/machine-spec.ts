// A machine as the reconciler orders it from an engine, for tests of engines.

import type { GuestSpec, MachineSpec } from "../../src/engines/engine.ts";

/** With an id that was never used. */
export function machineSpecOn(host: string, part: Partial<MachineSpec> = {}): MachineSpec {
  return {
    id: crypto.randomUUID(),
    host,
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
