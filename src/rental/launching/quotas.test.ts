// Quotas and the spend limit, also when many ask at once.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { launch } from "../../../test/support/launch-all.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { connect, type Database } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { RentalError } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Principal } from "../service.ts";

const world = worldOfFile();
let crowd: Database;
beforeAll(() => {
  crowd = connect({ ...world.config, maxConnections: 20 });
});
afterAll(() => crowd.destroy());

let product: InstanceType;
beforeEach(async () => {
  await world.image();
  for (let n = 0; n < 4; n++) await world.host({ gpus: 8, vcpus: 128, memoryGib: 2048, storageGb: 9000 });
  product = await world.product({ gpus: 1, vcpus: 2 });
});

/** How many of `count` launches at once succeed; the others are refused for the quota and for nothing else. */
async function succeedingOf(count: number, principal: Principal, quantity = 1): Promise<number> {
  const order = launchOrder({ instanceType: product.name, quantity });
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, () => inTransaction(crowd, (tx) => launch(tx, world.service, principal, order))),
  );
  const refusals = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  expect(refusals.filter((error) => !(error instanceof RentalError && error.kind === "quota-exceeded"))).toEqual([]);
  return count - refusals.length;
}

describe("launches at once by one account", () => {
  for (const [what, limit, quota] of [
    ["instances", 7, 7],
    ["gpus", 7, 7],
    ["vcpus", 7, 15],
  ] as const) {
    it(`are as many as its quota of ${what} lets through, and no more`, async () => {
      const principal = await world.account({ quotas: { [what]: quota } });
      expect(await succeedingOf(20, principal)).toBe(limit);
      expect(await booksDisagree(world.db)).toEqual([]);
    });
  }

  it("count whole quantities: 20 launches of three on a quota of 10 are three", async () => {
    const principal = await world.account({ quotas: { instances: 10 } });
    expect(await succeedingOf(20, principal, 3)).toBe(3);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("do not take from another account's quota", async () => {
    const [one, other] = [await world.account({ quotas: { gpus: 3 } }), await world.account({ quotas: { gpus: 4 } })];
    expect(await Promise.all([succeedingOf(10, one), succeedingOf(10, other)])).toEqual([3, 4]);
  });

  it("wait for one that may still be undone, and take its share when it is", async () => {
    const principal = await world.account({ quotas: { instances: 1 } });
    const order = launchOrder({ instanceType: product.name });
    await using undone = await begin(crowd);
    await launch(undone.tx, world.service, principal, order);
    const waiting = world.launch(principal, order);
    await untilWaiting(crowd);
    await undone.rollback();
    expect(await waiting).toHaveLength(1);
  });
});
