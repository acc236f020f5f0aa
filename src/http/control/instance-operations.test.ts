import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, startControl } from "../../../test/support/control.ts";
import { type State, states } from "../../rental/instances/lifecycle.ts";

const unknown = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
const operations = ["stop", "restart", "terminate"] as const;

let control: Control;
let mine: Awaited<ReturnType<Control["customer"]>>;
beforeAll(async () => {
  control = await startControl();
  mine = await control.customer();
  const { world } = control;
  await world.host({ name: "host-a", region: "north", gpus: 0, vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.image({ name: "ubuntu", number: 7 });
  await world.product({ name: "cpu", gpus: 0, priceCentsPerHour: 16 });
});
afterAll(() => control.close());

async function instanceIn(state: State): Promise<string> {
  const { id } = await control.world.launchOne(mine.tenant, { instanceType: "cpu" });
  if (state !== "booting") await control.world.put(id, state);
  return id;
}

const wish = (id: string, operation: string, token: string = mine.token, headers = {}) =>
  control.ask("POST", `/instances/${id}/${operation}`, { token, headers });

/** Where each leads from each state, or the code it is refused with. Source: decisions, Instance life. */
const stopped = "instance-operations/stop/instance-terminated";
const restarted = "instance-operations/restart/instance-not-stopped";
const expected: Record<(typeof operations)[number], Record<State, string>> = {
  stop: {
    booting: "stopping",
    active: "stopping",
    stopping: "stopping",
    stopped: "stopped",
    terminating: stopped,
    terminated: stopped,
  },
  restart: {
    booting: restarted,
    active: restarted,
    stopping: restarted,
    stopped: "booting",
    terminating: restarted,
    terminated: restarted,
  },
  terminate: {
    booting: "terminating",
    active: "terminating",
    stopping: "terminating",
    stopped: "terminating",
    terminating: "terminating",
    terminated: "terminated",
  },
};

describe.each(operations)("%s", (operation) => {
  it.each(states)("of one that is %s does what the table of the decisions says", async (state) => {
    const answer = await wish(await instanceIn(state), operation);
    const { data } = answer.body as { data?: { status: string } };
    expect(data?.status ?? codeOf(answer)).toBe(expected[operation][state]);
    expect(answer.status).toBe(data === undefined ? 409 : 200);
  });

  it("answers with the record as a read gives it then", async () => {
    const id = await instanceIn("stopped");
    const answer = (await wish(id, operation)).body;
    expect(answer).toEqual((await control.ask("GET", `/instances/${id}`, { token: mine.token })).body);
  });

  it("is refused to other accounts, also to operators, and for what does not exist", async () => {
    const id = await instanceIn("stopped");
    for (const [asked, token] of [
      [id, (await control.customer()).token],
      [id, control.operator.token],
      [unknown, mine.token],
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
    const { id } = await control.world.launchOne(control.operator.tenant, { instanceType: "cpu" });
    const whole = await control.data("POST", `/instances/${id}/stop`);
    expect(whole).toMatchObject({ status: "stopping", host: "host-a", generation: 2 });
    expect((await wish(await instanceIn("active"), "stop")).text).not.toContain("host-a");
  });
});
