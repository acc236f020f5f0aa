// How many instances fit by partitions, which one an instance gets, and that the database counts the same.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { sample } from "../../../test/support/extent.ts";
import { fc } from "../../../test/support/properties.ts";
import { anyProduct } from "../../../test/support/random-hosts.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { ask } from "../../database/round-trips.ts";
import type { InstanceType } from "../instances/instance.ts";
import { placesFor } from "./assign.ts";
import { capacityLeftNow } from "./capacity-left.ts";
import { choosePartition, fitsOf, fitsWithout } from "./gpu-partitions.ts";
import { hostsAsTheyAre, mayFit } from "./host-lock.ts";
import { HostOrder } from "./host-order.ts";
import { howManyFit, without } from "./requirements.ts";

/** The sets of an HGX board with these GPUs. */
const board = (gpus: readonly string[]): string[][] =>
  [8, 4, 2, 1].flatMap((size) =>
    Array.from({ length: gpus.length / size }, (_, at) => gpus.slice(at * size, (at + 1) * size)),
  );
const all = ["a", "b", "c", "d", "e", "f", "g", "h"];
const partitions = board(all);

describe("the partition of an instance", () => {
  const choose = (free: string, size: number) => choosePartition(partitions, new Set(free), size).join("");

  it("is one whose enclosing larger partition is already broken", () => {
    expect(choose("abcdefgh", 4)).toBe("abcd");
    expect(choose("abcdefg", 1)).toBe("g");
    expect(choose("abcdefg", 2)).toBe("ef");
    expect(choose("abcdeg", 1)).toBe("e");
    expect(choose("bcdefgh", 2)).toBe("cd");
  });

  it("is always free, and breaks no larger one while another one of its size is in a broken one", () => {
    fc.assert(
      fc.property(fc.subarray(all), fc.constantFrom(1, 2, 4, 8), (free, size) => {
        const open = new Set(free);
        const before = fitsOf(partitions, open);
        if ((before.get(size) ?? 0) === 0) {
          expect(() => choosePartition(partitions, open, size)).toThrow(/BUG/);
          return;
        }
        const taken = choosePartition(partitions, open, size);
        expect(partitions).toContainEqual([...taken]);
        expect(taken.every((one) => open.has(one))).toBe(true);
        const after = fitsOf(partitions, new Set(free.filter((one) => !taken.includes(one))));
        expect(after).toEqual(fitsWithout(before, size, 1));
      }),
    );
  });
});

describe("the database", () => {
  const world = worldOfFile();
  const address = (at: number) => `0000:0${at + 1}:00.0`;
  const gpu = fc.record({ isFree: fc.boolean(), isHealthy: fc.integer({ min: 0, max: 5 }).map((n) => n > 0) });
  const anyHost = fc.record({
    gpus: fc.array(gpu, { minLength: 8, maxLength: 8 }),
    order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8, maxLength: 8 }),
  });
  const ofModel = anyProduct.map(
    (one): InstanceType => ({ ...one, gpuModel: "H100", gpus: one.gpus === 3 ? 8 : one.gpus }),
  );

  it("counts as memory does, and a chosen set is always a free partition", async () => {
    await fc.assert(
      fc.asyncProperty(anyHost, ofModel, async ({ gpus, order }, product) => {
        await world.empty();
        const name = await world.host({ gpus: 8 });
        const sets = board(order.map(address)).map((one) => one.toSorted());
        await sql`
          insert into gpu_partitions (host, id, addresses, reported)
          select ${name}, n::text, array(select jsonb_array_elements_text(one)), false
          from jsonb_array_elements(${JSON.stringify(sets)}::jsonb) with ordinality as each (one, n)`.execute(world.db);
        for (const [at, { isFree, isHealthy }] of gpus.entries())
          await sql`
            update gpus set healthy = ${isHealthy}, state = ${isFree ? "free" : "quarantined"}
            where host = ${name} and address = ${address(at)}`.execute(world.db);
        await sql`update gpu_pools set free = (select count(*) from gpus where state = 'free' and healthy)`.execute(
          world.db,
        );
        const [host] = await ask(world.db, hostsAsTheyAre([name]));
        if (host === undefined) throw new Error("BUG: the host is stored");
        const { rows: pools } = await sql<{ fits: Record<string, number> }>`select fits from gpu_pools`.execute(
          world.db,
        );
        expect(pools).toEqual([{ fits: Object.fromEntries(host.gpus.get("H100")?.fits ?? []) }]);
        const fits = howManyFit(host, product);
        const { rows } = await sql`select from hosts h where ${mayFit(product)}`.execute(world.db);
        expect(rows.length).toBe(fits > 0 ? 1 : 0);
        const expected = fits > 0 ? [{ region: host.region, fits }] : [];
        const many = { product, instanceIds: Array.from({ length: 100 }, (_, at) => String(at)) };
        expect(await capacityLeftNow(world.db, many)).toEqual(expected);
        const ranked = new HostOrder();
        ranked.add(host);
        expect(ranked.capacityByRegion(product, 100)).toEqual(expected);
        const instanceIds = Array.from({ length: fits }, (_, at) => String(at));
        if (fits === 0) return;
        const want = { product, region: undefined, instanceIds };
        const places = placesFor(want, { hosts: [host], lines: [] }, ranked) ?? [];
        const free = new Set(host.freeGpus.map((one) => one.address));
        for (const { gpuAddresses } of places) {
          expect(sets).toContainEqual([...gpuAddresses]);
          for (const one of gpuAddresses) expect(free.delete(one)).toBe(true);
        }
        expect(places.length).toBe(fits);
        expect(without(host, product, fits).gpus.get("H100")?.fits).toEqual(fitsOf(sets, free));
        expect(
          placesFor({ ...want, instanceIds: [...instanceIds, "more"] }, { hosts: [host], lines: [] }, ranked),
        ).toBeUndefined();
      }),
      { numRuns: sample(20, 300) },
    );
  });
});
