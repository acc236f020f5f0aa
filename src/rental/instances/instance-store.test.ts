// Which instances a customer, and an operator, gets to see: lists, filters, pages, and how long a terminated one stays.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { isLive, type State, states, statesWhere } from "../../rules/lifecycle.ts";
import type { Principal } from "../service.ts";
import type { InstanceType } from "./instance.ts";
import { type InstanceFilter, list, listAll, read, readAny } from "./instance-store.ts";

const world = worldOfFile({ terminatedVisibleSeconds: 3600, terminatedReadableDays: 30 });
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  for (const region of ["north", "south"]) {
    await world.host({ region, vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  }
  product = await world.product({ gpus: 0 });
});

async function launched(spec: { state?: State; region?: string; principal?: Principal } = {}): Promise<string> {
  const order = { instanceType: product.name, region: spec.region ?? "north" };
  const { id } = await world.launchOne(spec.principal ?? principal, order);
  if (spec.state !== undefined) await world.put(id, spec.state);
  return id;
}

const idsOf = async (filter: Partial<InstanceFilter> = {}) =>
  (await list(world.db, world.service, principal, { live: false, ...filter })).map((one) => one.id);

/** What a page goes on after. */
const positionOf = async (id = "") => `${(await readAny(world.db, id)).position}`;

describe("the list", () => {
  it("has the account's own instances only, oldest first", async () => {
    const own = [await launched(), await launched(), await launched()];
    await launched({ principal: await world.account() });
    expect(await idsOf()).toEqual(own);
  });

  it("has every state; the list of live ones leaves out what is being, or is, terminated", async () => {
    for (const state of states) await launched({ state });
    const statesOf = async (live: boolean) =>
      (await list(world.db, world.service, principal, { live })).map((one) => one.state);
    expect(await statesOf(false)).toEqual([...states]);
    expect(await statesOf(true)).toEqual(statesWhere(isLive));
  });

  it("can be filtered by states", async () => {
    const ids = new Map<State, string>();
    for (const state of states) ids.set(state, await launched({ state }));
    expect(await idsOf({ states: ["active", "stopped"] })).toEqual([ids.get("active"), ids.get("stopped")]);
    expect(await idsOf({ states: ["terminated"], live: true })).toEqual([]);
    expect(await idsOf({ states: [] })).toEqual([]);
  });

  it("can be filtered by region", async () => {
    const [north, south] = [await launched(), await launched({ region: "south" })];
    expect(await idsOf({ region: "south" })).toEqual([south]);
    expect(await idsOf({ region: "north" })).toEqual([north]);
    await expect(idsOf({ region: "nowhere" })).rejects.toMatchObject({ kind: "unknown-name" });
  });

  it("is paged: every instance once, also while new ones come and old ones go", async () => {
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await launched());
    const first = await idsOf({ limit: 2 });
    expect(first).toEqual(ids.slice(0, 2));
    await world.put(ids[0] ?? "", "terminated");
    ids.push(await launched());
    const second = await idsOf({ limit: 2, after: await positionOf(first.at(-1)) });
    const third = await idsOf({ limit: 9, after: await positionOf(second.at(-1)) });
    expect([...first, ...second, ...third]).toEqual(ids);
    expect(await idsOf({ after: await positionOf(ids.at(-1)) })).toEqual([]);
  });

  it("pages what the filters leave", async () => {
    const south = [];
    for (let n = 0; n < 3; n++) {
      await launched();
      south.push(await launched({ region: "south" }));
    }
    const first = await idsOf({ region: "south", limit: 2 });
    const after = await positionOf(first.at(-1));
    expect([...first, ...(await idsOf({ region: "south", after, limit: 2 }))]).toEqual(south);
  });
});

describe("a terminated instance", () => {
  it("stays on the list for an hour", async () => {
    const id = await launched({ state: "terminated" });
    await travel(world.db, "59 minutes");
    expect(await idsOf()).toEqual([id]);
    await travel(world.db, "2 minutes");
    expect(await idsOf()).toEqual([]);
  });

  it("stays on the list as long as it is only terminating, however long that takes", async () => {
    const id = await launched({ state: "terminating" });
    await travel(world.db, "3 days");
    expect(await idsOf()).toEqual([id]);
  });

  it("is found by id for 30 days", async () => {
    const id = await launched({ state: "terminated" });
    await travel(world.db, "29 days 23 hours");
    expect((await read(world.db, world.service, principal, id)).state).toBe("terminated");
    await travel(world.db, "2 hours");
    expect(await refusal("unknown-object", read(world.db, world.service, principal, id))).toEqual({
      what: "instance",
      ids: [id],
    });
    await refusal("unknown-object", world.change(principal, "terminate", [id]));
  });

  it("is there for operators as long as its row is kept", async () => {
    const id = await launched({ state: "terminated" });
    await travel(world.db, "1 year");
    expect((await readAny(world.db, id)).id).toBe(id);
    expect((await listAll(world.db, {})).map((one) => one.id)).toEqual([id]);
  });
});

describe("a single read", () => {
  it("takes the id with or without dashes, in either case", async () => {
    const id = await launched();
    for (const written of [id, id.toUpperCase(), id.replaceAll("-", "")]) {
      expect((await read(world.db, world.service, principal, written)).id).toBe(id);
    }
  });

  it("of another account's instance is like one of an id that nothing has, and like what is no id", async () => {
    const foreign = await launched({ principal: await world.account() });
    for (const id of [foreign, "0198c0de-0000-7000-8000-000000000000", "nonsense", ""]) {
      expect(await refusal("unknown-object", read(world.db, world.service, principal, id))).toEqual({
        what: "instance",
        ids: [id],
      });
    }
  });
});

describe("an operator", () => {
  it("lists the instances of all accounts, or of one, filtered and paged like any list", async () => {
    const other = await world.account();
    const [mine, theirs] = [await launched(), await launched({ principal: other, region: "south" })];
    const ids = async (filter: Parameters<typeof listAll>[1]) => (await listAll(world.db, filter)).map((one) => one.id);
    expect(await ids({})).toEqual([mine, theirs]);
    expect(await ids({ accountId: other.accountId.toUpperCase() })).toEqual([theirs]);
    expect(await ids({ accountId: "nobody" })).toEqual([]);
    expect(await ids({ region: "south" })).toEqual([theirs]);
    expect(await ids({ limit: 1, after: await positionOf(mine) })).toEqual([theirs]);
  });

  it("reads any account's instance, and is told when there is none", async () => {
    const id = await launched();
    expect((await readAny(world.db, id.replaceAll("-", ""))).id).toBe(id);
    await refusal("unknown-object", readAny(world.db, "nonsense"));
  });
});

describe("an instance read from its row", () => {
  it("tells a failure with code and message, and health as it is", async () => {
    const id = await launched();
    await sql`update instances set health = 'unreachable', failure_code = 'boot-timeout', failure_message = 'It never answered.'
      where id = ${id}`.execute(world.db);
    expect(await readAny(world.db, id)).toMatchObject({
      health: "unreachable",
      failure: { code: "boot-timeout", message: "It never answered." },
    });
  });
});
