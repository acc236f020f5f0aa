// Spot instances over HTTP: what a launch of one says, and what their account, the operator and each interface see until
// they are evicted. Which ones are evicted, and when: rental/spot.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
import { Hooks } from "../../../../test/support/hooks.ts";
import { startReceiver } from "../../../../test/support/receiver.ts";
import { travel } from "../../../../test/support/time-travel.ts";
import { recordObservation } from "../../../rental/instances/record-observation.ts";
import { Evictor } from "../../../rental/spot/evictor.ts";
import { Placer } from "../../../rental/waiting/placer.ts";
import { inWords } from "../../errors/response.ts";

type Read = Readonly<Record<string, unknown>>;

let control: Control;
let ann: Awaited<ReturnType<Control["customer"]>>;
let bob: typeof ann;
/** Of one test, with one host of one GPU. */
let region: string;
beforeAll(async () => {
  control = await startControl();
  await control.world.image();
  await control.world.product({ name: "gpu", gpus: 1, priceCentsPerHour: 100, spotPriceCentsPerHour: 36 });
  await control.world.product({ name: "plain", gpus: 1, priceCentsPerHour: 100 });
});
afterAll(() => control.close());
beforeEach(async () => {
  [ann, bob] = [await control.customer(), await control.customer()];
  region = control.world.fresh("region");
  await control.world.host({ region, gpus: 1, vcpus: 64 });
});

const launch = (body: object, { token } = bob) =>
  control.ask("POST", "/instances", { token, body: { instance_type: "gpu", region, ...body } });
const read = async (id: string, { token } = bob) => (await control.data("GET", `/instances/${id}`, { token })) as Read;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const act = (action: string, id: string) => control.ask("POST", `/instances/${id}/${action}`, { token: bob.token });
const eventsOf = async (types: string) => {
  const events = await control.data("GET", `/events?types=${types}`, { token: bob.token });
  return events as readonly { readonly type: string; readonly data: Read }[];
};

/** So many: the list ends before the oldest transaction in progress, which can be of another test. */
async function untilEvents(count: number, types: string) {
  await expect.poll(async () => (await eventsOf(types)).length).toBe(count);
  return eventsOf(types);
}

/** As an engine tells it of the machine. */
async function observe(id: string, fact: "ready" | "halted" | "removed"): Promise<void> {
  const { world } = control;
  const query = world.db.selectFrom("instances").select("generation").where("id", "=", id);
  const { generation } = await query.executeTakeFirstOrThrow();
  await world.tx((now) =>
    fact === "ready"
      ? recordObservation(now, { id, generation }, "ready", { ip: "203.0.113.1" })
      : recordObservation(now, { id, generation }, fact, {}),
  );
}

/** As a replica does when it is woken. */
async function settle(): Promise<void> {
  const { db, service } = control.world;
  const { signal } = new AbortController();
  await new Placer(db, service, inWords).run(signal);
  await new Evictor(db, service, inWords).run(signal);
}

/** A spot instance of Bob that runs, its id. */
async function running(body: object = {}): Promise<string> {
  const answer = await launch({ spot: true, ...body });
  expect(answer.status, answer.text).toBe(200);
  const [instance] = (answer.body as { data: Read[] }).data;
  const id = idOf(instance);
  await observe(id, "ready");
  return id;
}

/** A launch of Ann that waits for what the instance holds, its id. */
async function awaited(body: object = {}): Promise<string> {
  const answer = await launch({ wait: { until: inAnHour() }, ...body }, ann);
  expect(answer.status, answer.text).toBe(202);
  await settle();
  return idOf((answer.body as { data: { launch: unknown } }).data.launch);
}

const waiting = async (id: string) => (await control.data("GET", `/launches/${id}`, { token: ann.token })) as Read;
const cancel = (id: string) => control.data("POST", `/launches/${id}/cancel`, { token: ann.token });

/** Its notice passes, and nothing is left of it. */
async function evict(id: string): Promise<void> {
  await travel(control.world.db, "121 seconds");
  await settle();
  await observe(id, "removed");
  await settle();
}

describe("a launch for spot instances", () => {
  it("pays the spot price, and shows what it is in every view", async () => {
    const id = await running({ max_price_cents_per_hour: 36 });
    const price = { price_cents_per_hour: 36 };
    expect(await read(id)).toMatchObject({ spot: true, evict_at: null, instance_type: price });
    expect(await control.data("GET", `/instances/${id}`)).toMatchObject({ spot: true, instance_type: price });
    await travel(control.world.db, "100 seconds");
    const usage = (await control.data("GET", "/usage", { token: bob.token })) as Read[];
    expect(usage).toMatchObject([{ instance_id: id, price_cents_per_hour: 36 }]);
  });

  it("is like another one unless it says otherwise", async () => {
    const like = await running();
    await control.world.host({ region, gpus: 2, vcpus: 64 });
    const ask = (body: object) => control.data("POST", "/instances", { token: bob.token, body: { like, ...body } });
    const priced = (spot: boolean, cents: number) => [{ spot, instance_type: { price_cents_per_hour: cents } }];
    expect(await ask({})).toMatchObject(priced(true, 36));
    expect(await ask({ spot: false })).toMatchObject(priced(false, 100));
  });

  it.each([
    ["of a type without a spot price", { instance_type: "plain", spot: true }, "spot"],
    ["that waits for a type without a spot price", { instance_type: "plain", spot: true, wait: {} }, "spot"],
    ["that may cost less", { spot: true, max_price_cents_per_hour: 35 }, "max_price_cents_per_hour"],
    [
      "that waits and may cost less",
      { spot: true, wait: { max_price_cents_per_hour: 35 } },
      "wait.max_price_cents_per_hour",
    ],
    ["in text", { spot: "true" }, "spot"],
    ["in a number", { spot: 1 }, "spot"],
    ["with null", { spot: null }, "spot"],
  ])("is rejected %s, and nothing is launched", async (_what, { wait, ...body }: Read, field) => {
    const waits = wait === undefined ? {} : { wait: { until: inAnHour(), ...(wait as object) } };
    const answer = await launch({ ...body, ...waits });
    expect([answer.status, codeOf(answer), fieldsOf(answer)]).toEqual([400, "global/invalid-parameters", [field]]);
    for (const path of ["/instances", "/launches"])
      expect(await control.data("GET", path, { token: bob.token })).toEqual([]);
  });

  it("is told in words that the type has no spot price", async () => {
    expect((await launch({ instance_type: "plain", spot: true })).text).toContain("plain has no spot price.");
    const quote = await control.ask("GET", "/quote?instance_type=plain&spot=true", { token: bob.token });
    expect([quote.status, fieldsOf(quote)]).toEqual([400, ["spot"]]);
  });

  it("is quoted at the spot price", async () => {
    const quote = (query: string) => control.data("GET", `/quote?instance_type=gpu&${query}`, { token: bob.token });
    const hourly = (cents: string) => ({ after: { cost_cents: cents } });
    expect(await quote(`region=${region}&quantity=1&spot=true`)).toMatchObject({
      ...{ spot: true, list_price_cents_per_hour: 36, hourly: hourly("36.000000"), fits: true },
    });
    expect(await quote("spot=false")).toMatchObject({ spot: false, hourly: hourly("100.000000") });
  });

  it("can wait, and is placed at the spot price", async () => {
    const [other] = ((await launch({}, ann)).body as { data: Read[] }).data;
    const answer = await launch({ spot: true, wait: { until: inAnHour(), max_price_cents_per_hour: 36 } });
    const { launch: made } = (answer.body as { data: { launch: Read } }).data;
    expect([answer.status, made]).toMatchObject([202, { spot: true, blocked_by: "capacity", state: "waiting" }]);
    await control.ask("POST", `/instances/${idOf(other)}/terminate`, { token: ann.token });
    await observe(idOf(other), "removed");
    await settle();
    const placed = (await control.data("GET", `/launches/${idOf(made)}`, { token: bob.token })) as Read;
    expect(placed).toMatchObject({ state: "placed", spot: true });
    const [id = ""] = placed.instance_ids as string[];
    expect(await read(id)).toMatchObject({ spot: true, instance_type: { price_cents_per_hour: 36 } });
  });
});

describe("a spot price that is changed", () => {
  const put = (name: string, price: number | null) => {
    const size = { gpus: 1, gpu_model: "H100", vcpus: 8, memory_gib: 64, storage_gb: 500 };
    const body = { ...size, price_cents_per_hour: 100, spot_price_cents_per_hour: price };
    return control.data("PUT", `/instance-types/${name}`, { body });
  };

  it("is for launches from then on, also 0, and what runs keeps its own", async () => {
    await put("changing", 36);
    const instance_type = "changing";
    const id = await running({ instance_type });
    await control.world.host({ region, gpus: 1, vcpus: 64 });
    await put("changing", 0);
    const free = await running({ instance_type });
    const prices = [(await read(id)).instance_type, (await read(free)).instance_type];
    expect(prices).toMatchObject([{ price_cents_per_hour: 36 }, { price_cents_per_hour: 0 }]);
  });

  it("ends a launch that waits for it when it is taken away, in words, and what runs goes on", async () => {
    await put("ending", 36);
    const instance_type = "ending";
    const id = await running({ instance_type });
    const answer = await launch({ instance_type, spot: true, wait: { until: inAnHour() } }, ann);
    const waits = idOf((answer.body as { data: { launch: unknown } }).data.launch);
    await put("ending", null);
    await settle();
    const reason = expect.stringContaining("ending has no spot price");
    expect(await waiting(waits)).toMatchObject({ state: "refused", blocked_by: null, reason });
    expect(await read(id)).toMatchObject({ status: "active", spot: true, evict_at: null });
    const late = await launch({ instance_type, spot: true });
    expect([late.status, fieldsOf(late)]).toEqual([400, ["spot"]]);
  });

  it("is waited for when it is above what a launch pays", async () => {
    await put("rising", 36);
    await running({ instance_type: "rising" });
    const most = { until: inAnHour(), max_price_cents_per_hour: 40 };
    const answer = await launch({ instance_type: "rising", spot: true, wait: most }, ann);
    const waits = idOf((answer.body as { data: { launch: unknown } }).data.launch);
    await put("rising", 41);
    await settle();
    expect(await waiting(waits)).toMatchObject({ state: "waiting", blocked_by: "price" });
    await put("rising", 40);
    await settle();
    expect(await waiting(waits)).toMatchObject({ state: "waiting", blocked_by: "capacity" });
  });
});

describe("an instance that is evicted", () => {
  it("shows when, is told of by events and webhooks, and is preempted where its interface has a word for that", async () => {
    const hooks = new Hooks(control.world);
    const receiver = await startReceiver();
    await hooks.make(bob.principal, {
      url: receiver.url,
      eventTypes: ["instance.preemption_notice", "instance.preempted"],
    });
    hooks.deliver();
    const id = await running();
    const launched = await awaited();
    const { evict_at } = await read(id);
    expect(Math.abs(Date.parse(String(evict_at)) - Date.now() - 120_000)).toBeLessThan(30_000);
    expect(await waiting(launched)).toMatchObject({
      blocked_message: expect.stringContaining(`1 spot instance is being evicted for it, by ${evict_at}.`),
    });
    await evict(id);
    expect(await read(id)).toMatchObject({
      ...{ status: "terminated", ended_by: "preempted", evict_at: expect.any(String) },
    });
    expect(await waiting(launched)).toMatchObject({ state: "placed" });

    const events = await untilEvents(3, "instance.preemption_notice,instance.preempted,instance.terminated");
    const of = { instance_id: id, evict_at: expect.any(String) };
    expect(events).toMatchObject([
      { type: "instance.preemption_notice", data: { ...of, evict_at, state: "active" } },
      { type: "instance.preempted", data: { ...of, ended_by: "preempted" } },
      { type: "instance.terminated", data: { ...of, ended_by: "preempted" } },
    ]);
    // Two deliveries can be on their way at once.
    const got = await receiver.received(2);
    expect(new Map(got.map(({ body }) => [body.type, body.data]))).toEqual(
      new Map(events.slice(0, 2).map(({ type, data }) => [type, data])),
    );

    const get = async (url: string) => (await control.call("GET", url, { token: bob.token })).body;
    const lambda = { id, status: "preempted", instance_type: { price_cents_per_hour: 36 } };
    expect(await get(`${control.lambda}/instances/${id}`)).toMatchObject({ data: lambda });
    expect(await get(`${control.marketplace}/instances/${id}`)).toMatchObject({ data: { id, status: "terminated" } });
    expect(await get(`${control.reference}/instances/${id}`)).toMatchObject({ data: { id, status: "terminated" } });
    expect(await get(`${control.direct}/instance/${id}`)).toMatchObject({ runningInstance: { status: "terminated" } });
  });

  it("is in the lambda edition's list under its own word only, and live before", async () => {
    const id = await running();
    const listed = async (status: string) => {
      const { body } = await control.call("GET", `${control.lambda}/instances?status=${status}`, { token: bob.token });
      return (body as { data: Read[] }).data.map((one) => [one.id, one.status]);
    };
    await awaited();
    expect([await listed("active"), await listed("preempted")]).toEqual([[[id, "active"]], []]);
    await travel(control.world.db, "121 seconds");
    await settle();
    expect(await listed("terminating")).toEqual([]);
    await observe(id, "removed");
    for (const status of ["active", "terminated", "unhealthy"]) expect(await listed(status)).toEqual([]);
  });

  it("costs nothing within five minutes, on usage, statement and account, and all of it later", async () => {
    const [first] = [await running()];
    await awaited();
    await evict(first);
    region = control.world.fresh("region");
    await control.world.host({ region, gpus: 1, vcpus: 64 });
    const second = await running();
    await travel(control.world.db, "301 seconds");
    await awaited();
    await evict(second);
    const usage = await control.ask("GET", "/usage", { token: bob.token });
    const { data, total } = usage.body as {
      data: { instance_id: string; cost_micro_cents: string; seconds: number }[];
      total: Read;
    };
    const lines = new Map(data.map((line) => [line.instance_id, line]));
    // At 36 cents an hour, one second is 10,000 micro-cents.
    expect(lines.get(first)).toMatchObject({ seconds: 0, cost_micro_cents: "0", credit_micro_cents: "0" });
    const { seconds = 0, cost_micro_cents } = lines.get(second) ?? {};
    expect(seconds).toBeGreaterThan(421);
    expect(cost_micro_cents).toBe(String(seconds * 10_000));
    expect(total.cost_micro_cents).toBe(cost_micro_cents);
    expect([await read(first), await read(second)]).toMatchObject([{ cost_micro_cents: "0" }, { cost_micro_cents }]);
    // A month may begin meanwhile.
    const [from, to] = [-40, 0].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 7));
    const months = await control.ask("GET", `/usage/months?from=${from}&to=${to}`, { token: bob.token });
    expect((months.body as { total: Read }).total).toMatchObject({ cost_micro_cents, credit_micro_cents: "0" });
    const statements = (await control.data("GET", "/statements", { token: bob.token })) as Read[];
    expect(statements.reduce((sum, one) => sum + BigInt(String(one.cost_micro_cents)), 0n)).toBe(
      BigInt(cost_micro_cents ?? 0),
    );
  });
});

describe("while the notice runs", () => {
  it("an instance that its account terminates is not preempted, and is billed", async () => {
    const id = await running();
    const launched = await awaited();
    expect((await act("terminate", id)).status).toBe(200);
    await settle();
    await observe(id, "removed");
    await settle();
    expect(await waiting(launched)).toMatchObject({ state: "placed" });
    const ended = await read(id);
    expect(ended).toMatchObject({ status: "terminated", ended_by: "customer" });
    expect(await eventsOf("instance.preempted")).toEqual([]);
    const { body } = await control.call("GET", `${control.lambda}/instances/${id}`, { token: bob.token });
    expect(body).toMatchObject({ data: { status: "terminated" } });
  });

  it("an instance can be stopped and restarted, keeps its end, and is halted before it once more", async () => {
    const id = await running();
    const launched = await awaited();
    const { evict_at } = await read(id);
    expect((await act("stop", id)).status).toBe(200);
    await observe(id, "halted");
    await settle();
    expect(await read(id)).toMatchObject({ status: "stopped", evict_at });
    expect((await act("restart", id)).status).toBe(200);
    await observe(id, "ready");
    await settle();
    expect(await read(id)).toMatchObject({ status: "active", evict_at });
    await travel(control.world.db, "95 seconds");
    await settle();
    expect(await read(id)).toMatchObject({ status: "stopping" });
    await observe(id, "halted");
    expect((await act("restart", id)).status).toBe(200);
    await travel(control.world.db, "30 seconds");
    await evict(id);
    expect(await read(id)).toMatchObject({ status: "terminated", ended_by: "preempted" });
    expect(await waiting(launched)).toMatchObject({ state: "placed" });
  });

  it("a launch that is cancelled withdraws it, also after the guest was asked to halt, and only until it is over", async () => {
    const id = await running();
    const first = await awaited();
    await cancel(first);
    await settle();
    expect(await read(id)).toMatchObject({ status: "active", evict_at: null });
    const second = await awaited();
    await travel(control.world.db, "95 seconds");
    await settle();
    await observe(id, "halted");
    await cancel(second);
    await settle();
    await settle();
    expect(await read(id)).toMatchObject({ status: "booting", evict_at: null });
    await observe(id, "ready");
    expect(
      (await untilEvents(4, "instance.preemption*")).map(({ type, data }) => [type, data.evict_at === undefined]),
    ).toEqual([
      ["instance.preemption_notice", false],
      ["instance.preemption_withdrawn", true],
      ["instance.preemption_notice", false],
      ["instance.preemption_withdrawn", true],
    ]);
    const third = await awaited();
    await travel(control.world.db, "121 seconds");
    await settle();
    await cancel(third);
    await settle();
    await observe(id, "removed");
    await settle();
    expect(await read(id)).toMatchObject({ status: "terminated", ended_by: "preempted" });
    // The host is kept for nothing any more.
    expect((await launch({}, bob)).status).toBe(200);
  });

  it("a cancel and the end of the notice at once are one before the other", async () => {
    for (let round = 0; round < 3; round++) {
      const id = await running();
      const launched = await awaited();
      await travel(control.world.db, "121 seconds");
      await Promise.all([
        settle(),
        control.ask("POST", `/launches/${launched}/cancel`, { token: ann.token }),
        settle(),
      ]);
      await settle();
      const { status, evict_at, ended_by } = await read(id);
      expect([
        ["active", null],
        ["terminating", "preempted"],
      ]).toContainEqual([status, ended_by]);
      if (status === "active") {
        expect(evict_at).toBeNull();
        await act("terminate", id);
      }
      await observe(id, "removed");
      await settle();
      expect(await waiting(launched)).toMatchObject({ state: "cancelled" });
    }
  });

  it("a terminate and the end of the notice at once end it once", async () => {
    for (let round = 0; round < 3; round++) {
      const id = await running();
      const launched = await awaited();
      await travel(control.world.db, "121 seconds");
      await Promise.all([settle(), act("terminate", id)]);
      const { ended_by } = await read(id);
      expect(["customer", "preempted"]).toContain(ended_by);
      const ends = async () => {
        const events = await eventsOf("instance.terminating,instance.preempted");
        return events.filter(({ data }) => data.instance_id === id).length;
      };
      await expect.poll(ends).toBe(ended_by === "preempted" ? 2 : 1);
      await observe(id, "removed");
      await settle();
      const placed = await waiting(launched);
      expect(placed).toMatchObject({ state: "placed" });
      const [other = ""] = placed.instance_ids as string[];
      await control.ask("POST", `/instances/${other}/terminate`, { token: ann.token });
      await observe(other, "removed");
    }
  });
});
