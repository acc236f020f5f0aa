// Machines with GPUs, as far as a machine without any can show it: what libvirt is told is valid by its own schema and
// is what it understands, and a host that cannot pass them through ends the launch with a reason, and at no cost.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import { macOf } from "../../src/engines/libvirt/addresses.ts";
import { type DomainPlan, domainXml } from "../../src/engines/libvirt/domain-xml.ts";
import { attempt } from "../support/lab/run.ts";
import { hostsSeen } from "../support/service/rental.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, hostsWith, machineOn, nothingLeft, startService } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);

const plan: Omit<DomainPlan, "mac" | "devices"> = {
  installation: "0198c5a4-33cc-7dd4-9ee5-ff6677889900",
  engine: "lab",
  accelerator: "kvm",
  firmware: "efi",
  architecture: "x86_64",
  poolPath: "/var/lib/libvirt/images",
  memoryPath: "/run/lessor",
  network: "lessor",
  address: "10.0.0.7",
  boot: undefined,
  pinned: undefined,
  hugePages: undefined,
};

/** Addresses on several buses, in several domains, with a card's second function among them. */
const devices = [
  ...["0000:17:00.0", "0000:17:00.1", "0000:65:00.0", "0000:ca:1f.7"],
  ...["0001:3b:00.0", "0001:86:00.0", "10000:01:00.0", "0002:ff:00.0"],
];

function described(
  spec: Partial<MachineSpec>,
  part: Partial<DomainPlan>,
): { readonly id: string; readonly xml: string } {
  const machine = machineOn("h1", { gpuAddresses: part.devices ?? [], ...spec });
  return { id: machine.id, xml: domainXml(machine, { ...plan, devices: [], mac: macOf(machine.id), ...part }) };
}

/** By the schema that comes with libvirt. */
async function validity(xml: string) {
  const path = join(await temporaryDirectory(), "domain.xml");
  await writeFile(path, xml);
  return attempt("virt-xml-validate", [path, "domain"]);
}

const kernel = { kernel: "/pool/vmlinuz", initrd: "/pool/initrd", cmdline: "console=ttyS0 a='<b>' & \"c\"" };
const fileSystems = [1, 2, 30].map((sizeGb) => {
  const name = `data-${sizeGb}`;
  return { id: crypto.randomUUID(), name, sizeGb, mountPoint: `/mnt/${name}` };
});
const bare = machineOn("h1").guest;

describe("what libvirt is told of a machine is valid by its own schema:", () => {
  it.each<[string, Partial<MachineSpec>, Partial<DomainPlan>]>([
    ["without GPUs", {}, {}],
    ...[1, 2, 4, 8].map((count): [string, Partial<MachineSpec>, Partial<DomainPlan>] => {
      return [`with ${count} GPUs`, { vcpus: count * 16 }, { devices: devices.slice(0, count) }];
    }),
    ["kept on one NUMA node", { vcpus: 24 }, { pinned: { node: 1, cpus: [24, 25, 26, 96, 97] } }],
    ["in huge pages of 1 GiB", { memoryGib: 1024 }, { hugePages: "1GiB" }],
    ["in huge pages of 2 MiB", { memoryGib: 1024 }, { hugePages: "2MiB" }],
    ["with 300 vCPUs", { vcpus: 300, memoryGib: 2048 }, { devices }],
    ["with a kernel that is booted directly", {}, { boot: kernel, firmware: "bios" }],
    ["with a BIOS", {}, { firmware: "bios" }],
    ["in emulation", { vcpus: 300 }, { accelerator: "emulated" }],
    ["on an ARM host", { vcpus: 72 }, { architecture: "aarch64", devices: devices.slice(0, 4) }],
    ["with file systems", { guest: { ...bare, fileSystems } }, {}],
    [
      "with everything at once",
      { vcpus: 300, guest: { ...bare, fileSystems } },
      { devices, pinned: { node: 0, cpus: [0, 1] }, hugePages: "1GiB" },
    ],
  ])("%s", async (_what, spec, part) => {
    const { code, stderr, stdout } = await validity(described(spec, part).xml);
    expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
  });

  it("and the schema finds fault with one that is not", async () => {
    const { xml } = described({}, { devices: devices.slice(0, 1) });
    const spoiled = xml.replace('managed="yes"', 'managed="perhaps"');
    expect(spoiled).not.toBe(xml);
    expect((await validity(spoiled)).code).not.toBe(0);
  });
});

it("libvirt understands the GPUs as they were meant: each address, given back after the end", async () => {
  const { id, xml } = described({}, { accelerator: "emulated", firmware: "bios", devices });
  await lab.virsh("h1", ["define", "/dev/stdin"], xml);
  const understood = await lab.virsh("h1", ["dumpxml", `lessor-${id}`]);
  await lab.virsh("h1", ["undefine", `lessor-${id}`]);
  const hostdevs = understood.match(/<hostdev [\s\S]*?<\/hostdev>/g) ?? [];
  const addresses = hostdevs.map((one) => {
    const of = (name: string) => new RegExp(`<source>[\\s\\S]*? ${name}='0x([0-9a-f]+)'`).exec(one)?.[1];
    return `${of("domain")}:${of("bus")}:${of("slot")}.${of("function")}`;
  });
  expect(addresses).toEqual(devices);
  for (const one of hostdevs) expect(one).toMatch(/<hostdev mode='subsystem' type='pci' managed='yes'>/);
});

it("a launch on a host that cannot pass its GPU through ends with a reason, is not billed, and frees the GPU", async () => {
  // No machine has this slot.
  const gpus = [{ address: "0000:ff:1f.7", model: "H100", memory_gib: 80, numa_node: 0 }];
  const room = { vcpus: 1, memory_gib: 1, storage_gb: 10 };
  const hosts = hostsWith(lab, (host) => ({ ...room, gpus: host === "h2" ? gpus : [] }));
  const service = await startService(lab, { engine: { hosts } });
  const size = { vcpus: 1, memory_gib: 1, storage_gb: 2, gpus: 1, gpu_model: "H100", price_cents_per_hour: 249 };
  await service.control("PUT", "/instance-types/one-gpu", size);
  const ann = await service.customer("ann");
  const before = await hostsSeen(service);
  const [id = ""] = await service.launch(ann, { instance_type_name: "one-gpu" });
  expect(await service.show(id)).toMatchObject({ host: "h2" });
  const ended = async () => (await service.show(id)).status;
  await expect.poll(ended, { timeout: 120_000, interval: 100 }).toBe("terminated");
  expect(await service.show(id)).toMatchObject({
    failure: { code: "gpu-not-assignable", message: "The host cannot assign its GPUs to a machine." },
  });
  // The operator is told what libvirt said, the customer is not.
  expect(service.output()).toContain("host doesn't support passthrough of host PCI devices");
  const read = await service.call("GET", `${service.urls.marketplace}/instances/${id}`, ann.token);
  expect(JSON.stringify(read)).not.toMatch(/passthrough|0000:ff/);
  expect(await service.control("GET", "/usage")).toEqual([]);
  expect(await hostsSeen(service)).toEqual(before);
  await nothingLeft(lab);
});
