// Fake libvirt hosts and what an engine on them is made with, ready for a test; everything is closed when the test is
// over. The engine itself is made by the test: it is given `connect: (uri) => fake.virsh(uri)`.

import type { MachineSpec } from "../../../src/engines/engine.ts";
import type { LibvirtHostSettings } from "../../../src/engines/libvirt/settings/host.ts";
import type { LibvirtSettings } from "../../../src/engines/libvirt/settings/settings.ts";
import { machineSpecOn } from "../machine-spec.ts";
import { afterTest } from "../when-over.ts";
import { FakeLibvirt } from "./fake-libvirt.ts";
import { openSshDoor, type SshDoor } from "./ssh-door.ts";

export const installation = "installation-1";

/** The volume of the pool `default` that machineSpec's image is on every host of a stand. */
export const imageVolume = "debian-12.qcow2";

export interface Stand {
  readonly fake: FakeLibvirt;
  readonly settings: LibvirtSettings;
  readonly door: SshDoor;
}

/** Hosts h1, h2 and h3 with an image, and guests that answer on their SSH port. */
export async function beginStand(part: Partial<LibvirtSettings> = {}): Promise<Stand> {
  const fake = new FakeLibvirt({ hosts: ["h1", "h2", "h3"] });
  for (const host of fake.world.hosts.values()) {
    host.storage.addVolume("default", imageVolume, { format: "qcow2", capacity: 2 * 1024 ** 3 });
  }
  const door = await openSshDoor(fake.world);
  afterTest(async () => {
    fake.close();
    await door.close();
  });
  return { fake, door, settings: settingsFor(fake, { sshProbe: { kind: "tcp", port: door.port }, ...part }) };
}

/** An engine on all hosts of the fake. */
export function settingsFor(fake: FakeLibvirt, part: Partial<LibvirtSettings> = {}): LibvirtSettings {
  return {
    name: "lab",
    hosts: [...fake.world.hosts.values()].map(({ name, uri }) => hostSettings({ name, uri })),
    pool: "default",
    network: "default",
    firmware: "bios",
    images: { "debian-12": { volume: imageVolume, boot: undefined } },
    pinFromVcpus: 16,
    hugePages: undefined,
    gpuModels: { "10de:2331": { model: "NVIDIA H100 PCIe", memoryGib: 80 } },
    reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
    cpuRatio: 1,
    sshProbe: { kind: "tcp", port: 22 },
    stopGraceSeconds: 30,
    managementNetworks: [],
    ...part,
  };
}

export function hostSettings(part: Pick<LibvirtHostSettings, "name" | "uri"> & Partial<LibvirtHostSettings>) {
  return {
    region: "north",
    accelerator: "kvm",
    declared: { vcpus: undefined, memoryGib: undefined, storageGb: undefined, gpus: undefined },
    ...part,
  } satisfies LibvirtHostSettings;
}

export function machineSpec(part: Partial<MachineSpec> = {}): MachineSpec {
  return machineSpecOn("h1", part);
}
