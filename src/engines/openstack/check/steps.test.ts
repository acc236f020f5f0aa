import { hostname } from "node:os";
import { beforeEach, describe, expect, it } from "vitest";
import { faultsIn, lines } from "../../../../test/support/check-stand.ts";
import { beginCloudCheckStand, type CloudCheckStand } from "../../../../test/support/cloud-check-stand.ts";
import { probeInstallation } from "../../check/test-instance-label.ts";
import { OpenStackEngine } from "../engine.ts";
import { keys, machineName, ownerTag } from "../labels.ts";
import { checkFlavors } from "./flavors.ts";
import { checkHardware } from "./hardware.ts";
import { checkImages } from "./images.ts";
import { checkNetwork, checkVolumeType } from "./network.ts";
import { removeLeftovers } from "./orphans.ts";
import { checkQuotas } from "./quotas.ts";

let stand: CloudCheckStand;
beforeEach(async () => {
  stand = await beginCloudCheckStand();
});

describe("the network of guests", () => {
  const state = { status: "ACTIVE", admin_state_up: true, shared: true, port_security_enabled: true };
  const network = { id: "n", name: "rent", ...state };
  const subnet = { cidr: "10.0.0.0/24", ip_version: 4, enable_dhcp: true, gateway_ip: "10.0.0.1" };
  it.each<[string, object, readonly object[], RegExp]>([
    ["has no subnet", {}, [], /^problem .*has no subnet -> openstack subnet create --network rent/],
    ["is disabled", { admin_state_up: false }, [subnet], /^problem .*is disabled/],
    ["is down", { status: "DOWN" }, [subnet], /^problem .*is down/],
    ["has no port security", { port_security_enabled: false }, [subnet], /^problem .*--enable-port-security rent/],
    ["has no DHCP", {}, [{ ...subnet, enable_dhcp: false }], /^warning .*has no DHCP.*subnet set --dhcp/],
    ["has no gateway", {}, [{ ...subnet, gateway_ip: null }], /^warning .*has no gateway.*metadata/],
  ])("that %s is told with what to do", async (_, part, subnets, line) => {
    stand.answer("network", /\/networks$/, { networks: [{ ...network, ...part }] });
    stand.answer("network", /\/subnets$/, { subnets });
    expect(faultsIn(await stand.run(checkNetwork))).toEqual([expect.stringMatching(line)]);
  });

  it("is shared by tenants who reach each other, without management networks", async () => {
    expect(faultsIn(await stand.run(checkNetwork, { settings: { managementNetworks: [] } }))).toEqual([
      expect.stringMatching(/^warning network rent: .*reach each other -> set management_networks/),
    ]);
  });

  it("is found by its id too, and not by a name that several have", async () => {
    const { id } = stand.stand.network;
    stand.stand.world.networks.addNetwork("rent", crypto.randomUUID(), "127.90", { shared: true });
    expect(await stand.run(checkNetwork)).toEqual([expect.stringMatching(/^problem network rent: .*several networks/)]);
    expect(await stand.run(checkNetwork, { region: { network: id } })).toEqual([
      expect.stringMatching(/^ok network .*127\.88\.0\.0\/16/),
    ]);
  });
});

describe("the network of floating addresses", () => {
  it("is external, or a problem", async () => {
    expect(await stand.run(checkNetwork, { region: { floatingNetwork: "public" } })).toContainEqual(
      "ok floating network public: is external",
    );
    expect(faultsIn(await stand.run(checkNetwork, { region: { floatingNetwork: "rent" } }))).toEqual([
      expect.stringMatching(/^problem floating network rent: is not external/),
    ]);
    expect(faultsIn(await stand.run(checkNetwork, { region: { floatingNetwork: "no" } }))).toEqual([
      expect.stringMatching(/^problem floating network no: does not exist/),
    ]);
  });
});

describe("the type of volumes", () => {
  it("exists, or is a problem with those that do", async () => {
    expect(await stand.run(checkVolumeType)).toEqual([]);
    expect(await stand.run(checkVolumeType, { region: { volumeType: "__DEFAULT__" } })).toEqual([
      "ok volume type __DEFAULT__: exists",
    ]);
    expect(await stand.run(checkVolumeType, { region: { volumeType: "ssd" } })).toEqual([
      "problem volume type ssd: does not exist; there are __DEFAULT__ -> correct volume_type of the region",
    ]);
  });
});

describe("images", () => {
  const named = (name: string) => ({ settings: { images: { ours: { kind: "name" as const, name } } } });

  it("that are missing, not active, or no disks are problems", async () => {
    const { world, project } = stand.stand;
    world.addImage("queued", project, { status: "queued" });
    world.addImage("installer", project, { diskFormat: "iso" });
    expect(await stand.run(checkImages, named("nope"))).toEqual([
      expect.stringMatching(
        /^problem image ours: Glance has no image named nope -> .*lessor image import .*--cluster cloud/,
      ),
    ]);
    expect(await stand.run(checkImages, named("queued"))).toEqual([
      expect.stringMatching(/^problem image ours: is queued/),
    ]);
    expect(await stand.run(checkImages, named("installer"))).toEqual([
      expect.stringMatching(/^problem image ours: has the disk format iso -> import an image of a disk/),
    ]);
    const id = crypto.randomUUID();
    expect(await stand.run(checkImages, { settings: { images: { ours: { kind: "id", id } } } })).toEqual([
      expect.stringMatching(`^problem image ours: Glance has no image ${id}`),
    ]);
  });

  it("of the same name are a warning", async () => {
    stand.stand.world.addImage("Debian 12", stand.stand.project);
    expect(faultsIn(await stand.run(checkImages))).toEqual([
      expect.stringMatching(/^warning image debian-12: several images have the name/),
    ]);
  });

  it("that the settings do not list are those of Glance, and none is a problem", async () => {
    expect(await stand.run(checkImages, { settings: { images: {} } })).toEqual([
      "ok images: the catalog can use Debian 12",
    ]);
    stand.stand.world.images.clear();
    expect(await stand.run(checkImages, { settings: { images: {} } })).toEqual([
      expect.stringMatching(/^problem images: Glance has none/),
    ]);
  });
});

describe("flavors", () => {
  it("that Lessor creates need a right that most roles lack", async () => {
    const weak = await beginCloudCheckStand({ role: "member" });
    expect(await weak.run(checkFlavors)).toEqual([
      expect.stringMatching(/^warning flavors: .*only the role admin.* -> .*flavors: mapped/),
    ]);
  });

  it("of the operator are listed with their GPUs; what none has is told", async () => {
    const mapped = { settings: { flavors: "mapped" } } as const;
    expect(faultsIn(await stand.run(checkFlavors, mapped))).toEqual([
      expect.stringMatching(/^warning flavors: none has CUSTOM_GPU_H200.*resources:CUSTOM_GPU_H200=<count> and trait:/),
      expect.stringMatching(/^problem flavors: the project has none/),
    ]);
    const { world } = stand.stand;
    world.addFlavor("gpu8", { vcpus: 64, ram: 65536, disk: 100 }, { "resources:CUSTOM_GPU_H200": "8" });
    world.addFlavor("plain", { vcpus: 1, ram: 1024, disk: 10 });
    world.addFlavor("odd", { vcpus: 1, ram: 512, disk: 10 });
    expect(await stand.run(checkFlavors, mapped)).toEqual([
      "ok flavors: with CUSTOM_GPU_H200: gpu8 (8 GPUs, 64 vCPUs, 64 GiB, 100 GB)",
      expect.stringMatching(/^ok flavors: without GPUs: .*plain \(1 vCPUs, 1 GiB, 10 GB\)/),
      expect.stringMatching(/^warning flavors: odd: memory that is no multiple of 1024 MiB/),
    ]);
  });

  it("with PCI devices are known by their alias; hidden extra specs are a problem", async () => {
    const gpus = {
      CUSTOM_PCI_10DE_2335: { model: "h200_sxm5", memoryGib: 141, trait: undefined, alias: "h200" },
    };
    const change = { settings: { flavors: "mapped" as const, gpus } };
    stand.stand.world.addFlavor("pci2", { vcpus: 2, ram: 2048, disk: 10 }, { "pci_passthrough:alias": "h200:2" });
    expect(await stand.run(checkFlavors, change)).toEqual([expect.stringMatching(/^ok .*pci2 \(2 GPUs/)]);
    const hidden = { id: "x", name: "x", vcpus: 1, ram: 1024, disk: 10 };
    stand.answer("compute", /\/flavors\/detail$/, { flavors: [hidden] });
    expect((await stand.run(checkFlavors, change))[0]).toMatch(/^problem flavors: the cloud hides extra specs/);
  });
});

describe("hosts", () => {
  it("that are down or disabled are warnings", async () => {
    const { hosts } = stand.stand.world.hosts;
    for (const host of hosts.values()) [host.down, host.disabled] = [host.name === "gpu1", host.name === "gpu2"];
    expect(faultsIn(await stand.run(checkHardware))).toEqual([
      expect.stringMatching(/^warning gpu1: nova-compute is down/),
      expect.stringMatching(/^warning gpu2: nova-compute is disabled/),
    ]);
  });

  it("without capacity are a warning where they are visible, and a problem as a pool", async () => {
    const { world } = stand.stand;
    world.hosts.add("small", { vcpus: 1 });
    const reserved = { vcpus: 2, memoryGib: 0, storageGb: 0 };
    expect(faultsIn(await stand.run(checkHardware, { settings: { reserved } }))).toEqual([
      expect.stringMatching(/^warning small: 0 vCPUs, .*: no vCPUs to rent -> lower reserved/),
    ]);
    world.quotas.cores = 0;
    const pools = [{ gpu: undefined, count: 0, vcpus: 8, memoryGib: 8, storageGb: 8 }];
    expect(faultsIn(await stand.run(checkHardware, { region: { pools } }))).toEqual([
      expect.stringMatching(/^problem north-cpu: 0 vCPUs, .* -> raise the project's quota/),
    ]);
  });

  it("that the credentials may not see need pools", async () => {
    const weak = await beginCloudCheckStand({ role: "member" });
    expect(await weak.run(checkHardware)).toEqual([
      expect.stringMatching(/^problem hosts: the cloud does not show hosts: .* -> .*set pools for the region/),
    ]);
    const pools = [{ gpu: "CUSTOM_GPU_H200", count: 16, vcpus: 64, memoryGib: 512, storageGb: 4000 }];
    expect(await weak.run(checkHardware, { region: { pools } })).toEqual([
      expect.stringMatching(/^ok north-gpu-h200: 64 vCPUs, 512 GiB, 4000 GB, 16 × h200_sxm5/),
    ]);
  });

  it("outside of the zone are none", async () => {
    expect(faultsIn(await stand.run(checkHardware, { region: { availabilityZone: "elsewhere" } }))).toContainEqual(
      expect.stringMatching(/^problem hosts: no compute host is in the availability zone and aggregate/),
    );
  });

  it("are summed up where they are many", async () => {
    for (let index = 0; index < 60; index++) stand.stand.world.hosts.add(`h${index}`);
    expect(await stand.run(checkHardware)).toEqual(["ok hosts: 62 hosts with 496 GPUs"]);
  });

  it("with a class or a trait that the settings do not have, or lack, are told", async () => {
    const gpu = { model: "x", memoryGib: 80, trait: undefined, alias: undefined };
    stand.stand.world.hosts.hosts.get("gpu1")?.traits.clear();
    stand.stand.world.hosts.add("gpu3", { form: "pci" });
    expect(faultsIn(await stand.run(checkHardware))).toEqual([
      expect.stringMatching(/^warning CUSTOM_GPU_H200: gpu1 lack the trait CUSTOM_GPU_H200_SXM/),
      expect.stringMatching(
        /^warning CUSTOM_PCI_10DE_2335: is a resource class of gpu3 and not offered -> .*add it to gpus/,
      ),
    ]);
    const gpus = { CUSTOM_NONE: gpu, CUSTOM_GPU_H200: gpu, CUSTOM_PCI_10DE_2335: gpu };
    expect(faultsIn(await stand.run(checkHardware, { settings: { gpus } }))).toEqual([
      expect.stringMatching(/^warning CUSTOM_NONE: no host has this resource class/),
      expect.stringMatching(/^problem CUSTOM_PCI_10DE_2335: is a class of PCI devices.* -> set alias/),
    ]);
  });
});

describe("quotas", () => {
  it("without limits, or none that the cloud shows, are enough", async () => {
    stand.refuse("network", /quotas/, 403);
    expect(await stand.run(checkQuotas)).toEqual([expect.stringMatching(/^ok quotas: enough instances, cores/)]);
  });

  it("that are used up are problems, and smaller ones than the region can need warnings", async () => {
    const { quotas } = stand.stand.world;
    Object.assign(quotas, { instances: 0, cores: 10, ram: 1024, port: 2, security_group: 0, security_group_rule: 1 });
    Object.assign(quotas, { floatingip: 3, volumes: 0, gigabytes: 0 });
    const told = await stand.run(checkQuotas, { region: { floatingNetwork: "public" } });
    expect(told).toEqual([
      expect.stringMatching(/^problem quotas: 0 of 0 instances are in use -> openstack quota set --instances -1 /),
      expect.stringMatching(/^warning quotas: 10 cores are fewer than the 256/),
      expect.stringMatching(/^warning quotas: 1024 MiB of memory are fewer/),
      expect.stringMatching(/^warning quotas: 2 ports are fewer than the 16/),
      expect.stringMatching(/^problem quotas: 0 of 0 security groups/),
      expect.stringMatching(/^warning quotas: 1 security group rules are fewer than the 132/),
      expect.stringMatching(/^warning quotas: 3 floating addresses are fewer than the 16/),
      expect.stringMatching(/^problem quotas: 0 of 0 volumes/),
      expect.stringMatching(/^problem quotas: 0 of 0 GB of volumes/),
    ]);
  });
});

describe("removing leftovers", () => {
  it("takes those of dead checks, and nothing of a service's, an operator's or a running check's", async () => {
    const { world, project, network } = stand.stand;
    const flavor = world.addFlavor("f", { vcpus: 1, ram: 1024, disk: 10 });
    const owner = ownerTag(probeInstallation, "cloud");
    const add = (account: string, tag = owner) => {
      const id = crypto.randomUUID();
      const part = { tags: [machineName(id), tag], metadata: { [keys.account]: account } };
      return Object.assign(world.addServer(machineName(id), project, flavor), part);
    };
    const dead = add(`${hostname()}:${2 ** 30}:${Date.now() + 60_000}`);
    const running = add(`${hostname()}:${process.pid}:${Date.now() + 60_000}`);
    const rented = add("scribbled", ownerTag("installation-1", "cloud"));
    const port = (age: number) => {
      const made = world.networks.addPort({ project: project.id, network, name: machineName(crypto.randomUUID()) });
      made?.tags.add(owner);
      if (made !== undefined) Object.assign(made, { created: new Date(Date.now() - age) });
      return made;
    };
    const [old, fresh] = [port(7_200_000), port(0)];
    const subject = stand.subject();
    const engine = new OpenStackEngine(stand.settings(), probeInstallation);
    try {
      const told = await lines(removeLeftovers(subject, engine, AbortSignal.timeout(10_000)));
      expect(told).toEqual([
        expect.stringMatching(`^ok leftovers: removed the test instance ${dead.name} of an earlier check`),
        expect.stringMatching(`^ok leftovers: removed the test instance ${old?.name} of an earlier check`),
      ]);
    } finally {
      await engine.close();
    }
    expect(dead.status).toBe("DELETED");
    expect([running.status, rented.status]).toEqual(["ACTIVE", "ACTIVE"]);
    expect([...world.networks.ports.values()].map(({ id }) => id)).toEqual([fresh?.id]);
  });
});
