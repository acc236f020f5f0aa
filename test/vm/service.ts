// The real program on a lab's hosts (support/service), with the lab's settings; and the engine alone, with the same.
//
//   const service = await startService(lab);

import { afterAll, expect } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import type { LibvirtFileSettings } from "../../src/engines/libvirt/settings/schema.ts";
import { type LibvirtSettings, resolveLibvirt } from "../../src/engines/libvirt/settings/settings.ts";
import { machineSpec } from "../support/fake-libvirt/stand.ts";
import { guestSpec } from "../support/machine-spec.ts";
import * as general from "../support/service/service.ts";
import type { VmLab } from "./lab/lab.ts";

export { type Customer, loginUser, type Service, type Shown } from "../support/service/service.ts";

/** Ended, and its directory removed, when the test is over. Its machines are not: `empty`. */
export function startService(lab: VmLab, options: general.ServiceOptions = {}): Promise<general.Service> {
  return general.startService(groundOf(lab), options);
}

/**
 * What every file of these tests begins with: its hosts are made as at the beginning when it is over, also where a test
 * has failed and left guests that would take memory and time from all others.
 */
export function cleanAfterwards(lab: VmLab): void {
  afterAll(() => lab.clean());
}

/** Of machines nothing is on any host. A service that runs may just be proving one, which is over within seconds. */
export function nothingLeft(lab: VmLab): Promise<void> {
  return expect.poll(() => lab.leftovers(), { timeout: 30_000, interval: 200 }).toEqual([]);
}

/** The engine's settings as the service has them. */
export function labSettings(lab: VmLab, part: Partial<LibvirtFileSettings> = {}): LibvirtSettings {
  const [settings] = resolveLibvirt([engineOf(lab, part)], "the lab's settings");
  if (settings === undefined) throw new Error("BUG: no settings of the engine that was just described");
  return settings;
}

function groundOf(lab: VmLab): general.Ground {
  return {
    engine: (part) => ({ libvirt: [engineOf(lab, part)] }),
    hosts: lab.hosts.length,
    // The image's disk is 1 GiB.
    products: { small: { vcpus: 1, memory_gib: 1, storage_gb: 2, gpus: 0, price_cents_per_hour: 10 } },
    ssh: (_host, login) => lab.ssh(login),
  };
}

function engineOf(lab: VmLab, part: object): LibvirtFileSettings {
  const { image: volume, kernel, initrd, commandLine: cmdline } = lab.light;
  return {
    name: "lab",
    hosts: hostsWith(lab, roomForTwo),
    accelerator: "emulated",
    firmware: "bios",
    pool: lab.pool,
    network: lab.network,
    images: { "debian-12": { volume, kernel, initrd, cmdline } },
    stop_grace_seconds: 20,
    ...part,
  };
}

type Hosts = LibvirtFileSettings["hosts"];
type Declared = NonNullable<Hosts[number]["declared"]>;

/** Of small guests. So that four of them are never all on one host. */
const roomForTwo: Declared = { vcpus: 2, memory_gib: 2, storage_gb: 40, gpus: [] };

/** The lab's hosts as settings. All of them see the same machine, so what each has is declared. */
export function hostsWith(lab: VmLab, declared: Declared | ((host: string) => Declared)): Hosts {
  return lab.hosts.map(({ name, uri }) => {
    return { name, uri, region: "lab", declared: typeof declared === "function" ? declared(name) : declared };
  });
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f nobody@nowhere";

/** One with an id that was never used, as small as can be. Nobody can log in. */
export function machineOn(host: string, part: Partial<MachineSpec> = {}): MachineSpec {
  const envVars = { NAME: "value" };
  const guest = guestSpec({ hostname: "conformance", loginUser: "ubuntu", sshKeys: [publicKey], envVars });
  return machineSpec({ host, vcpus: 1, memoryGib: 1, storageGb: 2, guest, ...part });
}
