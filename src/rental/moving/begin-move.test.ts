// Which moves begin, what they reserve, and which are rejected before anything is touched.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { begin as beginTransaction, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { type Launched, stageOfFile } from "../../../test/support/stage.ts";
import { isMovable, states, statesWhere } from "../../rules/lifecycle.ts";
import { readHost } from "../capacity/host-reading.ts";
import { removeHost } from "../capacity/host-store.ts";
import { beginMove, type MoveOrder } from "./begin-move.ts";
import { emptyHosts } from "./empty-hosts.ts";
import { moveOf } from "./move-store.ts";

const stage = stageOfFile();

let source: string;
let one: Launched;
beforeEach(async () => {
  source = await stage.host({ gpus: 2 });
  one = await stage.launchOne();
  await enter(one, "stopped");
});

async function enter({ id }: Launched, state: string): Promise<void> {
  const [ending, ended] = ["terminating", "terminated"].map(
    (word, place) => state === word || (place === 0 && state === "terminated"),
  );
  await sql`
    update instances set state = ${state}, next_look_at = null,
      terminating_at = case when ${ending} then now() end, ended_by = case when ${ending} then 'customer' end,
      terminated_at = case when ${ended} then now() end
    where id = ${id}`.execute(stage.db);
}

async function move(id: string, order: Partial<MoveOrder> = {}, able = ["simulated"]) {
  const { capacity } = stage.world.service;
  await capacity.refresh();
  const service = { capacity, enginesThatMove: () => new Set(able) };
  return stage.world.tx((tx) => beginMove(tx, service, id, { host: undefined, reason: undefined, by: null, ...order }));
}

const drain = (engines = ["simulated"]) => emptyHosts(stage.db, new Set(engines), new AbortController().signal);

describe("a move that begins", () => {
  it("reserves capacity on the best other host of the region, and wakes the reconciler", async () => {
    await stage.host({ gpus: 8, region: "south" });
    const target = await stage.host({ gpus: 1 });
    const { accountId: by } = await stage.world.account();
    await move(one.id, { reason: "Fans", by });
    expect(await moveOf(stage.db, one.id)).toMatchObject({
      from: source,
      to: target,
      phase: "copying",
      copiedBytes: 0,
      totalBytes: 0,
      reason: "Fans",
      failure: null,
    });
    const host = await readHost(stage.db, target);
    expect([host.instances, host.gpus.map(({ heldBy }) => heldBy)]).toEqual([1, [one.id]]);
    expect(host.freeVcpus).toBe(64 - (await stage.row(one.id)).vcpus);
    expect((await stage.row(one.id)).next_look_at).not.toBeNull();
    expect((await stage.row(one.id)).host).toBe(source);
    await auditCapacity(stage.db);
  });

  it("that is repeated changes nothing; to another host, it is rejected", async () => {
    const target = await stage.host({ gpus: 1 });
    const other = await stage.host({ gpus: 1 });
    await move(one.id, { host: target });
    await changingNothing(stage.db, async () => {
      await move(one.id, { host: target });
      await move(one.id);
      await refusal("conflict", move(one.id, { host: other }));
      await refusal("conflict", move(one.id, { host: source }));
    });
  });

  it("to the host that it is on changes nothing", async () => {
    await changingNothing(stage.db, () => move(one.id, { host: source }));
  });

  it("keeps its new host from being deleted", async () => {
    const target = await stage.host({ gpus: 1 });
    await move(one.id);
    await changingNothing(stage.db, async () => {
      const { message } = await refusal(
        "conflict",
        stage.world.tx((tx) => removeHost(tx, target)),
      );
      expect(message).toBe(`Host ${target} holds 1 instance.`);
    });
  });

  it("of two to the last capacity is one; the other waits for it, and is rejected", async () => {
    const target = await stage.host({ gpus: 1 });
    const other = await stage.launchOne();
    await enter(other, "stopped");
    await sql`update hosts set mode = 'up'`.execute(stage.db);
    await using first = await beginTransaction(stage.db);
    const order = { host: target, reason: undefined, by: null };
    await stage.world.service.capacity.refresh();
    await beginMove(first.tx, stage.world.service, one.id, order);
    const second = move(other.id, { host: target });
    await untilWaiting(stage.db);
    await first.commit();
    expect(await refusal("insufficient-capacity", second)).toMatchObject({ move: { host: target } });
    await auditCapacity(stage.db);
  });
});

describe("a move is rejected, and nothing is touched,", () => {
  const rejected = async (kind: Parameters<typeof refusal>[0], attempt: () => Promise<unknown>) => {
    let details: unknown;
    await changingNothing(stage.db, async () => {
      details = await refusal(kind, attempt());
    });
    return details;
  };

  it.each(states.filter((state) => !isMovable[state]))("of an instance that is %s", async (state) => {
    await stage.host({ gpus: 1 });
    await enter(one, state);
    expect(await rejected("conflict", () => move(one.id))).toMatchObject({
      message: `Only a stopped instance can be moved; ${one.id} is ${state}.`,
    });
  });

  it("for no instance, no host, or a reason that is none", async () => {
    await rejected("unknown-object", () => move("0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d"));
    await rejected("unknown-name", () => move(one.id, { host: "nowhere" }));
    await rejected("invalid-parameters", () => move(one.id, { reason: "two\nlines" }));
  });

  it("if no other host has capacity, or not the one that is named", async () => {
    expect(await rejected("insufficient-capacity", () => move(one.id))).toMatchObject({ move: { host: undefined } });
    const small = await stage.host({ gpus: 0 });
    expect(await rejected("insufficient-capacity", () => move(one.id, { host: small }))).toMatchObject({
      move: { host: small },
    });
  });

  it("to a host of another region or engine, or one that accepts no instances", async () => {
    const south = await stage.host({ gpus: 1, region: "south" });
    const cordoned = await stage.host({ gpus: 1 });
    const foreign = await stage.host({ gpus: 1 });
    await sql`update hosts set mode = 'cordoned' where name = ${cordoned}`.execute(stage.db);
    await sql`update hosts set engine = 'other' where name = ${foreign}`.execute(stage.db);
    for (const host of [south, cordoned, foreign]) await rejected("conflict", () => move(one.id, { host }));
  });

  it("from a host that is not reached, and of an engine that cannot move", async () => {
    await stage.host({ gpus: 1 });
    await rejected("conflict", () => move(one.id, {}, []));
    await sql`update hosts set unreachable_since = now() where name = ${source}`.execute(stage.db);
    await rejected("conflict", () => move(one.id));
  });

  it("of an instance with a file system on its host's own storage; one on shared storage moves", async () => {
    await stage.host({ gpus: 1 });
    const { name } = await stage.world.fileSystem(one.principal, { region: "north" });
    await sql`
      update file_systems set engine = 'simulated', host = ${source}, attached_to = array[${one.id}::uuid]
      where name = ${name}`.execute(stage.db);
    expect(await rejected("conflict", () => move(one.id))).toMatchObject({ message: expect.stringContaining(name) });
    await sql`update file_systems set host = null where name = ${name}`.execute(stage.db);
    await move(one.id);
  });
});

describe("a host that is drained by moving", () => {
  const drained = (host: string, how: string | null) =>
    sql`update hosts set mode = 'draining', drain_mode = ${how}, mode_reason = 'PSU' where name = ${host}`.execute(
      stage.db,
    );

  it("loses its stopped instances, each once, and not those that run", async () => {
    const running = await stage.launchOne();
    await enter(running, "active");
    await stage.host({ gpus: 2 });
    await drained(source, "move");
    expect([await drain(), await drain()]).toEqual([1, 0]);
    expect(await moveOf(stage.db, one.id)).toMatchObject({ from: source, reason: "PSU" });
    await enter(running, "stopped");
    expect(await drain()).toBe(1);
    await auditCapacity(stage.db);
  });

  it("keeps those for which there is no capacity, until there is", async () => {
    const two = await stage.launchOne();
    await enter(two, "stopped");
    await stage.host({ gpus: 1 });
    await drained(source, "move");
    expect([await drain(), await drain()]).toEqual([1, 0]);
    await stage.host({ gpus: 1 });
    expect(await drain()).toBe(1);
  });

  it("loses what can move, however many before it cannot", async () => {
    const second = await stage.host({ gpus: 2 });
    const others = [await stage.launchOne(), await stage.launchOne(), await stage.launchOne()];
    for (const other of others) await enter(other, "stopped");
    const [held, foreign, last] = others;
    const { name } = await stage.world.fileSystem(one.principal, { region: "north" });
    await sql`
      update file_systems set engine = 'simulated', host = ${source}, attached_to = array[${held?.id}::uuid]
      where name = ${name}`.execute(stage.db);
    // Of the same type and region, and no host of its engine has capacity.
    await sql`update instances set engine = 'other' where id in (${one.id}, ${foreign?.id})`.execute(stage.db);
    await stage.host({ gpus: 8 });
    for (const host of [source, second]) await drained(host, "move");
    const drainTwo = () => emptyHosts(stage.db, new Set(["simulated", "other"]), new AbortController().signal, 2);
    expect([await drainTwo(), await drainTwo()]).toEqual([1, 0]);
    expect(await moveOf(stage.db, last?.id ?? "")).toMatchObject({ phase: "copying" });
  });

  it("keeps those that a move failed for, which an operator has to look at", async () => {
    const target = await stage.host({ gpus: 1 });
    await drained(source, "move");
    await sql`
      insert into moves (instance_id, from_host, to_host, phase, failure_code, failure_message)
      values (${one.id}, ${source}, ${target}, 'failed', 'x', 'X.')`.execute(stage.db);
    expect(await drain()).toBe(0);
    await move(one.id);
    expect(await moveOf(stage.db, one.id)).toMatchObject({ phase: "copying", failure: null });
  });

  it.each([["wait"], [null]])("with the mode %s keeps all", async (how) => {
    await stage.host({ gpus: 1 });
    await drained(source, how);
    expect(await drain()).toBe(0);
  });

  it("of an engine that cannot move, or that is not reached, keeps all", async () => {
    await stage.host({ gpus: 1 });
    await drained(source, "move");
    expect(await drain([])).toBe(0);
    await sql`update hosts set available = false where name = ${source}`.execute(stage.db);
    expect(await drain()).toBe(0);
  });
});

it("can be moved in each state that lasts and in which nothing runs", () => {
  expect(statesWhere(isMovable)).toEqual(["stopped"]);
});
