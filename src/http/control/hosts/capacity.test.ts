import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { filterNames } from "../../../rental/capacity/explain.ts";

interface Explained {
  instance_type: string;
  regions: { region: string; hosts: number; filters: { filter: string; hosts_left: number }[] }[];
}

let control: Control;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  await world.product({ name: "gpu_2x", gpus: 2, vcpus: 8, memoryGib: 64, storageGb: 500 });
  await world.product({ name: "cpu", gpus: 0, vcpus: 8, memoryGib: 64, storageGb: 500 });
  await world.region("empty");
  const region = "north";
  await world.host({ region, gpus: 4 });
  await world.host({ region, gpus: 4, available: false });
  await world.host({ region, gpus: 4, cordoned: true });
  await world.host({ region, gpus: 0 });
  await world.host({ region, gpus: 4, gpuModel: "A10" });
  await world.host({ region, gpus: 4, brokenGpus: 3 });
  await world.host({ region, gpus: 4, vcpus: 7 });
  await world.host({ region, gpus: 4, memoryGib: 63 });
  await world.host({ region, gpus: 4, storageGb: 499 });
});
afterAll(() => control.close());

const explained = (query = "") => control.data("GET", `/capacity${query}`) as Promise<Explained[]>;

describe("the explanation of capacity", () => {
  it("counts, filter by filter, the hosts that are left", async () => {
    const [one] = await explained("?instance_type=gpu_2x&region=north");
    expect(one).toEqual({
      instance_type: "gpu_2x",
      regions: [
        {
          region: "north",
          hosts: 9,
          filters: [9, 8, 7, 5, 4, 3, 2, 1].map((hosts_left, index) => ({ filter: filterNames[index], hosts_left })),
          returning: [],
        },
      ],
    });
  });

  it("looks at no GPUs where the type has none", async () => {
    const [one] = await explained("?instance_type=cpu&region=north");
    expect(one?.regions[0]?.filters.map(({ hosts_left }) => hosts_left)).toEqual([9, 8, 7, 7, 7, 6, 5, 4]);
  });

  it("is for every type and region unless told, also a region without hosts", async () => {
    const all = await explained();
    expect(all.map((one) => [one.instance_type, one.regions.map(({ region }) => region)])).toEqual([
      ["cpu", ["empty", "north"]],
      ["gpu_2x", ["empty", "north"]],
    ]);
    expect(all[0]?.regions[0]).toMatchObject({ hosts: 0, filters: filterNames.map(() => ({ hosts_left: 0 })) });
    expect((await explained("?region=empty")).map((one) => one.regions.length)).toEqual([1, 1]);
  });

  it("comes page by page, a type at a time", async () => {
    const pages = await control.pages("/capacity", 1);
    expect(pages.map((page) => page.length)).toEqual([1, 1]);
    expect(pages.flat()).toEqual(await explained());
    expect(await control.pages("/capacity?instance_type=cpu", 1)).toHaveLength(1);
  });

  it.each(["instance_type", "region"])(
    "refuses an unknown %s, so that nobody takes a typing error for no hosts",
    async (field) => {
      const result = await control.ask("GET", `/capacity?${field}=nothing`);
      expect([result.status, codeOf(result), fieldsOf(result)]).toEqual([400, "global/object-does-not-exist", [field]]);
    },
  );
});
