// The delivery log as it is read: a page is cheap however rare what is looked for, and paging finds all of it.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { Hooks } from "../../../test/support/hooks.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { Principal } from "../service.ts";
import { type Delivery, type DeliveryFilter, listDeliveries } from "./delivery.ts";

const world = worldOfFile();
const hooks = new Hooks(world);

async function webhook(): Promise<{ principal: Principal; id: string }> {
  const principal = await world.account();
  return { principal, id: (await hooks.make(principal, { url: "https://hooks.example.com/" })).id };
}

/** So many deliveries whose ids rise with time; every `rareEvery`th has failed, beginning with the oldest. */
async function delivered(webhookId: string, count: number, rareEvery: number): Promise<void> {
  await sql`
    insert into webhook_deliveries (id, webhook_id, event_id, event_type, subject_id, body, status, finished_at)
    select ('0198c5a0-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${webhookId}, gen_random_uuid(),
      'instance.active', gen_random_uuid(), '{}',
      case when n % ${rareEvery}::integer = 0 then 'failed' else 'delivered' end, now()
    from generate_series(0, ${count}::integer - 1) n`.execute(world.db);
}

/** Every page, each of at most `walk` deliveries looked at. */
async function pages(
  { principal, id }: { principal: Principal; id: string },
  status: DeliveryFilter["status"],
  { walk, limit = 2 }: { walk?: number; limit?: number } = {},
): Promise<Delivery[][]> {
  const all: Delivery[][] = [];
  for (let before: string | undefined; ; ) {
    const page = await listDeliveries(world.db, principal, id, { status, before, limit }, walk);
    all.push(page.deliveries);
    if (page.goOnBefore === undefined) return all;
    before = page.goOnBefore;
  }
}

describe("the deliveries of a status", () => {
  it("are found among fifty thousand others page by page, none of which looks at more than so many", async () => {
    const own = await webhook();
    await delivered(own.id, 50_001, 50_001);
    const found = await pages(own, "failed");
    expect(found.flat()).toMatchObject([{ id: "0198c5a0-0000-7000-8000-000000000000", status: "failed" }]);
    // Five thousand at a time: a page that looked at more would have made for fewer.
    expect(found).toHaveLength(11);
    expect(await pages(own, "failed", { walk: 60_000 })).toHaveLength(1);
    expect((await pages(own, "pending")).flat()).toEqual([]);
  });

  it("come newest first and each once, whether pages are full of them or of others", async () => {
    const own = await webhook();
    await delivered(own.id, 40, 7);
    const whole = await pages(own, undefined, { limit: 100 });
    expect(whole).toHaveLength(1);
    const ids = whole.flat().map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    const failed = whole.flat().filter(({ status }) => status === "failed");
    expect(failed).toHaveLength(6);
    for (const walk of [1, 3, 8, 39, 40, 41]) {
      for (const limit of [1, 2, 100]) expect((await pages(own, "failed", { walk, limit })).flat()).toEqual(failed);
    }
    expect((await pages(own, undefined, { limit: 7 })).map((page) => page.length)).toEqual([7, 7, 7, 7, 7, 5]);
  });

  it("of another webhook are not among them", async () => {
    const own = await webhook();
    expect(await pages(own, "failed")).toEqual([[]]);
    const other = { principal: await world.account(), id: own.id };
    await expect(pages(other, "failed")).rejects.toMatchObject({ kind: "unknown-object" });
    await expect(pages({ ...own, id: randomUUID() }, "failed")).rejects.toMatchObject({ kind: "unknown-object" });
  });
});
