// Launches that wait, over the control interface.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { Placer } from "../../../rental/waiting/placer.ts";
import { inWords } from "../../errors/response.ts";

let control: Control;
let ann: Awaited<ReturnType<Control["customer"]>>;
let bob: typeof ann;
beforeAll(async () => {
  control = await startControl();
  const { world } = control;
  [ann, bob] = [await control.customer(), await control.customer()];
  await world.host({ name: "host-a", region: "north", gpus: 1, vcpus: 64 });
  await world.image();
  await world.product({ name: "gpu", gpus: 1, priceCentsPerHour: 100 });
});
afterAll(() => control.close());

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const launch = (body: object, { token = ann.token, headers = {} } = {}) =>
  control.ask("POST", "/instances", { token, body: { instance_type: "gpu", ...body }, headers });
const place = () => new Placer(control.world.db, control.world.service, inWords).run(new AbortController().signal);

it("answers 202 with the launch, once for an Idempotency-Key, and is listed until it is placed", async () => {
  expect((await launch({ wait: { until: inAnHour() } }, { token: bob.token })).status).toBe(200);
  expect((await launch({})).status).toBe(409);
  const body = { wait: { until: inAnHour() }, name: "later", env_vars: { A: "squirrel" } };
  const headers = { "idempotency-key": "one" };
  const answer = await launch(body, { headers });
  expect(answer).toMatchObject({ status: 202 });
  const { launch: waiting } = (answer.body as { data: { launch: Record<string, unknown> } }).data;
  expect(waiting).toMatchObject({
    ...{ state: "waiting", instance_type: "gpu", region: null, quantity: 1, blocked_by: "capacity", instance_ids: [] },
    blocked_message: expect.stringContaining("capacity"),
  });
  expect((await launch(body, { headers })).body).toEqual(answer.body);
  expect(JSON.stringify(answer.body)).not.toContain("squirrel");

  const list = () => control.data("GET", "/launches", { token: ann.token });
  expect(await list()).toEqual([waiting]);
  expect(await control.data("GET", "/launches", { token: bob.token })).toEqual([]);
  const { status } = await control.ask("GET", `/launches/${waiting.id}`, { token: bob.token });
  expect(status).toBe(404);

  await control.world.db.updateTable("hosts").set({ free_vcpus: 64 }).execute();
  await control.world.db.updateTable("gpu_pools").set({ free: 1 }).execute();
  await control.world.db.updateTable("gpus").set({ instance_id: null }).execute();
  expect((await launch({}, { token: bob.token })).status).toBe(409);
  await place();
  const [placed] = (await list()) as { state: string; instance_ids: string[] }[];
  expect(placed).toMatchObject({ state: "placed", instance_ids: [expect.any(String)] });
  const instance = await control.data("GET", `/instances/${placed?.instance_ids[0]}`, { token: ann.token });
  expect(instance).toMatchObject({ name: "later", has_env_vars: true });
  // The list ends before the oldest open transaction, which can be that of another test.
  const types = async () => {
    const events = (await control.data("GET", "/events?types=launch.*", { token: ann.token })) as { type: string }[];
    return events.map(({ type }) => type);
  };
  await expect.poll(types, { timeout: 10_000 }).toEqual(["launch.waiting", "launch.placed"]);
});

it("is rejected when its end is past, invalid or too late, or its price is given twice or below every price", async () => {
  const rejected = async (body: object) => {
    const answer = await launch(body);
    expect(answer.status).toBe(400);
    return fieldsOf(answer);
  };
  const ahead = inAnHour();
  const guessed = [ahead.slice(0, 10), ahead.slice(0, 19), new Date(ahead).toUTCString()];
  for (const until of ["2020-01-01T00:00:00Z", "tomorrow", "2999-01-01T00:00:00Z", ...guessed]) {
    expect([until, await rejected({ wait: { until } })]).toEqual([until, ["wait.until"]]);
  }
  for (const most of [2_147_483_648, Number.MAX_SAFE_INTEGER]) {
    const wait = { until: inAnHour(), max_price_cents_per_hour: most };
    expect(await rejected({ wait })).toEqual(["wait.max_price_cents_per_hour"]);
    expect(await rejected({ wait: { until: inAnHour() }, max_price_cents_per_hour: most })).toEqual([
      "max_price_cents_per_hour",
    ]);
  }
  const price = { max_price_cents_per_hour: 99 };
  expect(await rejected({ ...price, wait: { until: inAnHour(), ...price } })).toEqual([
    "wait.max_price_cents_per_hour",
  ]);
  expect(await rejected({ wait: { until: inAnHour(), ...price } })).toEqual(["wait.max_price_cents_per_hour"]);
});

/** One of Ann's that waits. */
async function waitingId(): Promise<string> {
  const answer = await launch({ wait: { until: inAnHour() } });
  return (answer.body as { data: { launch: { id: string } } }).data.launch.id;
}

const lastEventOf = async (id: string, { token } = ann) => {
  const events = await control.data("GET", "/events?types=launch.*&limit=1000", { token });
  return (events as { type: string; data: { launch: { id: string } } }[])
    .filter(({ data }) => data.launch.id === id)
    .at(-1);
};

it("is read and cancelled by operators, of which its account reads in the event and in the audit log", async () => {
  const id = await waitingId();
  expect(await control.data("GET", `/launches/${id}`)).toMatchObject({
    ...{ id, account_id: ann.principal.accountId, state: "waiting" },
    explanation: expect.arrayContaining([expect.any(String)]),
  });
  expect(await control.data("POST", `/launches/${id}/cancel`)).toMatchObject({ id, state: "cancelled", reason: null });
  expect(await control.data("GET", `/launches/${id}`, { token: ann.token })).toMatchObject({ state: "cancelled" });
  await expect.poll(() => lastEventOf(id)).toMatchObject({ type: "launch.cancelled", data: { by: "operator" } });
  expect(await lastEventOf(id, bob)).toBeUndefined();

  const { accountId, tokenId } = control.operator.principal;
  const entry = {
    ...{ operation: "cancelLaunch", objects: [id], result: "done", account_id: accountId, token_id: tokenId },
    changed_account_id: ann.principal.accountId,
  };
  const entries = (token: string) => control.data("GET", `/audit-log?operation=cancelLaunch&object=${id}`, { token });
  expect(await entries(control.operator.token)).toMatchObject([{ ...entry, address: expect.any(String) }]);
  expect(await entries(ann.token)).toMatchObject([{ ...entry, address: null }]);
  expect(await entries(bob.token)).toEqual([]);
  const again = await control.ask("POST", `/launches/${id}/cancel`);
  expect([again.status, codeOf(again)]).toEqual([409, "global/conflict"]);
});

it("is cancelled with the scope operator alone, once for an Idempotency-Key, and is placed by nothing afterwards", async () => {
  const id = await waitingId();
  const { token } = await control.customer(["operator"]);
  const headers = { "idempotency-key": "cancel" };
  const cancel = () => control.ask("POST", `/launches/${id}/cancel`, { token, headers });
  const first = await cancel();
  expect(first).toMatchObject({ status: 200, body: { data: { id, state: "cancelled", blocked_by: null } } });
  expect((await cancel()).text).toBe(first.text);
  await place();
  expect(await control.data("GET", `/launches/${id}`)).toMatchObject({ state: "cancelled", instance_ids: [] });
});

it("is neither read, listed nor cancelled by another account", async () => {
  const id = await waitingId();
  for (const { token } of [bob, await control.customer(["write"])]) {
    const cancelled = await control.ask("POST", `/launches/${id}/cancel`, { token });
    expect([cancelled.status, codeOf(cancelled)]).toEqual([404, "global/object-does-not-exist"]);
  }
  for (const { token } of [bob, await control.customer(["read"])]) {
    const read = await control.ask("GET", `/launches/${id}`, { token });
    expect([read.status, codeOf(read)]).toEqual([404, "global/object-does-not-exist"]);
    const list = await control.ask("GET", `/launches?account_id=${ann.principal.accountId}`, { token });
    expect([list.status, codeOf(list)]).toEqual([403, "global/forbidden"]);
  }
  expect(await control.data("GET", `/launches/${id}`, { token: ann.token })).toMatchObject({ state: "waiting" });
});

it("is cancelled once by its account, whose event names no one else", async () => {
  const id = await waitingId();
  const cancel = () => control.ask("POST", `/launches/${id}/cancel`, ann);
  expect(await cancel()).toMatchObject({ status: 200, body: { data: { state: "cancelled", blocked_by: null } } });
  await expect.poll(() => lastEventOf(id)).toMatchObject({ type: "launch.cancelled" });
  expect((await lastEventOf(id))?.data).not.toHaveProperty("by");
  const again = await cancel();
  expect([again.status, codeOf(again)]).toEqual([409, "global/conflict"]);
});

it("is refused for a time that is over or too far, a price below that of the type, and bad names", async () => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
  for (const until of [days(-1), days(31)]) expect(fieldsOf(await launch({ wait: { until } }))).toEqual(["wait.until"]);
  const cheap = await launch({ wait: { until: days(1), max_price_cents_per_hour: 99 } });
  expect(fieldsOf(cheap)).toEqual(["wait.max_price_cents_per_hour"]);
  expect((await launch({ wait: { until: "tomorrow" } })).status).toBe(400);
  expect(fieldsOf(await launch({ wait: { until: days(1) }, ssh_key_names: ["none"] }))).toEqual(["ssh_key_names"]);
});
