// Reservations over the control interface: who sees and changes them, what is rejected and leaves nothing behind, and
// launches with one.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../../test/support/books.ts";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
import { changingNothing } from "../../../../test/support/refusals.ts";
import { inHours, run } from "../../../../test/support/reservations.ts";
import { travel } from "../../../../test/support/time-travel.ts";

let control: Control;
let ann: Awaited<ReturnType<Control["customer"]>>;
let bob: typeof ann;
beforeAll(async () => {
  control = await startControl();
  [ann, bob] = [await control.customer(), await control.customer()];
  await control.world.image();
});
afterAll(() => control.close());

// All from one instant, so that the time between two of them, and so its cost, is exact.
const started = Date.now();
const hour = (hours: number): string => inHours(hours, started).toISOString();
const post = (path: string, token: string, body?: object) => control.ask("POST", path, { token, body });

/** A region of its own with one host, and an instance type of one GPU. */
async function setting(gpus = 2) {
  const { world } = control;
  const region = world.fresh("region");
  const host = await world.host({ region, gpus });
  const { name: instance_type } = await world.product({ priceCentsPerHour: 100 });
  const order = (more: object = {}) => ({ instance_type, region, from: hour(10), to: hour(20), ...more });
  const reserve = (more?: object, { token } = ann) => post("/reservations", token, order(more));
  const made = async (more?: object, who = ann): Promise<string> => {
    const answer = await reserve(more, who);
    expect(answer.status, answer.text).toBe(200);
    return idOf((answer.body as { data: unknown }).data);
  };
  const launch = (body: object, { token } = ann) => post("/instances", token, body);
  return { region, host, instance_type, order, reserve, made, launch };
}

const read = (id: string, { token } = ann) => control.data("GET", `/reservations/${id}`, { token });
const cancel = (id: string, { token } = ann) => post(`/reservations/${id}/cancel`, token);
const stateOf = async (id: string) => ((await read(id)) as { state: string }).state;

async function typesOf(id: string): Promise<string[]> {
  const events = await control.data("GET", "/events?types=reservation.*&limit=1000", { token: ann.token });
  return (events as { type: string; data: { reservation: { id: string } } }[])
    .filter(({ data }) => data.reservation.id === id)
    .map(({ type }) => type);
}

describe("a reservation", () => {
  it("is made, listed and read by its account, with its whole price; operators see where it is", async () => {
    const { region, host, instance_type, made } = await setting();
    const id = await made({ quantity: 2, name: "training" });
    const own = await read(id);
    expect(own).toMatchObject({
      ...{ id, name: "training", state: "scheduled", instance_type, region, quantity: 2, used: 0, undelivered: 0 },
      ...{ price_cents_per_hour: 100, cost_cents: "2000.000000", credit_micro_cents: "0", reason: null },
      ...{ started_at: null, ended_at: null },
    });
    expect(own).not.toHaveProperty("hosts");
    expect(await control.data("GET", "/reservations?state=scheduled", { token: ann.token })).toContainEqual(own);
    const seen = await control.data("GET", `/reservations/${id}`);
    expect(seen).toMatchObject({ hosts: [{ host, slots: 2, used: 0, undelivered: 0 }], at_risk_since: null });
    const ofAnn = await control.data("GET", `/reservations?account_id=${ann.principal.accountId}`);
    expect(ofAnn).toContainEqual(seen);
  });

  it("leaves what is free before it to launches that end in time, of which quotes tell", async () => {
    const { region, instance_type, made, launch } = await setting(1);
    await made();
    const bounded = await control.customer();
    const { accountId } = bounded.principal;
    await control.data("PATCH", `/accounts/${accountId}`, { body: { max_lifetime_seconds: 3600 } });
    const ask = (more: string, { token } = bob) =>
      control.ask("GET", `/quote?instance_type=${instance_type}${more}`, { token });
    const quote = async (more: string, who = bob) => ((await ask(more, who)).body as { data: object }).data;
    const here = `&region=${region}`;
    const full = { fits: false, region_chosen: null };
    const there = expect.arrayContaining([expect.objectContaining({ name: region, available: 1 })]);
    const free = { fits: true, region_chosen: region, fits_in: there };
    expect(await quote(here)).toMatchObject(full);
    // The boot counts, too.
    for (const hours of [10, 20]) expect(await quote(`&max_lifetime_seconds=${hours * 3600}`)).toMatchObject(full);
    expect(await quote(`${here}&max_lifetime_seconds=3600`)).toMatchObject({ ...free, returning: [] });
    expect(await quote(`${here}&max_lifetime_seconds=3600&quantity=2`)).toMatchObject({ fits: false });
    expect(await quote(here, bounded)).toMatchObject(free);
    expect(fieldsOf(await ask("&max_lifetime_seconds=7200", bounded))).toEqual(["max_lifetime_seconds"]);
    for (const seconds of [59, 315_360_001, "1h"]) {
      const wrong = await ask(`&max_lifetime_seconds=${seconds}`);
      expect([wrong.status, fieldsOf(wrong)]).toEqual([400, ["max_lifetime_seconds"]]);
    }
    expect((await launch({ instance_type, region }, bob)).status).toBe(409);
    expect((await launch({ instance_type, region, max_lifetime_seconds: 36_000 }, bob)).status).toBe(409);
    expect((await launch({ instance_type, region, max_lifetime_seconds: 3600 }, bob)).status).toBe(200);
    expect(await quote(`${here}&max_lifetime_seconds=3600`)).toMatchObject(full);
  });

  it("is another account's: neither seen nor cancelled", async () => {
    const { made } = await setting();
    const id = await made();
    expect((await control.ask("GET", `/reservations/${id}`, { token: bob.token })).status).toBe(404);
    expect((await cancel(id, bob)).status).toBe(404);
    const list = (await control.data("GET", "/reservations", { token: bob.token })) as { id: string }[];
    expect(list.filter((one) => one.id === id)).toEqual([]);
    expect(await stateOf(id)).toBe("scheduled");
  });

  it("is found by the part of a calendar that it overlaps, page by page", async () => {
    const { made } = await setting(1);
    const carl = await control.customer();
    const ids: string[] = [];
    for (const from of [100, 110, 120]) ids.push(await made({ from: hour(from), to: hour(from + 8) }, carl));
    const of = async (query: string) =>
      ((await control.data("GET", `/reservations?${query}`, { token: carl.token })) as { id: string }[]).map(idOf);
    expect(await of(`from=${hour(109)}&to=${hour(119)}`)).toEqual([ids[1]]);
    expect(await of(`from=${hour(117)}`)).toEqual(ids.slice(1));
    expect(await of(`to=${hour(119)}`)).toEqual(ids.slice(0, 2));
    const pages = await control.pages("/reservations", 2, { token: carl.token });
    expect(pages.map((page) => page.map(idOf))).toEqual([ids.slice(0, 2), ids.slice(2)]);
  });

  it("begins, warns and ends, and is billed as a whole", async () => {
    const { made } = await setting();
    const id = await made({ quantity: 2, to: hour(12) });
    await travel(control.world.db, "10 hours");
    await run(control.world);
    expect(await read(id)).toMatchObject({ state: "active", ended_at: null });
    expect(await stateOf(id)).toBe("active");
    await travel(control.world.db, "70 minutes");
    await run(control.world);
    await travel(control.world.db, "50 minutes");
    await run(control.world);
    expect(await read(id)).toMatchObject({ state: "ended", cost_cents: "400.000000" });
    const states = ["scheduled", "active", "ending", "ended"].map((word) => `reservation.${word}`);
    // Events are read once no earlier one can still come.
    await expect.poll(() => typesOf(id)).toEqual(states);
    const usage = (await control.data("GET", "/usage", { token: ann.token })) as { reservation_id?: string | null }[];
    expect(JSON.stringify(usage)).toContain(id);
    expect(await booksDisagree(control.world.db)).toEqual([]);
  });

  it("is cancelled once, before it begins, with its capacity free again", async () => {
    const { made, reserve } = await setting();
    const id = await made({ quantity: 2 });
    expect((await reserve()).status).toBe(409);
    expect(await cancel(id)).toMatchObject({
      status: 200,
      body: { data: { state: "cancelled", cost_cents: "0.000000" } },
    });
    const again = await cancel(id);
    expect([again.status, codeOf(again)]).toEqual([409, "global/conflict"]);
    expect((await reserve({ quantity: 2 })).status).toBe(200);
    const now = await (await setting()).made({ from: undefined });
    const begun = await cancel(now);
    expect([begun.status, codeOf(begun)]).toEqual([409, "global/conflict"]);
    expect(begun.text).toContain("is active");
    expect(await stateOf(now)).toBe("active");
  });

  it("is cancelled by operators, too, whose it never is", async () => {
    const { made } = await setting();
    const id = await made();
    expect((await cancel(id, control.operator)).status).toBe(200);
    expect(await stateOf(id)).toBe("cancelled");
  });

  it("is made once for an Idempotency-Key", async () => {
    const { order } = await setting();
    const headers = { "idempotency-key": randomUUID() };
    const options = { token: ann.token, body: order({ quantity: 2 }), headers };
    const answers = [
      await control.ask("POST", "/reservations", options),
      await control.ask("POST", "/reservations", options),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
  });
});

interface Offer {
  readonly instance_type: { readonly name: string };
  readonly regions: readonly { readonly name: string; readonly available: number }[];
}

/** That it is answered so, and that nothing of it is stored. */
async function rejected(ask: () => ReturnType<typeof post>, status: number) {
  const before = await stored();
  const answer = await ask();
  expect(answer.status, answer.text).toBe(status);
  expect(await stored()).toEqual(before);
  return answer;
}

async function stored(): Promise<unknown> {
  const { rows } = await sql`
    select (select jsonb_agg(r order by id) from reservations r) as reservations,
      (select jsonb_agg(h order by reservation_id, host) from reservation_hosts h) as slots,
      (select jsonb_object_agg(name, promised) from hosts) as promised,
      (select count(*) from billing_spans) as spans, (select count(*) from instances) as instances,
      (select count(*) from events where type like 'reservation.%') as events`.execute(control.world.db);
  return rows;
}

describe("nothing is reserved", () => {
  it("where a reservation overlaps what is promised, and the answer says when it would fit", async () => {
    const { made, reserve, region, instance_type } = await setting();
    await made({ quantity: 2 });
    const answer = await rejected(() => reserve({ from: hour(19), to: hour(29) }), 409);
    expect(codeOf(answer)).toMatch(/insufficient-capacity$/);
    expect(answer.text).toContain("It would fit for as long from");
    await rejected(() => reserve({ quantity: 3, from: hour(40), to: hour(50) }), 409);
    const query = new URLSearchParams({ instance_type, region, quantity: "2", from: hour(19), to: hour(29) });
    const quote = () => control.data("GET", `/reservation-quote?${query}`, { token: ann.token });
    // That the token is used is written once a minute, a little later, and left out while its row is locked: then the
    // next use after that minute is written.
    const noted = control.world.db.selectFrom("tokens").select("last_used_at").where("id", "=", ann.tokenId);
    const usedAndNoted = () => quote().then(() => noted.executeTakeFirst());
    await expect.poll(usedAndNoted, { timeout: 100_000, interval: 200 }).not.toEqual({ last_used_at: null });
    const answered = (await changingNothing(control.world.db, quote)) as {
      fits_from: string;
      from: string;
      cancellable_until: string;
    };
    expect(answered).toMatchObject({ fits: false, region: null, cost_cents: "2000.000000" });
    const { from, cancellable_until: until } = answered;
    expect(until).toBe(from);
    const begun = new URLSearchParams({ instance_type, region, to: hour(9) });
    expect(await control.data("GET", `/reservation-quote?${begun}`, { token: ann.token })).toMatchObject({
      cancellable_until: null,
    });
    await made({ quantity: 2, from: answered.fits_from, to: new Date(Date.parse(answered.fits_from) + 36e6) });
  }, 120_000);

  it.each([
    ["from the past", { from: hour(-1) }, "from"],
    ["too far ahead", { from: hour(91 * 24), to: hour(92 * 24) }, "from"],
    ["to before from", { to: hour(9) }, "to"],
    ["too short", { to: hour(10.5) }, "to"],
    ["too long", { to: hour(10 + 91 * 24) }, "to"],
    ["no time", { from: "soon" }, "from"],
    ["none of it", { quantity: 0 }, "quantity"],
    ["an unknown type", { instance_type: "none" }, "instance_type"],
    ["an unknown region", { region: "none" }, "region"],
  ])("%s", async (_, more, field) => {
    const { reserve } = await setting();
    expect(fieldsOf(await rejected(() => reserve(more), 400))).toEqual([field]);
  });

  it("beyond a quota or the spend limit", async () => {
    const { reserve } = await setting(4);
    const carl = await control.customer();
    const account = { id: carl.principal.accountId };
    const change = (set: { quota_gpus?: number; spend_limit_cents?: number | null }) =>
      control.world.db.updateTable("accounts").set(set).where("id", "=", account.id).execute();
    await change({ quota_gpus: 1 });
    expect(codeOf(await rejected(() => reserve({ quantity: 2 }, carl), 403))).toBe("global/quota-exceeded");
    await change({ quota_gpus: 10, spend_limit_cents: 500 });
    const answer = await rejected(() => reserve({ quantity: 2 }, carl), 402);
    expect(codeOf(answer)).toBe("global/spend-limit-exceeded");
    expect((await reserve({ to: hour(11.1) }, carl)).status).toBe(200);
  });

  it("to more than have capacity, of many requests at once", async () => {
    const { reserve, host } = await setting(3);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => reserve({}, n % 2 === 0 ? ann : bob)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409, 409, 409]);
    const { rows } = await sql`select promised from hosts where name = ${host}`.execute(control.world.db);
    expect(rows).toEqual([{ promised: 3 }]);
    expect(await booksDisagree(control.world.db)).toEqual([]);
  });
});

it("quotes and calendars of an account run a few at once, and more are rejected as overload", async () => {
  const { order, instance_type } = await setting();
  const { from, to, region } = order();
  const paths = [
    `/reservation-quote?${new URLSearchParams({ instance_type, region, from, to })}`,
    `/reservation-calendar?${new URLSearchParams({ instance_type, region })}`,
  ];
  const url = (n: number) => `${control.url}${paths[n % 2]}`;
  const asked = Array.from({ length: 24 }, (_, n) => control.call("GET", url(n), { token: ann.token }));
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  for (const { status, text } of answers) if (status === 503) expect(text).toContain("global/unavailable");
  for (const path of paths) expect((await control.ask("GET", path, { token: ann.token })).status).toBe(200);
});

describe("of an account that is deactivated", () => {
  it("stay, are cancelled by an operator before they begin, and otherwise begin and are billed", async () => {
    const { made } = await setting();
    const carl = await control.customer();
    const [kept, cancelled] = [await made({ from: hour(1), to: hour(3) }, carl), await made({}, carl)];
    await control.data("PATCH", `/accounts/${carl.principal.accountId}`, { body: { status: "inactive" } });
    expect((await cancel(kept, carl)).status).toBe(403);
    expect(await control.data("POST", `/reservations/${cancelled}/cancel`)).toMatchObject({ state: "cancelled" });
    expect(await control.data("GET", `/audit-log?object=${cancelled}&operation=cancelReservation`)).toMatchObject([
      { account_id: control.operator.principal.accountId, changed_account_id: carl.principal.accountId },
    ]);
    await travel(control.world.db, "61 minutes");
    await run(control.world);
    expect(await control.data("GET", `/reservations/${kept}`)).toMatchObject({ state: "active" });
    const { rows } = await sql`select 1 from billing_spans where instance_id = ${kept}`.execute(control.world.db);
    expect(rows).toHaveLength(1);
    expect((await control.ask("POST", `/reservations/${kept}/cancel`)).status).toBe(409);
  });
});

describe("a launch with a reservation", () => {
  it("needs its id alone, costs nothing, ends with it, and shows it", async () => {
    const { made, launch, instance_type } = await setting();
    const id = await made({ from: undefined, quantity: 2 });
    const answer = await launch({ reservation_id: id, quantity: 2 });
    expect(answer.status, answer.text).toBe(200);
    const [instance] = (answer.body as { data: { id: string }[] }).data;
    const { to } = (await read(id)) as { to: string };
    const shown = { reservation_id: id, expires_at: to };
    expect(instance).toMatchObject({ ...shown, instance_type: { name: instance_type, price_cents_per_hour: 0 } });
    expect(await control.data("GET", `/instances/${instance?.id}`, { token: ann.token })).toMatchObject(shown);
    expect(await read(id)).toMatchObject({ used: 2 });
    const full = await rejected(() => launch({ reservation_id: id }), 409);
    expect([codeOf(full), full.text]).toEqual(["global/conflict", expect.stringContaining("are in use")]);
  });

  it("is rejected with another account's, an unknown one, another type, region or coupon, as spot, and with a wait", async () => {
    const { made, launch, instance_type } = await setting();
    const id = await made({ from: undefined });
    const foreign = await rejected(() => launch({ reservation_id: id }, bob), 400);
    expect([codeOf(foreign), fieldsOf(foreign)]).toEqual([expect.any(String), ["reservation_id"]]);
    const unknown = await rejected(() => launch({ reservation_id: randomUUID() }), 400);
    expect([codeOf(unknown), fieldsOf(unknown)]).toEqual([codeOf(foreign), ["reservation_id"]]);
    expect(fieldsOf(await rejected(() => launch({ reservation_id: "none" }), 400))).toEqual(["reservation_id"]);
    const other = await setting();
    for (const [more, field] of [
      [{ instance_type: other.instance_type }, "instance_type"],
      [{ region: other.region }, "region"],
      [{ coupon: "X" }, "coupon"],
      [{ spot: true }, "spot"],
      [{ instance_type, wait: { until: hour(1) } }, "wait"],
    ] as const)
      expect(fieldsOf(await rejected(() => launch({ reservation_id: id, ...more }), 400))).toEqual([field]);
  });

  it("is rejected before it begins, and once it is cancelled or has ended", async () => {
    const { made, launch } = await setting();
    const id = await made();
    const early = await rejected(() => launch({ reservation_id: id }), 409);
    expect([codeOf(early), early.text]).toEqual(["global/conflict", expect.stringContaining("begins at")]);
    await cancel(id);
    expect(codeOf(await rejected(() => launch({ reservation_id: id }), 409))).toBe("global/conflict");
    const short = await made({ from: undefined, to: hour(2) });
    await travel(control.world.db, "2 hours");
    expect(codeOf(await rejected(() => launch({ reservation_id: short }), 409))).toBe("global/conflict");
    await run(control.world);
    expect(codeOf(await rejected(() => launch({ reservation_id: short }), 409))).toBe("global/conflict");
  });

  it("gets its capacity, of which a launch without one gets none, whatever asks first", async () => {
    const { made, launch, instance_type, region } = await setting(1);
    const id = await made({ from: undefined });
    expect(codeOf(await launch({ instance_type, region }, bob))).toMatch(/insufficient-capacity$/);
    const offers = (await control.data("GET", "/offers", { token: bob.token })) as Offer[];
    const offered = offers.find((one) => one.instance_type.name === instance_type)?.regions;
    expect(offered?.find(({ name }) => name === region)?.available).toBe(0);
    expect((await launch({ reservation_id: id })).status).toBe(200);
  });

  it("uses a slot once, of two launches at once", async () => {
    const { made, launch } = await setting();
    const id = await made({ from: undefined, quantity: 1 });
    const answers = await Promise.all([1, 2, 3].map(() => launch({ reservation_id: id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await booksDisagree(control.world.db)).toEqual([]);
  });
});
