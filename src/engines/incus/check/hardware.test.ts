import { beforeEach, describe, expect, it } from "vitest";
import { beginCheckStand, type CheckStand } from "../../../../test/support/check-stand.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { checkHardware } from "./hardware.ts";

let stand: CheckStand;
beforeEach(async () => {
  stand = await beginCheckStand();
});

const told = (settings: Partial<IncusSettings> = {}) => stand.run(checkHardware, { settings });
const cards = (...some: object[]) => {
  stand.fake.world.addMember("m1", { cards: some });
};
const h100 = { pci_address: "0000:17:00.0", vendor_id: "10de", product_id: "2331" };

describe("hosts", () => {
  it("are told with what is left to rent, and GPUs by model", async () => {
    cards(h100, { ...h100, pci_address: "0000:65:00.0" });
    expect(await told({ reserved: { vcpus: 4, memoryGib: 12, storageGb: 100 }, hostPrefix: "north-" })).toEqual([
      "ok north-m1: 60 vCPUs, 500 GiB, 3900 GB, 2 × h100_pcie, in north",
      "ok north-m2: 60 vCPUs, 500 GiB, 3900 GB, no GPU, in north",
    ]);
  });

  it("with nothing left are a problem", async () => {
    expect((await told({ reserved: { vcpus: 64, memoryGib: 0, storageGb: 5000 } }))[0]).toBe(
      "problem m1: 0 vCPUs, 512 GiB, 0 GB, 1 × h100_pcie, in north: no vCPUs and storage to rent -> lower reserved, or remove the member",
    );
  });
});

describe("a GPU", () => {
  const unknown = { ...h100, product_id: "ffff", vendor: "NVIDIA Corporation", product: "GX1000" };

  it("in no table is named with what to write for it", async () => {
    cards(unknown);
    expect((await told())[1]).toBe(
      'warning m1: GPU 10de:ffff "NVIDIA Corporation GX1000" at 0000:17:00.0 is unknown and not offered -> to offer it, add it to gpu_models: "10de:ffff": { model: …, memory_gib: … }',
    );
  });

  it("in the settings' table is known", async () => {
    cards(unknown);
    const lines = await told({ gpuModels: { "10de:ffff": { model: "gx1000", memoryGib: 99 } } });
    expect(lines[0]).toContain("1 × gx1000");
    expect(lines).toHaveLength(2);
  });

  it("of a remote console is nothing to speak of, and one without an address is", async () => {
    cards({ pci_address: "0000:03:00.0", vendor_id: "1a03", product_id: "2000" }, { ...h100, pci_address: "" });
    const lines = await told();
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^warning m1: GPU 10de:2331 has no PCI address/);
  });
});
