// Launches that come at the same time while one of them fails, the database is unreachable, or an account stays locked: the
// others go through, and nothing is launched twice.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import pg from "pg";
import { beforeEach, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { call, type RunningHttp } from "../../../test/support/http.ts";
import { begin } from "../../../test/support/interleave.ts";
import { type Customer, launchesOfFile, statusesOf, times, untilTold } from "../../../test/support/launches-at-once.ts";
import { connect } from "../../database/connect.ts";

const fixture = launchesOfFile();
const { world, launch, instances, atOnce, accountsLocked, arrived } = fixture;
let http: RunningHttp;
let one: Customer;
beforeEach(() => {
  ({ http, one } = fixture);
});

describe("a launch whose transaction fails by something that lies in it", () => {
  /** Lets the launch that is called "bad" fail, at its insert or at its commit. */
  async function refuseBad(timing: string): Promise<void> {
    await sql`create function refuse_bad() returns trigger language plpgsql as
      $$ begin if new.name = 'bad' then raise exception 'a bad one'; end if; return null; end $$`.execute(world.db);
    await sql`create constraint trigger refuse_bad after insert on instances deferrable ${sql.raw(timing)}
      for each row execute function refuse_bad()`.execute(world.db);
    onTestFinished(async () => void (await sql`drop function refuse_bad cascade`.execute(world.db)));
  }

  it.each(["initially immediate", "initially deferred"])("fails alone (%s): the others go through", async (timing) => {
    await refuseBad(timing);
    const wanted = times(30, (n) => ({
      name: n % 10 === 5 ? "bad" : `good-${n}`,
      key: `key-${n}`,
      requestId: randomUUID(),
    }));
    const answers = await atOnce(wanted.map((each) => () => launch(each)));
    expect(statusesOf(answers)).toEqual(wanted.map(({ name }) => (name === "bad" ? 500 : 200)));
    const good = wanted.filter(({ name }) => name !== "bad").map(({ name }) => name);
    expect((await instances()).map(({ name }) => name).toSorted()).toEqual(good.toSorted());
    const log = await world.db.selectFrom("audit_log").select(["request_id", "result"]).execute();
    const results = new Map(log.map(({ request_id, result }) => [request_id, result]));
    expect(log).toHaveLength(30);
    expect(wanted.map(({ requestId }) => results.get(requestId))).toEqual(
      wanted.map(({ name }) => (name === "bad" ? "failed" : "done")),
    );
    // Its key was not used.
    await sql`drop function refuse_bad cascade`.execute(world.db);
    await sql`create function refuse_bad() returns void language sql as ''`.execute(world.db);
    const again = await launch(wanted[5]);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, null]);
  });
});

describe("launches while the database is away", () => {
  it("are all told so, and are launched once when they are asked for again", async () => {
    const wanted = times(25, (n) => ({ name: `box-${n}`, key: `away-${n}` }));
    const { rows: databases } = await sql<{ name: string }>`select current_database() as name`.execute(world.db);
    const name = databases[0]?.name ?? "";
    const admin = connect({ url: inject("postgres").adminUrl, maxConnections: 1 });
    onTestFinished(() => admin.destroy());
    await using lock = await accountsLocked();
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(lock.tx);
    const answers = await arrived(wanted.map((each) => () => launch(each)));

    await sql`alter database ${sql.id(name)} allow_connections false`.execute(admin);
    // The lock last: its end would let those go on that wait for it.
    for (const which of [sql`pid <> ${rows[0]?.pid}`, sql`true`]) {
      await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = ${name} and ${which}`.execute(admin);
    }
    const away = await Promise.all(answers);
    await lock.rollback().catch(() => {}); // over with its connection
    await sql`alter database ${sql.id(name)} allow_connections true`.execute(admin);
    expect(statusesOf(away)).toEqual(wanted.map(() => 503));
    expect(away.map(({ headers }) => headers.get("retry-after"))).not.toContain(null);

    const told = await Promise.all(wanted.map((each) => untilTold(() => launch(each))));
    expect(statusesOf(told)).toEqual(wanted.map(() => 200));
    const again = await Promise.all(wanted.map((each) => untilTold(() => launch(each))));
    expect(again.map(({ text }) => text)).toEqual(told.map(({ text }) => text));
    expect((await instances()).map((row) => row.name).toSorted()).toEqual(wanted.map((each) => each.name).toSorted());
  });

  it("whose commit is done and not heard of are told so, and nothing is launched a second time", async () => {
    const query = pg.Client.prototype.query;
    // One of its many overloads: what src/database/ gives, and what it gets.
    const unheard = function (this: pg.Client, config: pg.QueryConfig) {
      const answer: Promise<unknown> = Reflect.apply(query, this, [config]);
      if (config.text !== "commit") return answer;
      return answer.then(() => {
        this.connection.stream.destroy();
        throw new Error("Connection terminated unexpectedly");
      });
    };
    vi.spyOn(pg.Client.prototype, "query").mockImplementation(unheard as never);
    // Without a key nothing but the server itself keeps them from being done twice.
    const answers = await atOnce(times(20, (n) => () => launch({ name: `box-${n}` })));
    vi.restoreAllMocks();
    expect(statusesOf(answers)).toEqual(times(20, () => 503));
    // Some may have met the lock in their transaction, which then had nothing to commit.
    const names = (await instances()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(1);
    expect(new Set(names).size).toBe(names.length);
  });

  it("or of which some lose their connection, are one launch each for who asks until told", async () => {
    const wanted = times(60, (n) => ({ name: `box-${n}`, key: `cut-${n}` }));
    let done = 0;
    const all = Promise.all(wanted.map((each) => untilTold(() => launch(each)).finally(() => done++)));
    const admin = connect({ ...world.config, maxConnections: 1 });
    onTestFinished(() => admin.destroy());
    for (let cut = 0; cut < 6 && done < wanted.length; cut++) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`.execute(admin);
      await launch({ type: "none" }).catch(() => {}); // so much later
    }
    expect(statusesOf(await all)).toEqual(wanted.map(() => 200));
    expect((await instances()).map((row) => row.name).toSorted()).toEqual(wanted.map((each) => each.name).toSorted());
  });
});

it("an account that somebody keeps locked keeps only its own launches waiting", async () => {
  const other = await http.customer();
  await using open = await begin(world.db);
  await sql`select from accounts where id = ${one.principal.accountId} for update`.execute(open.tx);
  const stuck = launch({ name: "stuck" });
  const [first, second] = await Promise.all(["a", "b"].map((name) => launch({ as: other, name })));
  expect([first?.status, second?.status]).toEqual([200, 200]);
  expect((await instances()).map(({ name }) => name).toSorted()).toEqual(["a", "b"]);
  await open.commit();
  expect((await stuck).status).toBe(200);
});

it("an account that stays locked is told to come back, and keeps no connection from anybody", async () => {
  const other = await http.customer();
  await using open = await begin(world.db);
  await sql`select from accounts where id = ${one.principal.accountId} for update`.execute(open.tx);
  const stuck = times(30, (n) => launch({ name: `stuck-${n}` }));
  const began = performance.now();
  for (const name of ["a", "b", "c"]) expect((await launch({ as: other, name })).status).toBe(200);
  expect((await call("GET", `${http.control}/instances`, { token: other.token })).status).toBe(200);
  expect(performance.now() - began).toBeLessThan(3000);
  expect(statusesOf(await Promise.all(stuck))).toEqual(times(30, () => 503));
  await open.rollback();
  expect((await instances()).map(({ name }) => name).toSorted()).toEqual(["a", "b", "c"]);
  expect((await launch()).status).toBe(200);
});
