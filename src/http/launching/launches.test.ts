// Launches that come at the same time, over real connections: each gets its own instances or its own refusal, once, and is
// told once. What happens when a transaction or the database fails is in launches-failures.test.ts.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { RunningHttp } from "../../../test/support/http.ts";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import {
  type Customer,
  codeOf,
  idsOf,
  inProgress,
  isTold,
  launchesOfFile,
  statusesOf,
  times,
  untilTold,
} from "../../../test/support/launches-at-once.ts";
import { connect } from "../../database/connect.ts";

const fixture = launchesOfFile();
const { world, launch, instances, perTransaction, atOnce, arrived } = fixture;
let http: RunningHttp;
let small: string;
let one: Customer;
beforeEach(() => {
  ({ http, small, one } = fixture);
});

describe("many launches at once", () => {
  it("are each answered with their own instances, all of which are there", async () => {
    const customers = [one, await http.customer(), await http.customer({ principal: one.principal })];
    const wanted = times(90, (n) => ({
      as: customers[n % 3] ?? one,
      name: `box-${n}`,
      quantity: n % 10 === 0 ? 3 : 1,
    }));
    const answers = await atOnce(wanted.map((each) => () => launch(each)));
    expect(new Set(statusesOf(answers))).toEqual(new Set([200]));

    const made = await instances();
    expect(new Set(made.map(({ id }) => id)).size).toBe(9 * 3 + 81);
    expect(answers.flatMap(idsOf).toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    for (const [n, answer] of answers.entries()) {
      const { as = one, name, quantity } = wanted[n] ?? {};
      const mine = made.filter(({ id }) => idsOf(answer).includes(id));
      expect(mine).toHaveLength(quantity ?? 0);
      for (const row of mine) {
        // Several of one launch are told apart by their names.
        expect(row).toMatchObject({ account_id: as.principal.accountId, token_id: as.tokenId });
        expect(row.name.startsWith(name ?? "?")).toBe(true);
      }
    }
    const groups = await perTransaction();
    expect(groups.length).toBeLessThan(20);
    expect(Math.max(...groups)).toBeLessThanOrEqual(64);
  });

  it("may come through all interfaces, and each gets its own kind of answer", async () => {
    const send = (path: string, body: object) => () => http.call("POST", path, { token: one.token, body });
    const named = { instance_type_name: small, region_name: "any", ssh_key_names: [] };
    const answers = await atOnce(
      times(10, (n) => [
        () => launch({ name: `m-${n}` }),
        send(`${http.direct}/instance/launch`, { productName: small, regionName: "any", instanceName: `d-${n}` }),
        send(`${http.reference}/instance-operations/launch`, { ...named, name: `r-${n}` }),
        send(`${http.lambda}/instance-operations/launch`, { ...named, name: `l-${n}` }),
        send(`${http.control}/instances`, { instance_type: small, name: `c-${n}` }),
      ]).flat(),
    );
    const ids = new Map((await instances()).map(({ id, name }) => [name, id]));
    expect(ids.size).toBe(50);
    const expected = times(10, (n) => [
      { data: { uuid: ids.get(`m-${n}`), uuids: [ids.get(`m-${n}`)] } },
      { response: ids.get(`d-${n}`) },
      { data: { instance_ids: [ids.get(`r-${n}`)] } },
      { data: { instance_ids: [ids.get(`l-${n}`)] } },
      { data: [expect.objectContaining({ id: ids.get(`c-${n}`), name: `c-${n}`, status: "booting" })] },
    ]).flat();
    expect(answers.map(({ body }) => body)).toEqual(expected);
    expect(Math.max(...(await perTransaction()))).toBeGreaterThan(1);
  });

  it("need not wait for each other: one alone is done at once", async () => {
    expect((await launch()).status).toBe(200);
    expect(await perTransaction()).toEqual([1]);
  });

  it("may have one that is as large as is allowed among them", async () => {
    const answers = await atOnce([...times(5, () => () => launch()), () => launch({ quantity: 64 }), () => launch()]);
    expect(statusesOf(answers)).toEqual(times(7, () => 200));
    expect(answers.map((answer) => idsOf(answer).length)).toEqual([1, 1, 1, 1, 1, 64, 1]);
  });

  it("are told only when they are durable: what is answered is seen by everybody", async () => {
    // Each commit waits for this lock.
    await sql`create function wait_late() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(4711); return null; end $$`.execute(world.db);
    await sql`create constraint trigger wait_late after insert on instances deferrable initially deferred
      for each row execute function wait_late()`.execute(world.db);
    onTestFinished(async () => void (await sql`drop function wait_late cascade`.execute(world.db)));
    const other = connect({ ...world.config, maxConnections: 4 });
    onTestFinished(() => other.destroy());
    await using lock = await begin(world.db);
    await sql`select pg_advisory_xact_lock(4711)`.execute(lock.tx);

    let told = 0;
    const launches = times(20, () => async () => {
      const answer = await launch();
      told++;
      const seen = await other
        .selectFrom("instances")
        .select("id")
        .where("id", "=", any(idsOf(answer)))
        .execute();
      expect(seen).toHaveLength(1);
      return answer;
    });
    const answers = await arrived(launches);
    await untilWaiting(world.db);
    expect(told).toBe(0);
    expect(await instances()).toEqual([]);
    await lock.rollback();
    expect(statusesOf(await Promise.all(answers))).toEqual(times(20, () => 200));
  });

  const any = (ids: string[]) => sql<string>`any(${ids}::uuid[])`;
});

describe("launches of which some are refused", () => {
  it("get each its own refusal, and the others go through", async () => {
    const poor = await http.customer({ principal: await world.account({ quotas: { instances: 2 } }) });
    const answers = await atOnce([
      () => launch({ name: "a" }),
      () => launch({ type: "none" }),
      () => launch({ quantity: 65 }),
      () => launch({ as: poor, quantity: 3 }),
      () => launch({ name: "b" }),
      () => launch({ name: "not\nallowed" }),
      () => launch({ as: poor, quantity: 2 }),
      () => launch({ as: poor }),
      () => launch({ name: "c" }),
    ]);
    expect(statusesOf(answers).filter((status) => status === 200)).toHaveLength(4);
    const [a, none, tooMany, overQuota, b, badName, , , c] = answers;
    expect([a, b, c].map((answer) => answer?.status)).toEqual([200, 200, 200]);
    expect(none?.text).toContain("none");
    for (const refused of [none, tooMany, badName]) {
      expect([refused?.status, refused?.text]).toEqual([
        expect.toSatisfy((status) => status >= 400 && status < 500),
        expect.any(String),
      ]);
    }
    expect(overQuota?.text).toContain("quota");
    // Of the two that fit only one at a time, whichever came second.
    expect(answers.slice(6, 8).filter(isTold)).toHaveLength(1);
    expect((await instances()).map(({ name }) => name)).toEqual(expect.arrayContaining(["a", "b", "c"]));
    expect(await instances()).toHaveLength(answers.filter(isTold).flatMap(idsOf).length);
  });

  it("may have some without room among them, which hold nothing and keep nobody out", async () => {
    await world.host({ gpus: 8, vcpus: 100, memoryGib: 1000, storageGb: 10_000 });
    const gpu = (await world.product({ gpus: 1 })).name;
    const huge = (await world.product({ gpus: 64, vcpus: 1 })).name;
    const answers = await atOnce(
      times(36, (n) => () => launch({ type: [small, gpu, huge][n % 3] ?? small, name: `box-${n}` })),
    );
    const of = (kind: number) => answers.filter((_, n) => n % 3 === kind);
    expect(of(0).every(isTold)).toBe(true);
    expect(of(1).filter(isTold)).toHaveLength(8);
    const refused = [...of(1), ...of(2)].filter((answer) => !isTold(answer));
    expect(refused).toHaveLength(4 + 12);
    expect(new Set(refused.map(codeOf))).toEqual(new Set(["instance-operations/launch/insufficient-capacity"]));
    expect(await instances()).toHaveLength(20);
  });
});

describe("launches with one Idempotency-Key at once", () => {
  it("are one launch: each is told its answer, or to come back for it", async () => {
    const [others, key] = [times(10, (n) => () => launch({ name: `other-${n}` })), "same"];
    const same = times(20, () => () => launch({ name: "once", key }));
    const answers = (await atOnce([...same, ...others])).slice(0, 20);
    const told = answers.filter(isTold);
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told.map(({ text }) => text)).size).toBe(1);
    expect(told.filter(({ headers }) => headers.get("idempotency-replayed") === null)).toHaveLength(1);
    for (const answer of answers.filter((each) => !isTold(each))) {
      expect([answer.status, codeOf(answer), answer.headers.get("retry-after")]).toEqual([409, inProgress, "1"]);
    }
    expect((await instances()).filter(({ name }) => name === "once")).toHaveLength(1);
    expect(await instances()).toHaveLength(11);
    // The repetitions keep nobody from going together with others.
    expect(Math.max(...(await perTransaction()))).toBeGreaterThan(1);
    const again = await launch({ name: "once", key });
    expect([again.text, again.headers.get("idempotency-replayed")]).toEqual([told[0]?.text, "true"]);
  });

  it("are refused where they ask for something else, whichever comes first, and one goes through", async () => {
    const answers = await atOnce(times(12, (n) => () => launch({ name: `this-${n % 2}`, key: "reused" })));
    const [first] = await instances();
    expect(await instances()).toHaveLength(1);
    for (const [n, answer] of answers.entries()) {
      if (isTold(answer)) expect([`this-${n % 2}`, idsOf(answer)]).toEqual([first?.name, [first?.id]]);
      else expect(["idempotency/key-reused", inProgress]).toContain(codeOf(answer));
    }
    const late = await Promise.all(times(2, (n) => untilTold(() => launch({ name: `this-${n}`, key: "reused" }))));
    expect(late.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    expect(await instances()).toHaveLength(1);
  });

  it("are launches of their own for each account", async () => {
    const customers = [one, await http.customer(), await http.customer()];
    const answers = await atOnce(times(9, (n) => () => launch({ as: customers[n % 3] ?? one, key: "of-all" })));
    expect(new Set(answers.filter(isTold).flatMap(idsOf)).size).toBe(3);
    expect((await instances()).map(({ account_id }) => account_id).toSorted()).toEqual(
      customers.map(({ principal }) => principal.accountId).toSorted(),
    );
  });

  it("are answered from memory beside new ones", async () => {
    const first = await launch({ key: "known" });
    const answers = await atOnce(times(12, (n) => () => launch(n % 2 === 0 ? { key: "known" } : { key: `new-${n}` })));
    const [known, fresh] = [answers.filter((_, n) => n % 2 === 0), answers.filter((_, n) => n % 2 === 1)];
    for (const answer of known) if (isTold(answer)) expect(answer.text).toBe(first.text);
    expect(
      known
        .filter((answer) => !isTold(answer))
        .map(codeOf)
        .filter((code) => code !== inProgress),
    ).toEqual([]);
    expect(fresh.every((answer) => isTold(answer) && answer.headers.get("idempotency-replayed") === null)).toBe(true);
    expect(await instances()).toHaveLength(7);
  });
});

describe("the audit log and the events of launches at once", () => {
  it("tell each launch once, by its own request and token", async () => {
    const customers = [one, await http.customer(), await http.customer({ principal: one.principal })];
    const wanted = times(45, (n) => ({
      as: customers[n % 3] ?? one,
      quantity: n % 9 === 0 ? 2 : 1,
      requestId: randomUUID(),
      ...(n % 2 === 0 ? { key: `key-${n}` } : {}),
      ...(n % 5 === 4 ? { type: "none" } : {}),
    }));
    const answers = await atOnce(wanted.map((each) => () => launch(each)));

    const log = await world.db.selectFrom("audit_log").selectAll().execute();
    expect(log).toHaveLength(45);
    const entries = new Map(log.map((entry) => [entry.request_id, entry]));
    for (const [n, answer] of answers.entries()) {
      const { as, requestId } = wanted[n] ?? { as: one, requestId: "" };
      expect(answer.headers.get("x-request-id")).toBe(requestId);
      const entry = entries.get(requestId);
      expect(entry).toMatchObject({
        account_id: as.principal.accountId,
        token_id: as.tokenId,
        operation: "launchInstances",
        status: answer.status,
        result: n % 5 === 4 ? "refused" : "done",
      });
      if (isTold(answer)) expect(entry?.objects).toEqual(expect.arrayContaining(idsOf(answer)));
    }

    const events = await world.db
      .selectFrom("events")
      .select(["subject_id", "account_id", "type"])
      .where("type", "like", "instance.%")
      .execute();
    const owners = (await instances()).map(({ id, account_id }) => ({ subject_id: id, account_id }));
    const bySubject = (a: { subject_id: string }, b: { subject_id: string }) => (a.subject_id < b.subject_id ? -1 : 1);
    expect(events.map(({ type: _, ...rest }) => rest).toSorted(bySubject)).toEqual(owners.toSorted(bySubject));
    expect(new Set(events.map(({ type }) => type)).size).toBe(1);
  });
});
