// Capacity notices as replicas of the service give them: by themselves, once, to webhooks too.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { createNotice } from "../../src/rental/capacity-notices/notice-store.ts";
import { seenCapacity } from "../../src/rental/capacity-notices/seen-capacity.ts";
import { Hooks, loose } from "../support/hooks.ts";
import { changingNothing } from "../support/refusals.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();
const hooks = new Hooks(stage.world);

const replica = () => stage.reconciler({ capacityReadSeconds: 0.01, deliveries: loose });
const mode = (word: string) => stage.db.updateTable("hosts").set({ mode: word }).execute();

/** By whether it is available, and whether the opposite is seen. */
async function announced() {
  const rows = await stage.db.selectFrom("announced_capacity").select(["is_available", "opposite_since"]).execute();
  return rows.map((row) => `${row.is_available}${row.opposite_since === null ? "" : ", not seen"}`);
}

describe("two replicas", () => {
  it("deliver one event to the webhooks of an account with a notice, and none to others", async () => {
    await stage.host();
    const { name } = await stage.product();
    await mode("cordoned");
    const order = { eventTypes: ["capacity.*"] };
    const [ann, bob] = [await hooks.withReceiver(order), await hooks.withReceiver(order)];
    const seen = await seenCapacity(stage.db, stage.world.service.capacity);
    const notice = await stage.world.tx((tx) => createNotice(tx, ann.principal, { instanceType: name }, seen));
    for (const _ of [1, 2]) replica();

    await mode("up");
    await expect.poll(announced).toEqual(["false, not seen"]);
    await travel(stage.db, "15 seconds");
    await ann.receiver.received(1);
    await expect.poll(announced).toEqual(["true"]);
    await mode("cordoned");
    await expect.poll(announced).toEqual(["true, not seen"]);
    await mode("up");
    await expect.poll(announced).toEqual(["true"]);
    await mode("cordoned");
    await expect.poll(announced).toEqual(["true, not seen"]);
    await travel(stage.db, "60 seconds");
    await expect.poll(announced).toEqual(["false"]);
    await mode("up");
    await expect.poll(announced).toEqual(["false, not seen"]);
    await travel(stage.db, "15 seconds");
    const requests = await ann.receiver.received(2);
    const capacity = { instance_type: name, region: "north", available: 8 };
    expect(requests.map(({ body }) => body)).toMatchObject(
      [1, 2].map(() => ({ type: "capacity.available", data: { capacity, notice_ids: [notice.id] } })),
    );
    expect(new Set(requests.map(({ body }) => body.id)).size).toBe(2);
    const { rows } = await sql`select from events where type = 'capacity.available'`.execute(stage.db);
    expect([rows.length, bob.receiver.requests.length]).toEqual([2, 0]);
    const logged = stage.logged.filter(({ level }) => level !== "info");
    expect(logged).toEqual([]);
  });

  it("write nothing while there is no notice", async () => {
    await stage.host();
    await stage.product();
    const replicas = [replica(), replica()];
    for (const one of replicas) await one.idle();
    const looks = async () => {
      const { rows } = await sql<{ count: number }>`
        select coalesce(sum(seq_scan + idx_scan), 0)::integer as count from pg_stat_user_tables
        where relname in ('capacity_notices', 'announced_capacity')`.execute(stage.db);
      return rows[0]?.count ?? 0;
    };
    const before = await looks();
    await changingNothing(stage.db, () => expect.poll(looks, { timeout: 20_000 }).toBeGreaterThan(before + 4));
  });
});
