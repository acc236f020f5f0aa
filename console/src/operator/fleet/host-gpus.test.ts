// What a form makes of the GPUs of a host.

import { describe, expect, it } from "vitest";
import { LessorError, type Shape } from "../../../../src/client/client.ts";
import { countError, declaredGpus, type GpuRow, gpuErrors, namedGpus, newRow, rowsOf } from "./host-gpus.ts";

const gpu = (bus: string, more: Partial<Shape<"Gpu">> = {}): Shape<"Gpu"> => ({
  address: `0000:${bus}:00.0`,
  model: "h100_pcie",
  memory_gib: 80,
  numa_node: 0,
  healthy: true,
  state: "free",
  reason: null,
  back_at: null,
  last_validation: null,
  held_by: null,
  holder_status: null,
  ...more,
});
const row = (more: Partial<GpuRow>): GpuRow => ({ key: 0, model: "a10", memory: 24, count: 1, found: [], ...more });
const buses = (list: readonly { address: string }[] = []) => list.map(({ address }) => address.slice(5, 7));
const changed = (rows: readonly GpuRow[], more: Partial<GpuRow>) => rows.map((one) => ({ ...one, ...more }));

describe("the rows of a host", () => {
  it("are one for each model and memory", () => {
    const rows = rowsOf([
      gpu("17"),
      gpu("18", { model: "a10", memory_gib: 24 }),
      gpu("19"),
      gpu("1a", { memory_gib: 94 }),
    ]);
    expect(rows.map(({ model, memory, count }) => [model, memory, count])).toEqual([
      ["h100_pcie", 80, 2],
      ["a10", 24, 1],
      ["h100_pcie", 94, 1],
    ]);
  });

  it("keep their keys when others come and go", () => {
    const first = newRow([]);
    const second = newRow([first]);
    expect([first, second, newRow([second])].map(({ key }) => key)).toEqual([0, 1, 2]);
  });

  it.each(["", 0, 65, 1.5, "-1"])("refuse a count of %j", (count) => {
    expect(countError(count)).toBe("Enter a whole number from 1 to 64.");
  });
});

describe("GPUs that are declared", () => {
  it("of a new host lie half on the first node and half on the second, with addresses of their own", () => {
    const [a10, cards] = declaredGpus([row({ count: 3 }), row({ key: 1, model: "l40s", memory: 48 })]);
    expect(a10?.map(({ numa_node }) => numa_node)).toEqual([0, 0, 1]);
    expect(buses([...(a10 ?? []), ...(cards ?? [])])).toEqual(["10", "11", "12", "13"]);
    expect(cards).toEqual([{ address: "0000:13:00.0", model: "l40s", memory_gib: 48, numa_node: 1 }]);
  });

  it("of a host that has some stay where they are, and new ones take what is free", () => {
    const [list] = declaredGpus(changed(rowsOf([gpu("11"), gpu("17", { numa_node: 1 })]), { count: 4 }));
    expect(buses(list)).toEqual(["11", "17", "10", "12"]);
    expect(list?.map(({ numa_node }) => numa_node)).toEqual([0, 1, 0, 1]);
  });

  it("that instances use are removed last", () => {
    const held = { held_by: "0198", holder_status: "active" } as const;
    const rows = rowsOf([gpu("11"), gpu("12"), gpu("13", held), gpu("14")]);
    expect(buses(declaredGpus(changed(rows, { count: 2 }))[0])).toEqual(["11", "13"]);
  });
});

describe("GPUs of a discovered host", () => {
  const found = [gpu("17", { model: "10de:2331", memory_gib: 0 }), gpu("18", { model: "10de:2331", memory_gib: 0 })];

  it("are not named where nothing of them is changed", () => {
    expect(namedGpus(rowsOf(found), null)).toEqual([[]]);
  });

  it("keep the memory that they are found with, when only the model is another", () => {
    expect(namedGpus(changed(rowsOf(found), { model: "h100_pcie" }), null)).toEqual([
      [
        { address: "0000:17:00.0", model: "h100_pcie", memory_gib: 0 },
        { address: "0000:18:00.0", model: "h100_pcie", memory_gib: 0 },
      ],
    ]);
  });

  it("stay named as they were", () => {
    const gpus = [{ address: "0000:17:00.0", model: "h100_pcie", memory_gib: 80 }];
    const former = { vcpus: 8, memory_gib: 64, storage_gb: 100, gpus };
    expect(namedGpus(rowsOf([gpu("17")]), former)).toEqual([gpus]);
    expect(namedGpus(changed(rowsOf([gpu("17")]), { memory: 94 }), former)).toEqual([
      [{ address: "0000:17:00.0", model: "h100_pcie", memory_gib: 94 }],
    ]);
  });
});

describe("what is refused of a GPU", () => {
  const refusal = (...names: string[]) =>
    new LessorError(400, {
      error: {
        code: "global/invalid-parameters",
        message: "",
        suggestion: "",
      },
      field_errors: Object.fromEntries(names.map((name) => [name, { code: "", message: `Not this ${name}.` }])),
    });
  const lists = declaredGpus([row({ count: 2 }), row({ key: 1, model: "", memory: 0 })]);

  it("stands at the row that it was sent for", () => {
    const { at, ofAll } = gpuErrors(refusal("gpus[2].model", "gpus.2.memory_gib"), lists);
    expect([at(1, "model"), at(1, "memory_gib")]).toEqual(["Not this gpus[2].model.", "Not this gpus.2.memory_gib."]);
    expect([at(0, "model"), ofAll]).toEqual([undefined, undefined]);
  });

  it("stands below the rows where it is of all of them, or of what no row shows", () => {
    expect(gpuErrors(refusal("gpus"), lists).ofAll).toBe("Not this gpus.");
    expect(gpuErrors(refusal("gpus.0.address"), lists).ofAll).toBe("Not this gpus.0.address.");
  });
});
