import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec } from "../../../test/support/fake-incus/stand.ts";

const h100 = {
  pci_address: "0000:41:00.0",
  vendor_id: "10de",
  product_id: "2331",
  vendor: "NVIDIA Corporation",
  product: "GH100",
  numa_node: 1,
};
const consoleChip = { pci_address: "0000:03:00.0", vendor_id: "1a03", product_id: "2000", numa_node: 0 };

const named = async (stand: Awaited<ReturnType<typeof beginStand>>) =>
  new Map((await stand.engine.hosts(signal())).map((host) => [host.name, host]));

describe("hosts", () => {
  it("are the members with what they have, in whole units", async () => {
    const stand = await beginStand();
    stand.fake.world.addMember("m1", { cpus: 64, memoryBytes: 503.9 * 1024 ** 3, storageBytes: 3999.9 * 1000 ** 3 });
    expect((await named(stand)).get("m1")).toEqual({
      name: "m1",
      region: "north",
      vcpus: 64,
      memoryGib: 503,
      storageGb: 3999,
      available: true,
      sharedStorage: false,
      multiAttach: true,
      gpus: [],
      health: [],
      daemon: { run: "4711" },
    });
    expect(stand.fake.seen("GET", /resources$/).map(({ query }) => query.target)).toEqual(["m1", "m1", "m2", "m2"]);
  });

  it("keep back what is reserved, after the ratio of vCPUs, and never less than nothing", async () => {
    const stand = await beginStand({ cpuRatio: 2, reserved: { vcpus: 8, memoryGib: 32, storageGb: 200 } });
    stand.fake.world.addMember("m2", { cpus: 2, memoryBytes: 1024 ** 3, storageBytes: 1000 ** 3 });
    const hosts = await named(stand);
    expect(hosts.get("m1")).toMatchObject({ vcpus: 120, memoryGib: 480, storageGb: 3800 });
    expect(hosts.get("m2")).toMatchObject({ vcpus: 0, memoryGib: 0, storageGb: 0 });
  });

  it("are named with the prefix", async () => {
    const stand = await beginStand({ hostPrefix: "east-" });
    expect([...(await named(stand)).keys()]).toEqual(["east-m1", "east-m2"]);
  });

  it.each([
    ["zfs", { sharedStorage: false, multiAttach: true }],
    ["dir", { sharedStorage: false, multiAttach: true }],
    ["ceph", { sharedStorage: true, multiAttach: false }],
    ["cephfs", { sharedStorage: true, multiAttach: true }],
  ])(
    "on storage of the kind %s say whether members share it, and machines a file system on it",
    async (driver, expected) => {
      const stand = await beginStand();
      stand.fake.world.pool = { name: "local", driver };
      expect((await named(stand)).get("m1")).toMatchObject(expected);
    },
  );

  it("are not known where the storage pool is missing", async () => {
    const { engine } = await beginStand({ pool: "other" });
    expect(await failure(engine.hosts(signal()))).toMatchObject({ kind: "unavailable" });
  });

  it("that come later are found", async () => {
    const stand = await beginStand();
    await named(stand);
    stand.fake.world.addMember("m3");
    expect([...(await named(stand)).keys()]).toEqual(["m1", "m2", "m3"]);
  });
});

describe("the region of a host", () => {
  it("is that of the first group of the settings that it is in; in none of them it is no host", async () => {
    const groups = [
      { group: "east", region: "us-east-1" },
      { group: "all", region: "us-west-1" },
    ];
    const stand = await beginStand({ regionOf: { kind: "groups", groups } });
    stand.fake.world.addMember("m1", { groups: ["default", "all", "east"] });
    stand.fake.world.addMember("m2", { groups: ["all"] });
    stand.fake.world.addMember("m3", { groups: ["default"] });
    stand.fake.world.addMember("m4", { groups: [] });
    const regions = [...(await named(stand))].map(([name, { region }]) => [name, region]);
    expect(regions).toEqual([
      ["m1", "us-east-1"],
      ["m2", "us-west-1"],
    ]);
    // Nor is it asked for anything.
    expect(stand.fake.seen("GET", /resources$/).map(({ query }) => query.target)).not.toContain("m3");
  });
});

describe("the GPUs of a host", () => {
  it("have their address, model, memory and NUMA node; cards that nobody knows are left out", async () => {
    const stand = await beginStand();
    const numberless = { ...h100, pci_address: "0000:42:00.0", numa_node: -1 };
    const nowhere = { vendor_id: "10de", product_id: "2331" };
    stand.fake.world.addMember("m1", { cards: [h100, consoleChip, numberless, nowhere, {}] });
    expect((await named(stand)).get("m1")?.gpus).toEqual([
      { address: "0000:41:00.0", model: "h100_pcie", memoryGib: 80, numaNode: 1, healthy: true },
      { address: "0000:42:00.0", model: "h100_pcie", memoryGib: 80, numaNode: 0, healthy: true },
    ]);
  });

  it("are called as the settings say, also those that the table does not know", async () => {
    const stand = await beginStand({
      gpuModels: {
        "10de:2331": { model: "h100_special", memoryGib: 94 },
        "1a03:2000": { model: "toy", memoryGib: 1 },
      },
    });
    stand.fake.world.addMember("m1", { cards: [h100, consoleChip] });
    expect((await named(stand)).get("m1")?.gpus.map(({ model, memoryGib }) => [model, memoryGib])).toEqual([
      ["h100_special", 94],
      ["toy", 1],
    ]);
  });
});

describe("a member that cannot be asked", () => {
  it.each([
    ["is offline", { status: "Offline" }],
    ["is evacuated", { status: "Evacuated" }],
    ["does not answer, which the cluster has not seen yet", { answers: false }],
  ] as const)("because it %s keeps its size and is unavailable, until it is back", async (_why, part) => {
    const stand = await beginStand();
    stand.fake.world.addMember("m1", { cards: [h100] });
    const before = await named(stand);
    stand.fake.world.addMember("m1", { cards: [h100], ...part });
    const during = await named(stand);
    const { health: _, daemon: __, ...known } = before.get("m1") ?? {};
    expect(during.get("m1")).toMatchObject({ ...known, available: false });
    expect(during.get("m2")).toMatchObject({ available: true });
    stand.fake.world.addMember("m1", { cards: [h100] });
    expect(await named(stand)).toEqual(before);
  });

  it("and was never seen is left out where it is offline", async () => {
    const stand = await beginStand();
    stand.fake.world.addMember("m1", { status: "Offline" });
    expect([...(await named(stand)).keys()]).toEqual(["m2"]);
  });

  it("and was never seen is left out also where it should answer, and keeps nobody from the others", async () => {
    const stand = await beginStand();
    stand.fake.world.addMember("m1", { answers: false });
    expect([...(await named(stand)).keys()]).toEqual(["m2"]);
  });

  it("does not keep an abort from being one", async () => {
    const stand = await beginStand();
    await named(stand);
    const reason = new Error("too late");
    expect(await failure(stand.engine.hosts(AbortSignal.abort(reason)))).toBe(reason);
  });
});

describe("a server that is no cluster", () => {
  it("is one host, and no request names a target", async () => {
    const stand = await beginStand();
    stand.fake.world.clustered = false;
    stand.fake.world.serverName = "solo";
    stand.fake.world.addMember("solo");
    expect([...(await named(stand)).keys()]).toEqual(["solo"]);

    const data = { id: crypto.randomUUID(), name: "data", sizeGb: 1, mountPoint: "/mnt/data" };
    const guest = { ...machineSpec().guest, fileSystems: [data] };
    const spec = machineSpec({ host: "solo", guest });
    await stand.engine.create(spec, signal());
    expect(await stand.engine.start(spec, signal())).toMatchObject({ host: "solo", usable: true });
    expect(await stand.engine.inspect(spec, signal())).toMatchObject({ host: "solo" });
    expect((await stand.engine.list(signal())).machines).toMatchObject([{ id: spec.id, host: "solo" }]);
    await stand.engine.remove(spec, signal());
    await stand.engine.removeFileSystem({ id: guest.fileSystems[0]?.id ?? "", host: "solo" }, signal());
    expect(stand.fake.world.volumes.size).toBe(0);
    expect(stand.fake.requests.filter(({ query }) => "target" in query)).toEqual([]);
  });

  it("makes no machine for a host of another name", async () => {
    const stand = await beginStand();
    stand.fake.world.clustered = false;
    const error = await failure(stand.engine.create(machineSpec({ host: "m2" }), signal()));
    expect(error).toMatchObject({ kind: "refused", code: "no-such-host" });
    expect(stand.fake.world.instances.size).toBe(0);
  });
});
