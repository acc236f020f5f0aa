// Facts that are recorded together: each by itself as recordObservation would, and the books agree after.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../test/support/audit.ts";
import { begin } from "../../test/support/interleave.ts";
import { launch } from "../../test/support/launch-all.ts";
import { seeded } from "../../test/support/random.ts";
import { launchOrder, worldOfFile } from "../../test/support/world.ts";
import { connect } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import type { ObservationReport } from "../rental/instances/record-observation.ts";
import type { Principal } from "../rental/service.ts";
import { ObservationQueue } from "./observation-queue.ts";

const world = worldOfFile();
let principals: Principal[];
let type: string;
let facts: ObservationQueue;

beforeEach(async () => {
  for (let n = 0; n < 4; n++) await world.host({ gpus: 8, vcpus: 500, memoryGib: 9000, storageGb: 90_000 });
  await world.image();
  type = (await world.product()).name;
  principals = [await world.account(), await world.account()];
  facts = new ObservationQueue(world.db);
});

function principalOf(n: number): Principal {
  const principal = principals[n % 2];
  if (principal === undefined) throw new Error("BUG: there are two");
  return principal;
}

async function launched(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const principal = principalOf(n);
    ids.push((await world.launchOne(principal, { instanceType: type })).id);
  }
  return ids;
}

const ready = (id: string, generation = 1): ObservationReport => ({
  fence: { id, generation },
  fact: "ready",
  details: { ip: "10.0.0.7" },
});
const removed = (id: string, generation = 2): ObservationReport => ({
  fence: { id, generation },
  fact: "removed",
  details: {},
});

const states = async () => {
  const rows = await world.db.selectFrom("instances").select(["id", "state"]).execute();
  return new Map(rows.map(({ id, state }) => [id, state]));
};
const events = (type: string) => world.db.selectFrom("events").select("subject_id").where("type", "=", type).execute();

describe("facts at once", () => {
  it("are each recorded, with its event and its span", async () => {
    const ids = await launched(12);
    expect(await Promise.all(ids.map((id) => facts.record(ready(id))))).toEqual(ids.map(() => true));
    expect([...(await states()).values()]).toEqual(ids.map(() => "active"));
    expect((await events("instance.active")).map((one) => one.subject_id).sort()).toEqual([...ids].sort());
    const spans = await world.db.selectFrom("billing_spans").select("instance_id").execute();
    expect(spans.map((one) => one.instance_id).sort()).toEqual([...ids].sort());
  });

  it("are few transactions", async () => {
    const ids = await launched(12);
    await Promise.all(ids.map((id) => facts.record(ready(id))));
    const { rows } = await sql<{ transactions: number }>`
      select count(distinct xmin::text)::integer as transactions from instances`.execute(world.db);
    expect(rows[0]?.transactions).toBeLessThanOrEqual(2);
  });

  it("give back what was held, of several accounts on the same hosts", async () => {
    const ids = await launched(12);
    for (const id of ids) await world.change(principalOf(ids.indexOf(id)), "terminate", [id]);
    expect(await Promise.all(ids.map((id) => facts.record(removed(id))))).toEqual(ids.map(() => true));
    await auditCapacity(world.db);
    const { rows } = await sql<{ free: number; used: number }>`
      select (select sum(free)::integer from gpu_pools) as free, (select sum(used_gpus)::integer from accounts) as used`.execute(
      world.db,
    );
    expect(rows).toEqual([{ free: 32, used: 0 }]);
  });

  it("that come too late change nothing, and keep no other from being recorded", async () => {
    const ids = await launched(3);
    const reports = [ready(ids[0] ?? ""), ready(ids[1] ?? "", 7), removed(ids[2] ?? "", 1)];
    expect(await Promise.all(reports.map((one) => facts.record(one)))).toEqual([true, false, false]);
    expect([...(await states()).values()].sort()).toEqual(["active", "booting", "booting"]);
  });

  it("of one instance come one after the other", async () => {
    const [id = ""] = await launched(1);
    const twice = await Promise.all([facts.record(ready(id)), facts.record(ready(id))]);
    expect(twice.filter(Boolean)).toHaveLength(1);
    expect(await events("instance.active")).toHaveLength(1);
  });

  it("of an account that somebody keeps locked keep no others waiting, and are refused until it is free", async () => {
    const ids = await launched(8);
    const [mine, theirs] = [ids.filter((_, n) => n % 2 === 0), ids.filter((_, n) => n % 2 === 1)];
    for (const [n, id] of ids.entries()) await world.change(principalOf(n), "terminate", [id]);
    const more = await launched(3);
    await using open = await begin(world.db);
    await sql`select from accounts where id = ${principalOf(0).accountId} for no key update`.execute(open.tx);
    const stuck = Promise.allSettled(mine.map((id) => facts.record(removed(id))));
    const others = theirs.map((id) => facts.record(removed(id)));
    const began = performance.now();
    expect(await Promise.all(more.map((id) => facts.record(ready(id))))).toEqual([true, true, true]);
    expect(performance.now() - began).toBeLessThan(900);
    expect(await Promise.all(others)).toEqual(theirs.map(() => true));
    expect((await stuck).map(({ status }) => status)).toEqual(mine.map(() => "rejected"));
    await open.rollback();
    expect(await Promise.all(mine.map((id) => facts.record(removed(id))))).toEqual(mine.map(() => true));
    await auditCapacity(world.db);
  });

  it("of which the database refuses one are recorded but for that one", async () => {
    const ids = await launched(4);
    await sql`create function refuse_one() returns trigger language plpgsql as $$
      begin
        if new.state = 'active' and new.name = 'refused' then raise exception 'not this one'; end if;
        return new;
      end $$`.execute(world.db);
    await sql`create trigger refuse_one before update on instances for each row execute function refuse_one()`.execute(
      world.db,
    );
    try {
      await world.db
        .updateTable("instances")
        .set({ name: "refused" })
        .where("id", "=", ids[1] ?? "")
        .execute();
      const all = await Promise.allSettled(ids.map((id) => facts.record(ready(id))));
      expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
      expect((await events("instance.active")).length).toBe(3);
    } finally {
      await sql`drop trigger refuse_one on instances; drop function refuse_one`.execute(world.db);
    }
  });
});

it("many servers' facts, launches and terminations at once leave books that agree", async () => {
  const random = seeded();
  const other = connect(world.config);
  try {
    const queues = [facts, new ObservationQueue(other)];
    let ids = await launched(20);
    for (let round = 0; round < 6; round++) {
      const ending = ids.filter(() => random.below(2) === 0);
      for (const principal of principals) {
        const own = await world.db
          .selectFrom("instances")
          .select("id")
          .where("account_id", "=", principal.accountId)
          .where(sql<boolean>`id = any(${ending}::uuid[])`)
          .execute();
        if (own.length > 0)
          await world.change(
            principal,
            "terminate",
            own.map(({ id }) => id),
          );
      }
      const work: Promise<unknown>[] = ids.map((id) => {
        return random.one(queues).record(ending.includes(id) ? removed(id) : ready(id));
      });
      for (let n = 0; n < ending.length; n++) {
        const principal = random.one(principals);
        work.push(
          inTransaction(other, (tx) => launch(tx, world.service, principal, launchOrder({ instanceType: type }))),
        );
      }
      const settled = await Promise.allSettled(work);
      const unforeseen = settled.filter((one) => one.status === "rejected").map(({ reason }) => String(reason));
      expect(
        unforeseen.filter((one) => !one.includes("insufficient-capacity")),
        `seed ${random.seed}`,
      ).toEqual([]);
      await auditCapacity(world.db);
      ids = [...(await states())].filter(([, state]) => state !== "terminated").map(([id]) => id);
    }
  } finally {
    await other.destroy();
  }
});
