// The engine on a lab without a service around it: its settings, and machines for it.

import type { MachineSpec } from "../../src/engines/engine.ts";
import type { IncusSettings } from "../../src/engines/incus/settings/settings.ts";
import { machineSpec, settingsFor } from "../support/fake-incus/stand.ts";
import { guestSpec } from "../support/machine-spec.ts";
import type { Lab } from "./lab/lab.ts";

/** Over the members' Unix sockets. */
export function labSettings(lab: Lab): IncusSettings {
  return settingsFor({
    endpoints: lab.members.map(({ socket }) => ({ kind: "unix", path: socket })),
    regionOf: { kind: "all", region: "lab" },
    pool: "default",
    cpuRatio: 4,
    sshProbe: { kind: "command", command: lab.probeCommand, port: 22 },
    stopGraceSeconds: 5,
  });
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f nobody@nowhere";

/** One with an id that was never used, so small that a member has room for several. Nobody can log in. */
export function machineOn(host: string, part: Partial<MachineSpec> = {}): MachineSpec {
  const envVars = { NAME: "value" };
  const guest = guestSpec({ hostname: "conformance", loginUser: "ubuntu", sshKeys: [publicKey], envVars });
  return machineSpec({ host, vcpus: 1, memoryGib: 1, storageGb: 1, guest, ...part });
}
