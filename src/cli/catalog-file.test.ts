import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CatalogFileError, catalogCalls, expandRange } from "./catalog-file.ts";

const demo = readFileSync(new URL("../../examples/demo-catalog.yaml", import.meta.url), "utf8");

it("the catalogue for a cluster has what may be rented, and no hosts, which are discovered", () => {
  const calls = catalogCalls(readFileSync(new URL("../../examples/cluster-catalog.yaml", import.meta.url), "utf8"));
  expect(new Set(calls.map(({ path }) => path.split("/")[1]))).toEqual(
    new Set(["regions", "images", "instance-types"]),
  );
});

describe("the demo catalogue", () => {
  const calls = catalogCalls(demo);
  const of = (collection: string) => calls.filter((call) => call.path.startsWith(`/${collection}/`));

  it("has three regions, forty hosts, twelve or more products, four images and two coupons", () => {
    expect(of("regions")).toHaveLength(3);
    expect(of("hosts")).toHaveLength(40);
    expect(of("instance-types").length).toBeGreaterThanOrEqual(12);
    expect(of("images")).toHaveLength(4);
    expect(of("coupons")).toHaveLength(2);
  });

  it("has regions, image families and versions that public clients know", () => {
    const regions = of("regions").map((call) => call.path.split("/").at(-1));
    expect(regions).toEqual(["us-east-1", "us-west-1", "europe-central-1"]);
    expect(of("hosts").filter(({ body }) => !regions.includes(String(body.region)))).toEqual([]);
    const families = of("images").map(({ body }) => body.family);
    expect(families).toEqual(expect.arrayContaining(["lambda-stack-22-04", "ubuntu-24-04"]));
    expect(new Set(families).size).toBe(families.length);
    for (const { body } of of("images")) expect(body.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("goes from gpu_1x_a6000 to gpu_8x_h100_sxm5, with one product without GPUs", () => {
    const names = of("instance-types").map((call) => call.path.split("/").at(-1));
    expect(names).toEqual(expect.arrayContaining(["gpu_1x_a6000", "gpu_8x_h100_sxm5"]));
    expect(of("instance-types").filter((call) => call.body.gpus === 0)).toHaveLength(1);
  });

  it("has one coupon that is good and one that is expired", () => {
    const expired = of("coupons").map((call) => Date.parse(String(call.body.deactivation_date)) < Date.now());
    expect(expired.sort()).toEqual([false, true]);
  });

  it("describes GPUs in the form from which clients parse count, model and memory", () => {
    for (const call of of("instance-types").filter((one) => one.body.gpus !== 0)) {
      expect(call.body.description).toMatch(/^\d+x [A-Z0-9]+ \(\d+ GB( [A-Z0-9a-z]+)?\)$/);
    }
  });

  it("has a host for every product's GPUs, with room for at least one of it", () => {
    for (const type of of("instance-types")) {
      const fits = of("hosts").filter((host) => {
        const gpus = host.body.gpus as { model: string }[];
        return (
          gpus.filter((gpu) => type.body.gpu_model === null || gpu.model === type.body.gpu_model).length >=
            Number(type.body.gpus) &&
          ["vcpus", "memory_gib", "storage_gb"].every((field) => Number(host.body[field]) >= Number(type.body[field]))
        );
      });
      expect(fits, type.what).not.toHaveLength(0);
    }
  });
});

describe("a catalogue file", () => {
  it("is applied in the order in which things build on each other, whatever the file's own order", () => {
    const calls = catalogCalls("hosts: {a: {region: r}}\nregions: {r: {description: x}}\n");
    expect(calls.map((call) => call.what)).toEqual(["region r", "host a"]);
  });

  it("may be empty, or have empty sections", () => {
    expect(catalogCalls("")).toEqual([]);
    expect(catalogCalls("regions:\nhosts: {}\n")).toEqual([]);
  });

  it("counts hosts in a range and keeps the width of the number", () => {
    expect(expandRange("h-[08-11]-x")).toEqual(["h-08-x", "h-09-x", "h-10-x", "h-11-x"]);
    expect(expandRange("plain")).toEqual(["plain"]);
  });

  it("writes counted GPUs out, half of them on each NUMA node, each with an address of its own", () => {
    const [call] = catalogCalls("hosts: {a: {gpus: {count: 4, model: m, memory_gib: 48}}}");
    expect(call?.body.gpus).toEqual([
      { address: "0000:10:00.0", model: "m", memory_gib: 48, numa_node: 0 },
      { address: "0000:11:00.0", model: "m", memory_gib: 48, numa_node: 0 },
      { address: "0000:12:00.0", model: "m", memory_gib: 48, numa_node: 1 },
      { address: "0000:13:00.0", model: "m", memory_gib: 48, numa_node: 1 },
    ]);
  });

  it("escapes names in paths", () => {
    expect(catalogCalls('coupons: {"A/B ?": {}}')[0]?.path).toBe("/coupons/A%2FB%20%3F");
  });

  it.each([
    ["regions:\n  a:\n   x: 1\n  b: 2\n c: 3\n", "line 5, column 1: All mapping items must start at the same column."],
    ["regions: {a: {}, a: {}}", "line 1, column 18: Map keys must be unique."],
    ["regions: *x", "Unresolved alias (the anchor must be set before the alias): x."],
  ])("that is no YAML says what is wrong and where, in one line: %j", (yaml, said) => {
    expect(() => catalogCalls(yaml)).toThrow(new CatalogFileError(`Not valid YAML: ${said}`));
  });

  for (const [why, yaml] of [
    ["an unknown section", "region: {}"],
    ["a section that is no map", "regions: [a]"],
    ["an entry that is no map", "regions: {a: 1}"],
    ["a broken range", 'hosts: {"a-[1": {}}'],
    ["a range that goes backwards", 'hosts: {"a-[5-1]": {}}'],
    ["a GPU count that is no number", "hosts: {a: {gpus: {count: many}}}"],
    ["broken YAML", "regions: {a"],
    ["a merge of what is no map", "regions: {<<: 3}"],
    ["a name given twice", "regions: {a: {description: x}, a: {description: y}}"],
    ["a list", "- a"],
  ] as const) {
    it(`is refused for ${why}`, () => {
      expect(() => catalogCalls(yaml)).toThrow(CatalogFileError);
    });
  }
});
