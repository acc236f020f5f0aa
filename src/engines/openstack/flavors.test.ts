import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, type EngineStand, serverOf } from "../../../test/support/fake-openstack/engines.ts";
import { cardClass, gpuClass, gpuTrait } from "../../../test/support/fake-openstack/hosts.ts";
import { countByClass } from "./flavors.ts";

const size = { vcpus: 4, ram: 16 * 1024, disk: 100 };
const gpuSpecs = { [`resources:${gpuClass}`]: "2", [`trait:${gpuTrait}`]: "required" };
const gpuAddresses = [`${gpuClass}/0`, `${gpuClass}/1`];
const noFlavor = { kind: "refused", code: "no-flavor" };

const flavorsOf = ({ world }: EngineStand) => [...world.flavors.values()];

it("GPUs are counted by class", () => {
  expect([...countByClass(["A/0", "B/0000:10:00.0", "A/1.2"])]).toEqual([
    ["A", 2],
    ["B", 1],
  ]);
});

describe("flavors that Lessor makes", () => {
  it("have exactly the size and the GPUs, belong to the project, and are made once", async () => {
    const stand = await beginEngines();
    const specs = [0, 1].map(() => stand.spec({ gpuAddresses }));
    for (const spec of specs) await stand.engine.create(spec, signal());
    expect(flavorsOf(stand)).toMatchObject([{ ...size, extraSpecs: gpuSpecs, public: false }]);
    expect([...(flavorsOf(stand)[0]?.access ?? [])]).toEqual([stand.project.id]);
  });

  it("of PCI cards ask for them by alias", async () => {
    const stand = await beginEngines({ form: "pci" });
    const spec = stand.spec({ gpuAddresses: [`${cardClass}/0000:10:00.0`, `${cardClass}/0000:11:00.0`] });
    await booted(stand.engine, spec);
    expect(flavorsOf(stand)).toMatchObject([{ extraSpecs: { "pci_passthrough:alias": "h200:2" } }]);
    const used = [...(stand.world.hosts.allocations.get(serverOf(stand, spec).id)?.resources.values() ?? [])];
    expect(used.filter((amounts) => cardClass in amounts)).toHaveLength(2);
  });

  it.each(["before", "after"] as const)(
    "are completed if their GPUs were lost on the way (%s): no machine starts without",
    async (drop) => {
      const stand = await beginEngines();
      stand.fake.faults.add("compute", "POST", /os-extra_specs$/, { drop });
      const spec = stand.spec({ gpuAddresses });
      expect(await failure(stand.engine.create(spec, signal()))).toMatchObject({ kind: "unavailable" });
      await booted(stand.engine, spec);
      expect(serverOf(stand, spec).flavor.extraSpecs).toEqual(gpuSpecs);
    },
  );

  it("that others changed are not used with other GPUs", async () => {
    const stand = await beginEngines();
    await stand.engine.create(stand.spec({ gpuAddresses }), signal());
    for (const { extraSpecs } of flavorsOf(stand)) extraSpecs["resources:CUSTOM_OTHER"] = "1";
    expect(await failure(stand.engine.create(stand.spec({ gpuAddresses }), signal()))).toMatchObject(noFlavor);
  });

  it("are not made for GPUs that the settings do not have", async () => {
    const stand = await beginEngines();
    const spec = stand.spec({ gpuAddresses: ["CUSTOM_OTHER/0"] });
    expect(await failure(stand.engine.create(spec, signal()))).toMatchObject({ kind: "refused", code: "gpu-missing" });
    expect(flavorsOf(stand)).toEqual([]);
  });
});

describe("flavors that the operator made", () => {
  const begin = () => beginEngines({}, (settings) => ({ ...settings, flavors: "mapped" }));

  it("are found by exactly their size and GPUs, whatever else they ask for", async () => {
    const stand = await begin();
    stand.world.addFlavor("without GPUs", size);
    stand.world.addFlavor("one GPU", size, { ...gpuSpecs, [`resources:${gpuClass}`]: "1" });
    stand.world.addFlavor("larger", { ...size, disk: 101 }, gpuSpecs);
    stand.world.addFlavor("it", size, { ...gpuSpecs, "hw:cpu_policy": "dedicated" });
    const spec = stand.spec({ gpuAddresses });
    await booted(stand.engine, spec);
    expect(serverOf(stand, spec).flavor.name).toBe("it");
    expect(stand.world.flavors.size).toBe(4);
  });

  it("that ask for other GPUs, or none, do not fit", async () => {
    const stand = await begin();
    stand.world.addFlavor("without GPUs", size);
    expect(await failure(stand.engine.create(stand.spec({ gpuAddresses }), signal()))).toMatchObject(noFlavor);
    stand.world.flavors.clear();
    stand.world.addFlavor("with GPUs", size, gpuSpecs);
    expect(await failure(stand.engine.create(stand.spec(), signal()))).toMatchObject(noFlavor);
    expect(stand.world.networks.ports.size).toBe(0);
  });

  it("whose GPUs the cloud's policy hides do not fit", async () => {
    const stand = await begin();
    const flavor = { id: "1", name: "hidden", ...size };
    stand.fake.faults.add("compute", "GET", /flavors\/detail$/, {
      answer: { status: 200, body: { flavors: [flavor] } },
    });
    expect(await failure(stand.engine.create(stand.spec(), signal()))).toMatchObject(noFlavor);
  });
});
