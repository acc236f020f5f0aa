import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, type EngineStand } from "../../../test/support/fake-openstack/engines.ts";
import { cardClass, gpuClass, gpuTrait } from "../../../test/support/fake-openstack/hosts.ts";
import type { StandOptions } from "../../../test/support/fake-openstack/stand.ts";
import type { CloudRegion, OpenStackSettings } from "./settings/settings.ts";

const hostsOf = ({ engine }: EngineStand) => engine.hosts(signal());
const addresses = (count: number) => Array.from({ length: count }, (_, at) => `${gpuClass}/${at}`);

function begin(options: StandOptions = {}, region: Partial<CloudRegion> = {}, part: Partial<OpenStackSettings> = {}) {
  return beginEngines(options, (settings) => ({
    ...settings,
    ...part,
    regions: settings.regions.map((one) => ({ ...one, ...region })),
  }));
}

/** Another customer's machine with so many GPUs; undefined: on the host with most room. */
function rentToOther({ world, otherProject }: EngineStand, gpus: number): void {
  const extraSpecs = { [`resources:${gpuClass}`]: `${gpus}`, [`trait:${gpuTrait}`]: "required" };
  const flavor = world.addFlavor(`of another ${gpus}`, { vcpus: 28, ram: 512 * 1024, disk: 1000 }, extraSpecs);
  expect(world.addServer("theirs", otherProject, flavor).host).toBe("gpu1");
}

describe("hosts that are visible", () => {
  it("have what Placement allocates", async () => {
    const stand = await begin();
    const gpu1 = stand.world.hosts.hosts.get("gpu1") ?? expect.unreachable();
    Object.assign(gpu1.inventory.get("VCPU") ?? {}, { ratio: 2, reserved: 8 });
    const [first, second] = await hostsOf(stand);
    expect(first).toMatchObject({ name: "gpu1", region: "north", vcpus: 240, memoryGib: 2047, storageGb: 20_000 });
    expect(second).toMatchObject({ name: "gpu2", vcpus: 128, available: true, multiAttach: false });
    const one = { model: "h200_sxm5", memoryGib: 141, numaNode: 0, healthy: true };
    expect(first?.gpus).toEqual(addresses(8).map((address) => ({ ...one, address })));
  });

  it("have no more GPUs than any host can, whatever Placement was told", async () => {
    const stand = await begin({ hosts: ["gpu1"] });
    const gpu1 = stand.world.hosts.hosts.get("gpu1") ?? expect.unreachable();
    Object.assign(gpu1.inventory.get(gpuClass) ?? {}, { total: 2_147_483_647, ratio: 1000 });
    expect((await hostsOf(stand))[0]?.gpus).toHaveLength(1024);
  });

  it("have less than that where the settings keep something back", async () => {
    const reserved = { vcpus: 8, memoryGib: 47, storageGb: 1000 };
    const stand = await begin({}, {}, { reserved, hostPrefix: "cloud-" });
    expect((await hostsOf(stand))[0]).toMatchObject({
      name: "cloud-gpu1",
      vcpus: 120,
      memoryGib: 2000,
      storageGb: 19_000,
    });
  });

  it("what other tenants use is not there, and what Lessor's machines use is", async () => {
    const stand = await begin({ hosts: ["gpu1"] });
    await booted(stand.engine, stand.spec({ gpuAddresses: [`${gpuClass}/6`, `${gpuClass}/7`] }));
    const [before] = await hostsOf(stand);
    expect(before).toMatchObject({ vcpus: 128, memoryGib: 2047, storageGb: 20_000 });
    expect(before?.gpus).toHaveLength(8);
    rentToOther(stand, 3);
    const [report] = await hostsOf(stand);
    expect(report).toMatchObject({ vcpus: 100, memoryGib: 1535, storageGb: 19_000 });
    expect(report?.gpus.map(({ address }) => address)).toEqual([...addresses(3), `${gpuClass}/6`, `${gpuClass}/7`]);
  });

  it("what was rented or ended since the last list counts, whichever process did it", async () => {
    const stand = await begin({ hosts: ["gpu1"] });
    const other = stand.another();
    const [old, made] = [6, 7].map((unit) => stand.spec({ gpuAddresses: [`${gpuClass}/${unit}`] }));
    if (old === undefined || made === undefined) return expect.unreachable();
    await booted(other, old);
    await stand.engine.list(signal());
    await other.remove(old, signal());
    await booted(other, made);
    rentToOther(stand, 6);
    const [report] = await hostsOf(stand);
    expect(report?.gpus.map(({ address }) => address)).toEqual([...addresses(1), `${gpuClass}/7`]);
  });

  it("that are added later are found, and those that are removed are gone", async () => {
    const stand = await begin({ hosts: ["gpu1"] });
    expect(await hostsOf(stand)).toHaveLength(1);
    stand.world.hosts.add("gpu2");
    expect((await hostsOf(stand)).map(({ name }) => name)).toEqual(["gpu1", "gpu2"]);
    stand.world.hosts.hosts.delete("gpu1");
    expect((await hostsOf(stand)).map(({ name }) => name)).toEqual(["gpu2"]);
  });

  it("that are full are read too", async () => {
    const stand = await begin({ hosts: ["gpu1"], host: { vcpus: 32 } });
    await booted(stand.engine, stand.spec({ gpuAddresses: addresses(1) }));
    rentToOther(stand, 7);
    const [report] = await hostsOf(stand);
    expect(report).toMatchObject({ name: "gpu1", vcpus: 4 });
    expect(report?.gpus.map(({ address }) => address)).toEqual(addresses(1));
  });

  it("that have neither vCPUs, memory nor disk left are read too", async () => {
    const stand = await begin({ form: "pci", hosts: ["gpu1"] });
    const { inventory } = stand.world.hosts.hosts.get("gpu1") ?? expect.unreachable();
    for (const one of inventory.values()) one.reserved = one.total;
    const [report] = await hostsOf(stand);
    expect(report).toMatchObject({ name: "gpu1", vcpus: 0, memoryGib: 0, storageGb: 0 });
    expect(report?.gpus).toHaveLength(8);
  });

  it("that are disabled are not available, and are not unreachable", async () => {
    const stand = await begin();
    const gpu1 = stand.world.hosts.hosts.get("gpu1") ?? expect.unreachable();
    gpu1.disabled = true;
    expect((await hostsOf(stand)).map(({ available }) => available)).toEqual([false, true]);
    expect((await stand.engine.list(signal())).unreachableHosts).toEqual([]);
  });

  it.each([
    ["zone", { availabilityZone: "gpu-az" }],
    ["aggregate", { aggregate: "gpus" }],
  ])("are only those of the settings' %s", async (_what, region) => {
    const stand = await begin({}, region);
    stand.world.hosts.addAggregate("gpus", "gpu-az", ["gpu2"]);
    expect((await hostsOf(stand)).map(({ name }) => name)).toEqual(["gpu2"]);
    const refused = { kind: "refused", code: "no-such-host" };
    expect(await failure(stand.engine.create(stand.spec(), signal()))).toMatchObject(refused);
    await booted(stand.engine, stand.spec({ host: "gpu2" }));
  });

  it("with cards of PCI name each by its address", async () => {
    const stand = await begin({ form: "pci", hosts: ["gpu1"] });
    const cards = Array.from({ length: 8 }, (_, at) => `${cardClass}/0000:1${at}:00.0`);
    await booted(stand.engine, stand.spec({ gpuAddresses: cards }));
    expect((await hostsOf(stand))[0]?.gpus.map(({ address }) => address)).toEqual(cards);
  });

  it("a machine of 16 GPUs takes none of them from the report", async () => {
    const stand = await begin({ hosts: ["gpu1"], host: { gpus: 16 } });
    await booted(stand.engine, stand.spec({ gpuAddresses: addresses(16) }));
    expect((await hostsOf(stand))[0]?.gpus).toHaveLength(16);
  });

  it("credentials that may not see them are told so", async () => {
    const stand = await begin({ role: "member" });
    expect(await failure(hostsOf(stand))).toMatchObject({ kind: "unavailable", code: "not-allowed" });
  });
});

describe("pools", () => {
  const pools = [
    { gpu: gpuClass, count: 2, vcpus: 64, memoryGib: 512, storageGb: 4000 },
    { gpu: undefined, count: 0, vcpus: 16, memoryGib: 64, storageGb: 500 },
  ];

  it("are hosts of the settings' sizes, with the names of their GPUs", async () => {
    const stand = await begin({ role: "member" }, { pools });
    const [gpus, cpus, ...others] = await hostsOf(stand);
    expect(gpus).toMatchObject({ name: "north-gpu-h200", vcpus: 64, memoryGib: 512, storageGb: 4000, available: true });
    expect(gpus?.gpus.map(({ address }) => address)).toEqual(addresses(2));
    expect(cpus).toMatchObject({ name: "north-cpu", vcpus: 16, gpus: [] });
    expect(others).toEqual([]);
    expect((await stand.engine.list(signal())).unreachableHosts).toEqual([]);
  });

  it("have no more than the project's quota", async () => {
    const stand = await begin({ role: "member" }, { pools });
    Object.assign(stand.world.quotas, { cores: 20, ram: 100 * 1024 });
    expect(await hostsOf(stand)).toMatchObject([
      { vcpus: 20, memoryGib: 100 },
      { vcpus: 16, memoryGib: 64 },
    ]);
  });
});
