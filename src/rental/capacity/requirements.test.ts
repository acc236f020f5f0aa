// What "fits" means, and that the SQL of placement means the same.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { sample } from "../../../test/support/extent.ts";
import { fc } from "../../../test/support/properties.ts";
import { anyHost, anyProduct, isOpen, roomOf, writeGpus, writeHost } from "../../../test/support/random-hosts.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { capacityLeftIn, capacityLeftNow } from "./capacity-left.ts";
import { mayFit, regionsThatFit } from "./host-lock.ts";
import { HostOrder } from "./host-order.ts";
import { howManyFit, type Room } from "./requirements.ts";

const room = (freeVcpus: number, freeMemoryGib: number, freeStorageGb: number, h100 = 0): Room => ({
  freeVcpus,
  freeMemoryGib,
  freeStorageGb,
  gpus: new Map([["H100", { total: 8, free: h100, freeByNode: [h100] }]]),
});
const product = {
  name: "two",
  description: "",
  gpuModel: "H100",
  gpuDescription: "",
  gpus: 2,
  vcpus: 10,
  memoryGib: 100,
  storageGb: 1000,
  priceCentsPerHour: 1,
  spotPriceCentsPerHour: null,
  architecture: "x86_64" as const,
};

describe("how many instances fit", () => {
  it("is what the scarcest of CPU, memory, storage and GPUs allows", () => {
    expect(howManyFit(room(49, 900, 9000, 8), product)).toBe(4);
    expect(howManyFit(room(90, 399, 9000, 8), product)).toBe(3);
    expect(howManyFit(room(90, 900, 2999, 8), product)).toBe(2);
    expect(howManyFit(room(90, 900, 9000, 3), product)).toBe(1);
  });

  it("is none where there is no GPU of the model", () => {
    expect(howManyFit(room(90, 900, 9000, 8), { ...product, gpuModel: "A100" })).toBe(0);
  });

  it("does not ask for GPUs where the product has none", () => {
    expect(howManyFit(room(20, 900, 9000), { ...product, gpuModel: null, gpus: 0 })).toBe(2);
  });
});

describe("the SQL of placement", () => {
  const world = worldOfFile();

  it("finds exactly the hosts that one instance fits on", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyHost, { minLength: 6, maxLength: 9 }), anyProduct, async (hosts, wanted) => {
        await world.empty();
        for (const [index, host] of hosts.entries()) await writeHost(world.db, `host-${index}`, host);
        const { rows } = await sql<{
          name: string;
        }>`select h.name from hosts h where ${mayFit(wanted)} order by 1`.execute(world.db);
        const fitting = hosts.flatMap((host, index) =>
          isOpen(host) && howManyFit(roomOf(host), wanted) > 0 ? [{ region: host.region, name: `host-${index}` }] : [],
        );
        expect(rows.map((row) => row.name)).toEqual(fitting.map((host) => host.name));
        expect(await regionsThatFit(world.db, wanted)).toEqual([...new Set(fitting.map((host) => host.region))].sort());
      }),
      { numRuns: sample(15, 200) },
    );
  });

  it("counts for each region as many instances as fit on its hosts, up to those that are asked for, and so does memory", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyHost, { minLength: 6, maxLength: 9 }),
        anyProduct,
        fc.integer({ min: 1, max: 6 }),
        async (hosts, wanted, upTo) => {
          await world.empty();
          const order = new HostOrder();
          const sums = new Map<string, number>();
          for (const [index, host] of hosts.entries()) {
            const name = `host-${index}`;
            await writeHost(world.db, name, host);
            const fits = isOpen(host) ? howManyFit(roomOf(host), wanted) : 0;
            if (isOpen(host)) order.add({ name, engine: "simulated", region: host.region, ...roomOf(host) });
            if (fits > 0) sums.set(host.region, (sums.get(host.region) ?? 0) + fits);
          }
          const expected = [...sums].sort().map(([region, fits]) => ({ region, fits: Math.min(fits, upTo) }));
          await writeGpus(world.db);
          const want = { product: wanted, instanceIds: Array.from({ length: upTo }, (_, at) => String(at)) };
          expect(await capacityLeftNow(world.db, want)).toEqual(expected);
          expect(capacityLeftIn(order, want)).toEqual(expected);
        },
      ),
      { numRuns: sample(15, 200) },
    );
  });
});
