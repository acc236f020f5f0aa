import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { reserve } from "../../../../test/support/reservations.ts";

const gpus = (count: number, change: object = {}) =>
  Array.from({ length: count }, (_, i) => ({
    address: `0000:1${i}:00.0`,
    model: "a10",
    memory_gib: 24,
    numa_node: i < count / 2 ? 0 : 1,
    ...change,
  }));
const sizes = { vcpus: 64, memory_gib: 512, storage_gb: 4000 };
const host = { engine: "simulated", region: "north", ...sizes };

let control: Control;
beforeAll(async () => {
  control = await startControl();
  await control.data("PUT", "/regions/north", { body: {} });
  await control.data("PUT", "/regions/south", { body: {} });
  await control.world.image();
});
afterAll(() => control.close());

const put = (name: string, body: object) => control.data("PUT", `/hosts/${name}`, { body });

/** A host in a region of its own that holds one instance with one GPU, and that instance's id. */
async function heldHost(name: string): Promise<string> {
  const { world, operator } = control;
  await control.data("PUT", `/regions/${name}`, { body: {} });
  await put(name, { ...host, region: name, gpus: gpus(4) });
  const product = await world.product({ gpuModel: "a10", gpus: 1, vcpus: 8, memoryGib: 64, storageGb: 500 });
  return (await world.launchOne(operator.principal, { instanceType: product.name, region: name })).id;
}

describe("putting a host", () => {
  it("makes it, here and in its engine's world, all of it free", async () => {
    const body = { ...host, gpus: gpus(2) };
    const shown = {
      name: "made",
      ...host,
      gpus: gpus(2).map((gpu) => ({
        ...gpu,
        healthy: true,
        state: "free",
        reason: null,
        back_at: null,
        last_validation: null,
        held_by: null,
        holder_status: null,
      })),
      free_vcpus: 64,
      free_memory_gib: 512,
      free_storage_gb: 4000,
      state: "up",
      state_reason: null,
      state_since: expect.any(String),
      mode: "up",
      mode_set_by: null,
      cordoned: false,
      available: true,
      unreachable_since: null,
      verified_off_since: null,
      drain_mode: null,
      health: [],
      availability_percent: expect.toBeOneOf([null, 100]),
      instances: 0,
      note: "",
      labels: {},
      overridden: null,
    };
    for (const _ of [1, 2]) expect(await put("made", body)).toEqual(shown);
    expect(await control.data("GET", "/hosts/made")).toEqual(shown);
    expect(control.simulated.hosts.get("made")).toMatchObject({
      region: "north",
      memoryGib: 512,
      gpus: [{ address: "0000:10:00.0", numaNode: 0 }, { numaNode: 1 }],
    });
  });

  it("has no GPUs, and GPUs are on node 0, unless told", async () => {
    expect(await put("plain", host)).toMatchObject({ gpus: [] });
    const one = [{ address: "a", model: "a10", memory_gib: 24 }];
    expect(await put("plain", { ...host, gpus: one })).toMatchObject({ gpus: [{ address: "a", numa_node: 0 }] });
  });

  it("is offered from then on, also when only its GPUs changed", async () => {
    const product = await control.world.product({ gpuModel: "l4", gpus: 1, vcpus: 1, memoryGib: 1, storageGb: 1 });
    const capacity = async () => {
      const { body } = await control.call("GET", `${control.marketplace}/instance-types`, {
        token: control.operator.token,
      });
      return (body as { data: Record<string, { capacity_available: number }> }).data[product.name]?.capacity_available;
    };
    expect(await capacity()).toBe(0);
    await put("offered", { ...host, gpus: gpus(2, { model: "l4" }) });
    expect(await capacity()).toBe(2);
    await put("offered", { ...host, gpus: gpus(5, { model: "l4" }) });
    expect(await capacity()).toBe(5);
    await control.data("POST", "/hosts/offered/cordon");
    expect(await capacity()).toBe(0);
    await control.data("POST", "/hosts/offered/uncordon");
    await control.data("DELETE", "/hosts/offered");
    expect(await capacity()).toBe(0);
    await put("offered", { ...host, gpus: gpus(1, { model: "l4" }) });
    expect(await capacity()).toBe(1);
  });

  it("may move and shrink one that holds nothing", async () => {
    await put("moving", { ...host, gpus: gpus(4) });
    const smaller = { ...host, region: "south", vcpus: 1, memory_gib: 1, storage_gb: 1, gpus: gpus(1) };
    expect(await put("moving", smaller)).toMatchObject({ region: "south", free_vcpus: 1, gpus: [{}] });
  });

  it("leaves a cordon as it is", async () => {
    await put("cordoned", host);
    await control.data("POST", "/hosts/cordoned/cordon");
    expect(await put("cordoned", host)).toMatchObject({ cordoned: true });
  });

  it.each([
    [{ ...host, engine: undefined }, "engine"],
    [{ ...host, engine: 1 }, "engine"],
    [{ ...host, region: undefined }, "region"],
    [{ ...host, vcpus: 0 }, "vcpus"],
    [{ ...host, vcpus: 2 ** 31 }, "vcpus"],
    [{ ...host, vcpus: "64" }, "vcpus"],
    [{ ...host, memory_gib: 1.5 }, "memory_gib"],
    [{ ...host, memory_gib: undefined }, "memory_gib"],
    [{ ...host, storage_gb: -4 }, "storage_gb"],
    [{ ...host, storage_gb: 1e12 }, "storage_gb"],
    [{ ...host, gpus: 4 }, "gpus"],
    [{ ...host, gpus: { count: 4 } }, "gpus"],
    [{ ...host, gpus: gpus(65, {}) }, "gpus"],
    [{ ...host, gpus: gpus(2, { address: "same" }) }, "gpus.1.address"],
    [{ ...host, gpus: gpus(1, { address: "a b" }) }, "gpus.0.address"],
    [{ ...host, gpus: gpus(1, { address: "" }) }, "gpus.0.address"],
    [{ ...host, gpus: gpus(1, { model: undefined }) }, "gpus.0.model"],
    [{ ...host, gpus: gpus(1, { memory_gib: 0 }) }, "gpus.0.memory_gib"],
    [{ ...host, gpus: gpus(1, { memory_gib: 2 ** 31 }) }, "gpus.0.memory_gib"],
    [{ ...host, gpus: gpus(1, { numa_node: -1 }) }, "gpus.0.numa_node"],
    [{ ...host, gpus: ["a10"] }, "gpus.0"],
  ])("refuses %j", async (body, field) => {
    const result = await control.ask("PUT", "/hosts/bad", { body });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([400, "global/invalid-parameters", [field]]);
  });

  it.each([
    [{ ...host, region: "nowhere" }, "region"],
    [{ ...host, engine: "imaginary" }, "engine"],
  ])("refuses names of nothing: %j", async (body, field) => {
    const result = await control.ask("PUT", "/hosts/bad", { body });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([400, "global/object-does-not-exist", [field]]);
    expect((await control.ask("GET", "/hosts/bad")).status).toBe(404);
    expect(control.simulated.hosts.has("bad")).toBe(false);
  });

  it("takes the largest of everything", async () => {
    const largest = { vcpus: 1_000_000, memory_gib: 10_000_000, storage_gb: 1_000_000_000 };
    const many = Array.from({ length: 64 }, (_, i) => ({
      address: `${i}`,
      model: "m",
      memory_gib: 10_000,
      numa_node: 1023,
    }));
    expect(await put("largest", { ...host, ...largest, gpus: many })).toMatchObject({ free_storage_gb: 1_000_000_000 });
  });
});

describe("a host that holds an instance", () => {
  it("shows what is free, and who holds which GPU", async () => {
    const instance = await heldHost("shown");
    const shown = (await control.data("GET", "/hosts/shown")) as { gpus: { held_by: string | null }[] };
    expect(shown).toMatchObject({ free_vcpus: 56, free_memory_gib: 448, free_storage_gb: 3500 });
    expect(shown.gpus.map((gpu) => gpu.held_by).filter((id) => id !== null)).toEqual([instance]);
  });

  it("may be put again as it is, and grow", async () => {
    await heldHost("growing");
    const body = { ...host, region: "growing", gpus: gpus(4) };
    expect(await put("growing", body)).toMatchObject({ vcpus: 64, free_vcpus: 56 });
    const larger = { ...body, vcpus: 100, gpus: [...gpus(4), { address: "new", model: "h100", memory_gib: 80 }] };
    expect(await put("growing", larger)).toMatchObject({ vcpus: 100, free_vcpus: 92, gpus: { length: 5 } });
  });

  it("may shrink to exactly what is held, and no further", async () => {
    await heldHost("shrinking");
    const exactly = { ...host, region: "shrinking", vcpus: 8, memory_gib: 64, storage_gb: 500, gpus: gpus(4) };
    expect(await put("shrinking", exactly)).toMatchObject({ free_vcpus: 0, free_memory_gib: 0, free_storage_gb: 0 });
    for (const less of [{ vcpus: 7 }, { memory_gib: 63 }, { storage_gb: 499 }]) {
      const result = await control.ask("PUT", "/hosts/shrinking", { body: { ...exactly, ...less } });
      expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    }
    expect(await control.data("GET", "/hosts/shrinking")).toMatchObject({ ...exactly, gpus: {}, available: true });
    expect(control.simulated.hosts.get("shrinking")).toMatchObject({ vcpus: 8 });
  });

  it("keeps the GPU that is held, and lets the others go", async () => {
    const instance = await heldHost("keeping");
    const body = { ...host, region: "keeping" };
    const { gpus: shown } = (await control.data("GET", "/hosts/keeping")) as {
      gpus: { address: string; held_by: string | null }[];
    };
    const isHeld = (gpu: { address: string }) => shown.find((one) => one.address === gpu.address)?.held_by === instance;
    const held = gpus(4).filter(isHeld);
    const others = gpus(4).filter((gpu) => !isHeld(gpu));
    const change = (changes: object) => [...held.map((gpu) => ({ ...gpu, ...changes })), ...others];
    const refused = [others, change({ model: "h100" }), change({ memory_gib: 48 }), change({ numa_node: 7 }), []];
    for (const list of refused) {
      const result = await control.ask("PUT", "/hosts/keeping", { body: { ...body, gpus: list } });
      expect([result.status, codeOf(result)]).toEqual([409, "global/conflict"]);
    }
    expect(await put("keeping", { ...body, gpus: held })).toMatchObject({
      gpus: [{ held_by: instance, healthy: true }],
    });
  });

  it("stays in its region, with its engine, and is not deleted", async () => {
    await heldHost("staying");
    const body = { ...host, region: "staying", gpus: gpus(4) };
    for (const change of [{ region: "north" }, { region: "nowhere" }]) {
      expect((await control.ask("PUT", "/hosts/staying", { body: { ...body, ...change } })).status).toBe(409);
    }
    expect((await control.ask("DELETE", "/hosts/staying")).status).toBe(409);
    expect(control.simulated.hosts.has("staying")).toBe(true);
  });
});

it("stays in its region while it is promised to a reservation, which is named with what to do", async () => {
  const { world, operator } = control;
  await control.data("PUT", "/regions/promised", { body: {} });
  const body = { ...host, region: "promised", gpus: gpus(4) };
  await put("promised", body);
  const { name: instanceType } = await world.product({ gpus: 1, gpuModel: "a10" });
  const { id } = await reserve(world, operator.principal, { instanceType, region: "promised", from: 10, to: 20 });
  const moved = () => control.ask("PUT", "/hosts/promised", { body: { ...body, region: "north" } });
  const refused = await moved();
  expect([refused.status, codeOf(refused)]).toEqual([409, "global/conflict"]);
  expect(refused.text).toContain(`promised to the reservation ${id}`);
  expect(await put("promised", { ...body, vcpus: body.vcpus + 1 })).toMatchObject({ region: "promised" });
  expect((await control.ask("POST", `/reservations/${id}/cancel`)).status).toBe(200);
  expect((await moved()).status).toBe(200);
});

describe("putting a host that its engine discovered", () => {
  const found = { ...sizes, memory_gib: 512, storage_gb: 4000 };
  const address = "0000:01:00.0";
  const discovered = async (name: string) => {
    await control.world.host({ name, engine: "real", region: "north", gpus: 2, gpuModel: "NVIDIA 2331" });
    return { engine: "real", region: "north", ...found };
  };

  it("makes it count as told, and shows what was told beside what it counts as", async () => {
    const body = await discovered("found");
    expect(await control.data("GET", "/hosts/found")).toMatchObject({ overridden: null });
    const told = { vcpus: 60, memory_gib: 1_000_000, storage_gb: 3000 };
    const named = [{ address, model: "h100_pcie", memory_gib: 94 }];
    const shown = await put("found", { ...body, ...told, gpus: named });
    expect(shown).toMatchObject({
      vcpus: 60,
      free_vcpus: 60,
      memory_gib: 512,
      free_storage_gb: 3000,
      overridden: { ...told, gpus: named },
      gpus: [
        { address, model: "h100_pcie", memory_gib: 94 },
        { model: "NVIDIA 2331", memory_gib: 80 },
      ],
    });
    expect(await control.data("GET", "/hosts/found")).toEqual(shown);
  });

  it("replaces what an earlier one told, and may say of a GPU's memory that it is as found", async () => {
    const body = await discovered("again");
    await put("again", { ...body, vcpus: 8, gpus: [{ address, model: "h100", memory_gib: 94 }] });
    const after = await put("again", { ...body, gpus: [{ address, model: "h200", memory_gib: 0 }] });
    expect(after).toMatchObject({ vcpus: 64, gpus: [{ model: "h200", memory_gib: 80 }, { model: "NVIDIA 2331" }] });
  });

  it.each([
    [{ gpus: [{ address: "0000:ff:00.0", model: "h100", memory_gib: 80 }] }, "gpus.0.address"],
    [{ region: "south" }, "region"],
    [{ region: "nowhere" }, "region"],
  ])("refuses what it is not: %j", async (change, field) => {
    const name = control.world.fresh("wrong");
    const body = await discovered(name);
    const result = await control.ask("PUT", `/hosts/${name}`, { body: { ...body, ...change } });
    expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([400, "global/invalid-parameters", [field]]);
    expect(await control.data("GET", `/hosts/${name}`)).toMatchObject({ region: "north", overridden: null });
  });
});

describe("cordoning a host", () => {
  it("keeps new instances off it until it is uncordoned; both may be repeated", async () => {
    await put("door", host);
    for (const _ of [1, 2]) {
      expect(await control.data("POST", "/hosts/door/cordon")).toMatchObject({ name: "door", cordoned: true });
    }
    for (const _ of [1, 2]) {
      expect(await control.data("POST", "/hosts/door/uncordon")).toMatchObject({ name: "door", cordoned: false });
    }
  });

  it("answers 404 for a host that is not there", async () => {
    expect((await control.ask("POST", "/hosts/nowhere/cordon")).status).toBe(404);
    expect((await control.ask("POST", "/hosts/nowhere/uncordon")).status).toBe(404);
  });
});

describe("listing, reading and deleting hosts", () => {
  it("is by name, page by page", async () => {
    const all = (await control.data("GET", "/hosts")) as { name: string }[];
    expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).sort());
    expect((await control.pages("/hosts", 3)).flat()).toEqual(all);
  });

  it("is gone when deleted, from its engine's world too", async () => {
    await put("gone", { ...host, gpus: gpus(2) });
    expect(await control.data("DELETE", "/hosts/gone")).toEqual({});
    expect(control.simulated.hosts.has("gone")).toBe(false);
    for (const [method, path] of [
      ["GET", "/hosts/gone"],
      ["DELETE", "/hosts/gone"],
    ] as const) {
      const result = await control.ask(method, path);
      expect([result.status, codeOf(result)]).toEqual([404, "global/object-does-not-exist"]);
    }
  });

  it("refuses names that no host can have", async () => {
    expect((await control.ask("GET", "/hosts/%20")).status).toBe(400);
  });
});
