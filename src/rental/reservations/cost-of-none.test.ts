// What reservations cost launches where there are none: nothing. A launch reads what its hosts owe only if they owe something.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { launch } from "../../../test/support/launch-all.ts";
import { reserve } from "../../../test/support/reservations.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import type { Transaction } from "../../database/connect.ts";

const world = worldOfFile();

/** How often the tables of reservations were read on this connection lately. */
async function readsOf(tx: Transaction): Promise<number> {
  const { rows } = await sql<{ reads: number }>`
    select coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0)::integer as reads from pg_stat_xact_user_tables
    where relname in ('reservations', 'reservation_hosts')`.execute(tx);
  return rows[0]?.reads ?? 0;
}

it("a launch reads no reservation, unless a host of its region owes something", async () => {
  const principal = await world.account();
  await world.image();
  await world.host({ gpus: 4, region: "north" });
  await world.host({ gpus: 4, region: "south" });
  const { name: instanceType } = await world.product();
  await reserve(world, principal, { instanceType, region: "south", from: 5, to: 10 });
  const readsIn = async (region: string) => {
    await world.service.capacity.refresh();
    return world.tx(async (tx) => {
      const before = await readsOf(tx);
      await launch(tx, world.service, principal, launchOrder({ instanceType, region }));
      return (await readsOf(tx)) - before;
    });
  };
  expect(await readsIn("north")).toBe(0);
  expect(await readsIn("south")).toBeGreaterThan(0);
});
