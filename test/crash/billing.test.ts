// Billing over random histories: instances are launched, become active, stop, start again, fail, vanish and end at
// random moments over months, while prices and coupons change and the clock is set back. What the service says of every
// instance, day, month and statement is held against a small model (billing-model.ts), to the second, to the micro-cent.

import { sql } from "kysely";
import { expect, it } from "vitest";
import type { Transaction } from "../../src/database/connect.ts";
import { recordHealth } from "../../src/reconciler/resync-store.ts";
import { closeMonths } from "../../src/rental/billing/close-months.ts";
import { noteDowntime } from "../../src/rental/billing/downtime.ts";
import { listStatements, monthOf, statementLines } from "../../src/rental/billing/statements.ts";
import { totalCost, usageLines } from "../../src/rental/billing/usage.ts";
import { usageParts } from "../../src/rental/billing/usage-parts.ts";
import { RentalError } from "../../src/rental/errors.ts";
import { change } from "../../src/rental/instances/change.ts";
import type { InstanceType } from "../../src/rental/instances/instance.ts";
import { type ObservationDetails, recordObservation } from "../../src/rental/instances/record-observation.ts";
import { readBalance } from "../../src/rental/ledger/balance.ts";
import { ledgerDifferences } from "../../src/rental/ledger/differences.ts";
import { postUsage } from "../../src/rental/ledger/post-usage.ts";
import type { Principal } from "../../src/rental/service.ts";
import type { DowntimeSettings } from "../../src/rules/downtime.ts";
import { launch } from "../support/launch-all.ts";
import { fc } from "../support/properties.ts";
import { extent } from "../support/short.ts";
import { travel } from "../support/time-travel.ts";
import { launchOrder, only, worldOfFile } from "../support/world.ts";
import { BillingModel, type ModelInstance, type Used } from "./billing-model.ts";
import { figure } from "./figures.ts";

const world = worldOfFile();

const facts = ["ready", "halted", "launchFailed", "vanished"] as const;
const wishes = ["stop", "restart", "terminate"] as const;
const day = 86_400_000_000;

/** How many microseconds pass: from none to six weeks, often whole seconds, hours, days. */
const pause = fc.oneof(
  fc.nat(42 * day),
  fc.nat(5_000_000),
  fc.nat(3600).map((seconds) => seconds * 1_000_000),
  fc.nat(42).map((days) => days * day),
);
const which = fc.nat(50);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("launch" as const), account: fc.nat(1), coupon: fc.boolean() }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("fact" as const), fact: fc.constant("ready" as const), which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("fact" as const), fact: fc.constantFrom(...facts), which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("wish" as const),
      wish: fc.constantFrom(...wishes),
      batch: fc.array(which, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("lost" as const),
      which,
      agoMs: fc.oneof(fc.nat(2000), fc.nat(day / 1000)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("outage" as const),
      which,
      agoMicros: fc.oneof(fc.nat(600_000_000), fc.nat(day)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("return" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("look" as const) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("pass" as const), micros: pause }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("back" as const), micros: fc.nat(3 * day) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("price" as const), cents: fc.oneof(fc.nat(5000), fc.nat(2_147_483_647)) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("coupon" as const), points: fc.integer({ min: 1, max: 10_000 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Where one of the times is put in the end: so many months back, and this close to the month's first moment. */
const align = fc.option(
  fc.record({
    which,
    ofEnd: fc.boolean(),
    months: fc.integer({ min: 0, max: 3 }),
    off: fc.constantFrom(-1_000_000, -1, 0, 1, 1_000_000),
  }),
);

const histories = fc.array(step, { minLength: 10, maxLength: 40, size: "max" });
const policies = fc.constantFrom("pause" as const, "credit" as const);

const counted = { histories: 0, spans: 0, days: 0, months: 0, lines: 0, downSeconds: 0, differences: 0 };

/** One history, and the model that lives through it. */
class History {
  readonly model: BillingModel;
  readonly #downtime: DowntimeSettings;
  readonly #owners = new Map<string, Principal>();
  readonly #principals: readonly Principal[];
  #product: InstanceType;
  #discount = 1000;
  readonly #coupon = world.fresh("COUPON");
  /** How far the clock was moved: what the model's times are ahead of the database's. */
  #moved = 0n;

  constructor(principals: readonly Principal[], product: InstanceType, policy: "pause" | "credit") {
    this.model = new BillingModel(policy === "credit");
    this.#downtime = { policy, toleranceSeconds: 300 };
    this.#principals = principals;
    this.#product = product;
  }

  get accountIds(): readonly string[] {
    return this.#principals.map(({ accountId }) => accountId);
  }

  get shift(): bigint {
    return -this.#moved;
  }

  async putCoupon(discountBasisPoints: number): Promise<void> {
    this.#discount = discountBasisPoints;
    await world.coupon({ code: this.#coupon, discountBasisPoints, deactivationDate: new Date("9000-01-01T00:00:00Z") });
  }

  async take(step: Step): Promise<void> {
    if (step.do === "pass") return this.move(BigInt(step.micros));
    if (step.do === "back") return this.move(-BigInt(step.micros));
    if (step.do === "coupon") return this.putCoupon(step.points);
    if (step.do === "price") {
      this.#product = await world.product({ ...this.#product, priceCentsPerHour: step.cents });
      return;
    }
    if (step.do === "launch") return this.#launch(step.account, step.coupon);
    if (this.model.instances.length === 0) return;
    if (step.do === "look") {
      await postUsage(world.db);
      return this.look();
    }
    if (step.do === "outage") return this.#outage(this.#pick(step.which), step.agoMicros);
    if (step.do === "return") return this.#return(this.#pick(step.which));
    if (step.do === "lost") return this.#lost(this.#pick(step.which), step.agoMs);
    if (step.do === "fact") return this.#fact(step.fact, this.#pick(step.which));
    return this.#wish(
      step.wish,
      step.batch.map((which) => this.#pick(which)),
    );
  }

  async move(micros: bigint): Promise<void> {
    await travel(world.db, `${micros} microseconds`);
    this.#moved += micros;
  }

  /** Puts a span's start or end close to the beginning of a month, if that lies further back. */
  async align({ which, ofEnd, months, off }: { which: number; ofEnd: boolean; months: number; off: number }) {
    if (this.model.instances.length === 0) return;
    const { start, end } = this.#pick(which);
    const time = ofEnd ? end : start;
    if (time === undefined) return;
    const now = new Date(Number((time + this.shift) / 1000n));
    const target = BigInt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)) * 1000n + BigInt(off);
    if (target < time + this.shift) await this.move(time + this.shift - target);
  }

  #pick(which: number): ModelInstance {
    const found = this.model.instances[which % this.model.instances.length];
    if (found === undefined) throw new Error("there is one");
    return found;
  }

  async #launch(account: number, coupon: boolean): Promise<void> {
    const principal = this.#principals[account];
    if (principal === undefined) throw new Error("there are two");
    const order = launchOrder({ instanceType: this.#product.name, coupon: coupon ? this.#coupon : undefined });
    const { id } = only(await world.tx((tx) => launch(tx, world.service, principal, order)));
    this.#owners.set(id, principal);
    this.model.launch(id, this.#product.priceCentsPerHour, coupon ? this.#discount : 0);
  }

  async #fact(fact: (typeof facts)[number], one: ModelInstance): Promise<void> {
    const details: ObservationDetails = {
      ready: { ip: "203.0.113.1" },
      down: {},
      halted: {},
      launchFailed: { failure: { code: "test", message: "As a test wants it." } },
      vanished: { failure: { code: "test", message: "As a test wants it." } },
      startFailed: { failure: { code: "test", message: "As a test wants it." } },
      removed: {},
      hostLost: { servedUntil: new Date() },
    };
    await world.tx(async (tx) => {
      const { generation } = await tx
        .selectFrom("instances")
        .select("generation")
        .where("id", "=", one.id)
        .executeTakeFirstOrThrow();
      const applied = await recordObservation(tx, { id: one.id, generation }, fact, details[fact]);
      expect(applied, fact).toBe(this.model[fact](one, await this.#now(tx)));
    });
  }

  /** Its host is declared lost, and was last known to serve it so many milliseconds ago, or when its outage began. */
  async #lost(one: ModelInstance, agoMs: number): Promise<void> {
    if (one.state === "ended") return;
    await world.tx(async (tx) => {
      const { generation } = await tx
        .selectFrom("instances")
        .select("generation")
        .where("id", "=", one.id)
        .executeTakeFirstOrThrow();
      // Times in JavaScript are whole milliseconds.
      const served = one.outage?.since ?? (await this.#now(tx)) - BigInt(agoMs) * 1000n;
      const until = Number((served - this.#moved) / 1000n);
      const details = { servedUntil: new Date(until), failure: { code: "test", message: "As a test wants it." } };
      expect(await recordObservation(tx, { id: one.id, generation }, "hostLost", details)).toBe(true);
      this.model.hostLost(one, BigInt(until) * 1000n + this.#moved);
    });
  }

  /** Its host was last reached so long ago, and is not reached now. */
  async #outage(one: ModelInstance, agoMicros: number): Promise<void> {
    if (one.start === undefined || one.terminated || one.outage !== undefined) return;
    await world.tx(async (tx) => {
      await sql`
        update instances set health = 'unreachable', unreachable_since = now() - ${agoMicros} * interval '1 microsecond'
        where id = ${one.id}`.execute(tx);
      this.model.unreachable(one, (await this.#now(tx)) - BigInt(agoMicros));
    });
  }

  /** Its host is reached again, as the resync finds. */
  async #return(one: ModelInstance): Promise<void> {
    if (one.terminated || one.outage === undefined) return;
    await this.look();
    const before = await world.tx((tx) => this.#now(tx));
    await recordHealth(world.db, [one.id], "ok");
    const { rows } = await sql<{ ended: string | null }>`
      select (extract(epoch from coalesce(credited_at, upper(downtime))) * 1000000)::bigint::text as ended
      from billing_spans where instance_id = ${one.id}`.execute(world.db);
    // When exactly it was recorded, the service decides.
    const ended = rows[0]?.ended;
    this.model.reachable(one, ended === null || ended === undefined ? before : BigInt(ended) + this.#moved);
  }

  /** As the resync looks for what is down for longer than the tolerance. */
  async look(): Promise<void> {
    await noteDowntime(world.db, "simulated", this.#downtime);
    this.model.look(await world.tx((tx) => this.#now(tx)));
  }

  /** A batch is all or nothing: of one account, and refused whole where one may not. */
  async #wish(wish: (typeof wishes)[number], batch: readonly ModelInstance[]): Promise<void> {
    const principal = this.#owners.get(batch[0]?.id ?? "");
    if (principal === undefined) throw new Error("somebody launched it");
    const own = [...new Set(batch)].filter(({ id, terminated }) => this.#owners.get(id) === principal && !terminated);
    if (own.length === 0) return;
    const before = own.map((one) => ({ ...one }));
    await world
      .tx(async (tx) => {
        const now = await this.#now(tx);
        const allowed = own.map((one) => this.model[wish](one, now)).every(Boolean);
        const ids = own.map(({ id }) => id);
        const asked = change(tx, world.service, principal, wish, ids, "ids");
        if (allowed) await asked;
        else await expect(asked, wish).rejects.toThrow(RentalError);
        if (!allowed) throw new Refused();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        for (const [index, one] of own.entries()) Object.assign(one, before[index]);
      });
  }

  /** The transaction's time, by the clock that was moved. */
  async #now(tx: Transaction): Promise<bigint> {
    return (await databaseMicros(tx)) + this.#moved;
  }
}

class Refused extends Error {}

async function databaseMicros(tx: Transaction): Promise<bigint> {
  const { rows } = await sql<{
    now: string;
  }>`select (extract(epoch from now()) * 1000000)::bigint::text as now`.execute(tx);
  return BigInt(only(rows).now);
}

/** What the service says of everybody's usage, against the model. */
async function compareUsage(history: History): Promise<void> {
  const { model, shift } = history;
  await world.tx(async (tx) => {
    const now = (await databaseMicros(tx)) - shift;
    const forEver: [bigint, bigint] = [-(10n ** 18n), 10n ** 18n];
    const spans = model.instances.filter(({ start }) => start !== undefined);
    const lines = await usageLines(tx, {});
    compare(
      new Map(lines.map((line) => [line.subject.id, used(line)])),
      new Map(spans.map((one) => [one.id, text(model.used(one, ...forEver, now))])),
    );
    const total = spans.reduce((sum, one) => sum + model.used(one, ...forEver, now).cost, 0n);
    const credit = spans.reduce((sum, one) => sum + model.used(one, ...forEver, now).credit, 0n);
    const said = await totalCost(tx, {});
    compare(
      new Map([["total", `${said.costMicroCents} ${said.creditMicroCents}`]]),
      new Map([["total", `${total} ${credit}`]]),
    );
    counted.downSeconds += spans.reduce((sum, one) => sum + model.used(one, ...forEver, now).down, 0);
    for (const unit of ["day", "month"] as const) {
      const parts = await usageParts(tx, { unit, per: "instance" });
      compare(
        new Map(parts.map((part) => [`${part.part} ${part.subject?.id}`, used(part)])),
        new Map(spans.flatMap((one) => named(one.id, model.parts(one, unit, now, shift)))),
      );
      counted[unit === "day" ? "days" : "months"] += parts.length;
    }
    counted.spans += spans.length;
  });
}

/** The closed statements, against the model, and against what the list says of them. */
async function compareStatements(history: History): Promise<void> {
  const { model, shift } = history;
  await postUsage(world.db);
  const closed = new Set(await closeMonths(world.db));
  expect(await ledgerDifferences(world.db)).toEqual([]);
  await world.tx(async (tx) => {
    for (const accountId of history.accountIds) {
      const { costMicroCents, creditMicroCents } = await totalCost(tx, { accountId });
      expect((await readBalance(tx, accountId)).microCents).toBe(creditMicroCents - costMicroCents);
    }
    const now = (await databaseMicros(tx)) - shift;
    const listed = await listStatements(tx, { accountId: undefined });
    const lines = new Map<string, string>();
    for (const name of new Set(listed.map(({ month }) => month))) {
      const month = monthOf(name);
      if (month === undefined) throw new Error(`${name} is no month`);
      const found = await statementLines(tx, month, { accountId: undefined });
      for (const line of found) lines.set(`${name} ${line.subject.id}`, used(line));
      for (const one of listed.filter(({ month }) => month === name)) {
        const own = found.filter((line) => line.accountId === one.accountId);
        expect(one.costMicroCents).toBe(own.reduce((sum, line) => sum + line.costMicroCents, 0n));
        expect([one.instances, one.closedAt !== null]).toEqual([own.length, closed.has(name)]);
      }
    }
    compare(lines, new Map(model.instances.flatMap((one) => named(one.id, model.parts(one, "month", now, shift)))));
    counted.lines += lines.size;
  });
}

function compare(said: Map<string, string>, expected: Map<string, string>): void {
  for (const key of new Set([...said.keys(), ...expected.keys()])) {
    if (said.get(key) !== expected.get(key)) counted.differences += 1;
  }
  expect(said).toEqual(expected);
}

const text = ({ seconds, cost, down, credit }: Used) =>
  `${seconds} s, ${cost} micro-cents, ${down} s down, ${credit} credited`;
const used = (line: {
  readonly seconds: number;
  readonly costMicroCents: bigint;
  readonly downtimeSeconds: number;
  readonly creditMicroCents: bigint;
}) =>
  text({
    seconds: line.seconds,
    cost: line.costMicroCents,
    down: line.downtimeSeconds,
    credit: line.creditMicroCents,
  });
const named = (id: string, parts: Map<string, Used>): [string, string][] =>
  [...parts].map(([part, one]) => [`${part} ${id}`, text(one)]);

it("bills random histories to the second, to the micro-cent", async () => {
  const millis = extent(180, 15) * 1000;
  try {
    await fc.assert(
      fc.asyncProperty(histories, policies, align, async (steps, policy, aligned) => {
        await world.empty();
        await world.image();
        await world.host({ vcpus: 5000, memoryGib: 90_000, storageGb: 900_000 });
        const product = await world.product({ gpus: 0, priceCentsPerHour: 129 });
        const history = new History([await world.account(), await world.account()], product, policy);
        await history.putCoupon(1000);
        for (const one of steps) await history.take(one);
        if (aligned !== null) await history.align(aligned);
        await history.look();
        await compareUsage(history);
        await compareStatements(history);
        counted.histories += 1;
      }),
      { numRuns: 1_000_000, interruptAfterTimeLimit: millis, endOnFailure: true },
    );
  } finally {
    const { differences, ...seen } = counted;
    const of = `${seen.histories} histories, ${seen.spans} spans, ${seen.days} days, ${seen.months} months, ${seen.lines} lines of statements, ${seen.downSeconds} seconds of downtime`;
    figure("differences between the bill and its model", { reached: differences, toReach: 0, of });
  }
  expect(counted.days).toBeGreaterThan(extent(1000, 50));
  expect(counted.downSeconds).toBeGreaterThan(0);
});
