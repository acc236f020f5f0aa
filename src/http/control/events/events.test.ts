import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, nextOf, startControl } from "../../../../test/support/control.ts";
import { begin, written } from "../../../../test/support/interleave.ts";
import type { EventType } from "../../../rental/events/event-types.ts";
import { recordEvents } from "../../../rental/events/record.ts";

interface Events {
  data: { id: string; type: string; data: { name?: string } }[];
  next_cursor: string;
}

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

/** Without the events of the tokens that the tests make. */
async function read(path: string, token: string): Promise<Events> {
  const types = `${path.includes("?") ? "&" : "?"}types=ssh_key.*,instance.*`;
  const result = await control.ask("GET", `${path}${types}`, { token });
  expect(result.status, result.text).toBe(200);
  const events = result.body as Events;
  // The header goes on where the field says.
  expect(nextOf(result)).toContain(`cursor=${events.next_cursor}`);
  return events;
}

/**
 * Polls as an integrator does, from this cursor, until there were so many events. An event may show a little late: while
 * an older transaction of the database server runs, also another test's.
 */
async function poll(token: string, count: number, cursor?: string, limit = 100): Promise<Events> {
  const data: Events["data"] = [];
  let next = cursor;
  while (data.length < count) {
    const page = await read(`/events?limit=${limit}${next === undefined ? "" : `&cursor=${next}`}`, token);
    expect(page.data.length).toBeLessThanOrEqual(limit);
    data.push(...page.data);
    next = page.next_cursor;
  }
  return { data, next_cursor: next ?? "" };
}

const namesIn = (events: Events) => events.data.map((event) => event.data.name);

describe("events", () => {
  it("tell what happened to what the account owns, oldest first, and to nobody else's", async () => {
    const [mine, yours] = [await control.customer(), await control.customer()];
    const key = await control.world.sshKey(mine.principal, "one");
    await control.world.sshKey(yours.principal, "other");
    await control.world.sshKey(mine.principal, "two");
    const events = await poll(mine.token, 2);
    expect(events.data[0]).toEqual({
      id: expect.any(String),
      type: "ssh_key.created",
      timestamp: expect.stringMatching(/Z$/),
      data: { ssh_key_id: key.id, name: "one" },
    });
    expect(namesIn(events)).toEqual(["one", "two"]);
  });

  it("go on after the cursor, page by page, and once more when something happens", async () => {
    const { principal, token } = await control.customer();
    for (const name of ["a", "b", "c"]) await control.world.sshKey(principal, name);
    await poll(token, 3);
    const first = await read("/events?limit=2", token);
    expect(namesIn(first)).toEqual(["a", "b"]);
    const second = await read(`/events?limit=2&cursor=${first.next_cursor}`, token);
    expect(namesIn(second)).toEqual(["c"]);
    const end = await read(`/events?cursor=${second.next_cursor}`, token);
    expect(end).toEqual({ data: [], next_cursor: second.next_cursor, has_more: false });
    await control.world.sshKey(principal, "d");
    expect(namesIn(await poll(token, 1, end.next_cursor))).toEqual(["d"]);
  });

  it("have a cursor before the first one too", async () => {
    const { principal, token } = await control.customer();
    const before = await read("/events", token);
    expect(before.data).toEqual([]);
    await control.world.sshKey(principal, "first");
    expect(namesIn(await poll(token, 1, before.next_cursor))).toEqual(["first"]);
  });

  it("of a transaction that commits late are not passed over", async () => {
    const { principal, token } = await control.customer();
    await using late = await begin(control.world.db);
    const event = {
      accountId: principal.accountId,
      type: "instance.progress" as const,
      subjectId: principal.accountId,
    };
    await recordEvents(late.tx, [{ ...event, data: { name: "late" } }]);
    await written(late.tx);
    await control.world.sshKey(principal, "early");
    const during = await read("/events", token);
    await late.commit();
    const after = await poll(token, 2 - during.data.length, during.next_cursor);
    expect([...namesIn(during), ...namesIn(after)].sort()).toEqual(["early", "late"]);
  });

  it("are in the order of transactions as numbers, also where one has a digit more than the one before", async () => {
    const { principal, token } = await control.customer();
    for (const name of ["9", "10", "99", "100"]) {
      await control.world.sshKey(principal, name);
      await sql`update events set tx = ${name}::xid8 where account_id = ${principal.accountId} and data->>'name' = ${name}`.execute(
        control.world.db,
      );
    }
    const first = await poll(token, 2, undefined, 1);
    expect(namesIn(first)).toEqual(["9", "10"]);
    expect(namesIn(await poll(token, 2, first.next_cursor))).toEqual(["99", "100"]);
  });

  it("come at most a hundred at a time unless told", async () => {
    const { principal, token } = await control.customer();
    const event = {
      accountId: principal.accountId,
      type: "instance.progress" as const,
      subjectId: principal.accountId,
      data: {},
    };
    await control.world.tx((tx) =>
      recordEvents(
        tx,
        Array.from({ length: 1001 }, () => event),
      ),
    );
    await poll(token, 1001, undefined, 1000);
    expect((await read("/events", token)).data).toHaveLength(100);
    const most = await read("/events?limit=1000", token);
    expect(most.data).toHaveLength(1000);
    expect((await read(`/events?cursor=${most.next_cursor}`, token)).data).toHaveLength(1);
  });

  it("come by type, and of one instance", async () => {
    const { principal, token } = await control.customer();
    const { accountId } = principal;
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
    const event = (type: EventType, subjectId: string) => ({ accountId, type, subjectId, data: {} });
    await control.world.tx((tx) =>
      recordEvents(tx, [event("instance.active", one), event("instance.stopped", one), event("instance.active", two)]),
    );
    const typesOf = async (query: string) => {
      const { body } = await control.ask("GET", `/events?${query}`, { token });
      return (body as Events).data.map(({ type }) => type);
    };
    await expect.poll(() => typesOf("types=instance.*")).toHaveLength(3);
    expect(await typesOf("types=instance.active")).toEqual(["instance.active", "instance.active"]);
    expect(await typesOf("types=token.*,*.stopped")).toEqual(["token.created", "instance.stopped"]);
    expect(await typesOf(`instance_id=${one}`)).toEqual(["instance.active", "instance.stopped"]);
    expect(await typesOf(`instance_id=${two.toUpperCase()}&types=*.stopped`)).toEqual([]);
  });

  it("of all accounts are for operators, who are told whose each is", async () => {
    const [mine, yours] = [await control.customer(), await control.customer()];
    for (const { principal } of [mine, yours]) await control.world.sshKey(principal, "key");
    const accounts = async (query: string) => {
      const { body } = await control.ask("GET", `/events?types=ssh_key.*&limit=1000${query}`);
      return (body as { data: { account_id?: string }[] }).data.map(({ account_id }) => account_id);
    };
    const ids = [mine.principal.accountId, yours.principal.accountId];
    await expect.poll(async () => (await accounts("")).slice(-2)).toEqual(ids);
    expect(await accounts(`&account_id=${ids[0]}`)).toEqual([ids[0]]);
    const foreign = await control.ask("GET", `/events?account_id=${ids[1]}`, { token: mine.token });
    expect(foreign.status).toBe(403);
    const own = await control.ask("GET", `/events?account_id=${ids[0]}`, { token: mine.token });
    expect((own.body as { data: { account_id?: string }[] }).data.every((one) => one.account_id === undefined)).toBe(
      true,
    );
  });

  it.each([
    "types=",
    "types=A.b",
    "types=instnace.*",
    "types=instance.*,instance.activ",
    "types=webhook.test",
    "instance_id=training",
    "instance_id=",
    "types=*a*b*c*",
    "limit=0",
    "limit=1001",
    "limit=all",
    "cursor=x",
    "cursor=",
    "cursor=1",
    "cursor=1.2.3",
    "cursor=-1.0",
    "cursor=99999999999999999999.1",
    "cursor=1.9999999999999999999",
    "cursor=1&cursor=2",
  ])("refuse ?%s", async (query) => {
    expect((await control.ask("GET", `/events?${query}`)).status).toBe(400);
  });

  it("take the largest cursor there can be", async () => {
    const { token } = await control.customer();
    const cursor = "9999999999999999999.999999999999999999";
    expect(await read(`/events?cursor=${cursor}`, token)).toEqual({ data: [], next_cursor: cursor, has_more: false });
  });
});
