import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { untilOthersEnded } from "../../../../test/support/interleave.ts";
import { afterAction, type State, states } from "../../../rules/lifecycle.ts";

const unknown = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
const operations = ["stop", "restart", "reboot", "terminate"] as const;

let control: Control;
let mine: Awaited<ReturnType<Control["customer"]>>;
beforeAll(async () => {
  control = await startControl();
  mine = await control.customer();
  const { world } = control;
  await world.host({ name: "host-a", region: "north", gpus: 0, vcpus: 4000, memoryGib: 40_000, storageGb: 400_000 });
  await world.image({ name: "ubuntu", number: 7 });
  await world.product({ name: "cpu", gpus: 0, priceCentsPerHour: 16 });
});
afterAll(() => control.close());

async function instanceIn(state: State): Promise<string> {
  const { id } = await control.world.launchOne(mine.principal, { instanceType: "cpu" });
  if (state !== "booting") await control.world.put(id, state);
  return id;
}

const wish = (id: string, operation: string, token: string = mine.token, headers = {}) =>
  control.ask("POST", `/instances/${id}/${operation}`, { token, headers });
const withReason = (id: string, operation: string, reason: unknown, token: string = control.operator.token) =>
  control.ask("POST", `/instances/${id}/${operation}`, { token, body: { reason } });
interface ToldEvent {
  type: string;
  data: { instance_id?: string };
}
async function lastEventOf(id: string): Promise<ToldEvent | undefined> {
  await untilOthersEnded(control.world.db); // A reader sees nothing newer than the oldest running transaction.
  const events = await control.data("GET", "/events?limit=1000", { token: mine.token });
  return (events as ToldEvent[]).findLast(({ data }) => data.instance_id === id);
}
/** What a read of an instance shows its account's own token besides. */
const ofOwner = { password: null, command: null };

/** The code that each is rejected with. Where each leads is held against the decisions in lifecycle.test.ts. */
const rejections = {
  stop: "instance-operations/stop/instance-terminated",
  restart: "instance-operations/restart/instance-not-stopped",
  reboot: "global/conflict",
  terminate: "never rejected",
} as const;

describe.each(operations)("%s", (operation) => {
  it.each(states)("of one that is %s does what the table of the decisions says", async (state) => {
    const answer = await wish(await instanceIn(state), operation);
    const { data } = answer.body as { data?: { status: string } };
    expect(data?.status ?? codeOf(answer)).toBe(afterAction(state, operation) ?? rejections[operation]);
    expect(answer.status).toBe(data === undefined ? 409 : 200);
  });

  it("answers with the record as a read gives it then", async () => {
    const id = await instanceIn("stopped");
    const { data } = (await wish(id, operation)).body as { data: object };
    expect({ ...data, ...ofOwner }).toEqual(await control.data("GET", `/instances/${id}`, { token: mine.token }));
  });

  it("is refused to other accounts, and for what does not exist", async () => {
    const id = await instanceIn("stopped");
    for (const [asked, token] of [
      [id, (await control.customer()).token],
      [id, (await control.customer(["write"])).token],
      [unknown, mine.token],
      [unknown, control.operator.token],
      ["nonsense", mine.token],
    ] as const) {
      const answer = await wish(asked, operation, token);
      expect([answer.status, codeOf(answer)]).toEqual([404, "global/object-does-not-exist"]);
    }
    expect(await control.data("GET", `/instances/${id}`)).toMatchObject({ status: "stopped" });
  });

  it("is in the audit log, with its instance", async () => {
    const id = await instanceIn("stopped");
    await wish(id.replaceAll("-", ""), operation);
    const entries = await control.data("GET", `/audit-log?object=${id}`, { token: mine.token });
    expect(entries).toMatchObject([{ operation: `${operation}Instance`, objects: [id], error_code: null }]);
  });
});

describe("a restart that is repeated with its Idempotency-Key", () => {
  it("gives the first answer, though it could not be done again", async () => {
    const id = await instanceIn("stopped");
    const headers = { "idempotency-key": "again" };
    const [first, second] = [
      await wish(id, "restart", mine.token, headers),
      await wish(id, "restart", mine.token, headers),
    ];
    expect(first.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect((await wish(id, "restart")).status).toBe(409);
  });
});

describe("who may also see where machines are", () => {
  it("sees it in the answer for an instance of their own, and others do not", async () => {
    const { id } = await control.world.launchOne(control.operator.principal, { instanceType: "cpu" });
    const whole = await control.data("POST", `/instances/${id}/stop`);
    expect(whole).toMatchObject({ status: "stopping", host: "host-a", generation: 2 });
    expect((await wish(await instanceIn("active"), "stop")).text).not.toContain("host-a");
  });
});

describe("an operator, on an instance of any account", () => {
  const reason = "Sends spam: ticket 4711";

  it.each([
    ["stop", "active", "stopping"],
    ["reboot", "active", "booting"],
    ["restart", "stopped", "booting"],
    ["terminate", "stopped", "terminating"],
  ] as const)(
    "does %s, and its account reads the reason in the event and in the audit log",
    async (wished, from, to) => {
      const id = await instanceIn(from);
      const done = await withReason(id, wished, reason);
      expect([done.status, done.body]).toMatchObject([200, { data: { id, status: to, host: "host-a" } }]);
      expect(await lastEventOf(id)).toMatchObject({ type: `instance.${to}`, data: { by: "operator", reason } });
      expect(await control.data("GET", `/audit-log?object=${id}`, { token: mine.token })).toMatchObject([
        { operation: `${wished}Instance`, changed_account_id: mine.principal.accountId, reason, address: null },
      ]);
    },
  );

  it("is told as who ended it", async () => {
    const ended = async (done: Promise<unknown>, id: string) => {
      await done;
      return control.data("GET", `/instances/${id}`, { token: mine.token });
    };
    const [first, second] = [await instanceIn("active"), await instanceIn("active")];
    expect(await ended(withReason(first, "terminate", reason), first)).toMatchObject({ ended_by: "operator" });
    expect(await ended(wish(second, "terminate"), second)).toMatchObject({ ended_by: "customer" });
  });

  it.each(operations)("has to state the reason of %s", async (wished) => {
    const id = await instanceIn("stopped");
    for (const answer of [await wish(id, wished, control.operator.token), await withReason(id, wished, " ")]) {
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ["reason"]]);
    }
    expect(await control.data("GET", `/instances/${id}`)).toMatchObject({ status: "stopped", generation: 1 });
  });

  it("needs only the scope operator, and acts by it where a token has nothing else", async () => {
    const { token, principal } = await control.customer(["operator"]);
    expect((await withReason(await instanceIn("active"), "stop", reason, token)).status).toBe(200);
    const { id } = await control.world.launchOne(principal, { instanceType: "cpu" });
    expect(fieldsOf(await wish(id, "stop", token))).toEqual(["reason"]);
    expect((await withReason(id, "terminate", reason, token)).body).toMatchObject({ data: { ended_by: "operator" } });
  });

  it("also acts for an inactive account, whose own tokens may not", async () => {
    const { token, principal } = await control.customer();
    const { id } = await control.world.launchOne(principal, { instanceType: "cpu" });
    await control.data("PATCH", `/accounts/${principal.accountId}`, { body: { status: "inactive" } });
    expect((await wish(id, "terminate", token)).status).toBe(403);
    expect((await withReason(id, "terminate", reason)).body).toMatchObject({ data: { status: "terminating" } });
  });
});

describe("a reason", () => {
  it.each([
    ["is empty", ""],
    ["is too long", "x".repeat(301)],
    ["has two lines", "one\ntwo"],
    ["holds a token", `see lessor_${"a".repeat(40)}`],
    ["is no text", 4711],
  ])("is refused where it %s", async (_, reason) => {
    const answer = await withReason(await instanceIn("active"), "stop", reason);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ["reason"]]);
  });

  it("may be stated by the account itself, and is no operator's then", async () => {
    const id = await instanceIn("active");
    await withReason(id, "stop", "Over the weekend", mine.token);
    const [entry] = (await control.data("GET", `/audit-log?object=${id}`, { token: mine.token })) as unknown[];
    expect(entry).toMatchObject({ reason: "Over the weekend", changed_account_id: null });
    const event = await lastEventOf(id);
    expect(event).toMatchObject({ type: "instance.stopping", data: { reason: "Over the weekend" } });
    expect(event?.data).not.toHaveProperty("by");
  });
});
