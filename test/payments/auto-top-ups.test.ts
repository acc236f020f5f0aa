// A balance that falls below its account's threshold is topped up with the saved method: one payment at a time, none twice, of
// a month no more than the cap, and no more after two declines.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import type { PaymentGate, PaymentPoint } from "../../src/payments/points.ts";
import { holdAccount } from "../../src/rental/accounts/holds.ts";
import { orderAutomatic } from "../../src/rental/auto-top-ups/order.ts";
import { removeAutoTopUp } from "../../src/rental/auto-top-ups/store.ts";
import { keepEmailSettings } from "../../src/rental/emails/queue.ts";
import { removeMethod } from "../../src/rental/payment-methods/method-store.ts";
import { hintAllPayments, hintPayments } from "../../src/rental/payments/checks.ts";
import type { Principal } from "../../src/rental/service.ts";
import { openPaymentStatuses } from "../../src/rules/payments.ts";
import { booksDisagree } from "../support/books.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { refusal } from "../support/refusals.ts";
import { worldOfFile } from "../support/world.ts";
import { automaticOf } from "./automatic.ts";

const world = worldOfFile();
let stripe: FakeStripe;
let customer: Principal;
beforeEach(async () => {
  await world.empty();
  stripe = await startFakeStripe();
  customer = await world.account();
});
const { replica, settle, pass, balance, events, tick, save, turnOn, autoTopUp, spend, intents, charged, orderFor } =
  automaticOf(world, () => stripe);
const told = () => events(customer, "auto_top_up");
const payments = () =>
  world.db.selectFrom("payments").selectAll().where("payment_method_id", "is not", null).orderBy("id").execute();
const states = async () => (await payments()).map(({ status, failure }) => failure ?? status);

describe("auto top-up", () => {
  it("charges the saved method when the balance is below the threshold, and not above it", async () => {
    const method = await save(customer);
    await turnOn(customer);
    expect(await tick()).toEqual([]);
    expect([await balance(customer), await events(customer)]).toEqual([5000, ["received"]]);
    expect(await payments()).toMatchObject([{ payment_method_id: method, status: "paid", checkout_url: null }]);
    await tick();
    await spend(customer, 4000);
    await tick();
    expect(intents(customer)).toHaveLength(1);
    await spend(customer, 1);
    await tick();
    expect([await balance(customer), charged(customer)]).toEqual([5999, 10_000]);
    expect(await autoTopUp(customer)).toMatchObject({ chargedThisMonthCents: 10_000, turnedOffAt: null });
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("of replicas at once is one payment and one charge", async () => {
    await save(customer);
    await turnOn(customer);
    let second: Promise<string | undefined> = Promise.resolve(undefined);
    await world.tx(async (tx) => {
      await orderAutomatic(tx, customer.accountId, { provider: "stripe", currency: "usd" });
      let isOver = false;
      second = orderFor(customer).finally(() => {
        isOver = true;
      });
      const waiting = sql`select from pg_locks where not granted and (database is null or database = (
        select oid from pg_database where datname = current_database()))`;
      await expect.poll(async () => isOver || (await waiting.execute(world.db)).rows.length > 0).toBe(true);
    });
    expect(await second).toBeUndefined();
    await Promise.all([1, 2, 3, 4].map(() => orderFor(customer)));
    expect(await payments()).toHaveLength(1);
    await Promise.all([tick(), tick(), tick()]);
    expect([intents(customer).length, await balance(customer)]).toEqual([1, 5000]);
  });

  it("is one payment at a time by the database", async () => {
    await save(customer);
    await turnOn(customer);
    const id = await orderFor(customer);
    const again = sql`
      insert into payments (id, account_id, provider, amount_cents, currency, status, payment_method_id)
      select gen_random_uuid(), account_id, provider, amount_cents, currency, status, payment_method_id
      from payments where id = ${id}`;
    await expect(again.execute(world.db)).rejects.toThrow("payments_one_automatic");
    const { rows } = await sql<{ text: string }>`
      select pg_get_indexdef('payments_one_automatic'::regclass) as text`.execute(world.db);
    const words = [...(rows[0]?.text.matchAll(/'([a-z]+)'::text/g) ?? [])].map(([, word]) => word);
    expect(words).toEqual(openPaymentStatuses);
  });

  it("charges at most the cap in a calendar month", async () => {
    await save(customer);
    await turnOn(customer, { thresholdCents: 100_000, amountCents: 5000, monthlyCapCents: 12_000 });
    for (let time = 0; time < 5; time++) await Promise.all([tick(), tick()]);
    expect([charged(customer), await balance(customer)]).toEqual([10_000, 10_000]);
    await pass(32 * 86_400);
    for (let time = 0; time < 5; time++) await tick();
    expect(charged(customer)).toBe(20_000);
  });

  it("by a method that takes days is in progress for so long", async () => {
    await save(customer, "slow");
    await turnOn(customer);
    for (let time = 0; time < 3; time++) {
      await tick();
      await pass(86_400);
    }
    expect([await states(), await balance(customer)]).toEqual([["processing"], 0]);
    stripe.world.settleCharge((await payments())[0]?.id ?? "", true);
    await pass(3600);
    await tick();
    expect([await states(), await balance(customer)]).toEqual([["paid"], 5000]);
  });

  it("is refunded and disputed as any payment", async () => {
    await save(customer);
    await turnOn(customer);
    await tick();
    const id = (await payments())[0]?.id ?? "";
    stripe.world.refund(id, 1000);
    stripe.world.dispute(id, "needs_response");
    await world.tx((tx) => hintPayments(tx, [{ id }]));
    await settle();
    expect([await balance(customer), await events(customer)]).toEqual([0, ["received", "refunded", "disputed"]]);
    await tick(); // on hold
    expect(intents(customer)).toHaveLength(1);
  });

  it("charges nothing of accounts on hold or inactive, nor after it was removed", async () => {
    await save(customer);
    await turnOn(customer);
    await sql`update accounts set status = 'inactive'`.execute(world.db);
    await tick();
    await sql`update accounts set status = 'active'`.execute(world.db);
    await orderFor(customer);
    await world.tx((tx) => holdAccount(tx, customer.accountId, "du_1"));
    await settle();
    await sql`update accounts set held_since = null`.execute(world.db);
    await pass(1000);
    await orderFor(customer);
    await world.tx((tx) => removeAutoTopUp(tx, customer.accountId));
    await tick();
    expect([await states(), intents(customer)]).toEqual([["withdrawn", "withdrawn"], []]);
  });

  it("needs a method that can be charged, and amounts that fit", async () => {
    expect(await refusal("conflict", turnOn(customer))).toBeDefined();
    const method = await save(customer);
    const pending = await replica().methods.order(customer);
    expect(await refusal("conflict", turnOn(customer, { paymentMethodId: pending }))).toBeDefined();
    const other = await world.account();
    await save(other);
    expect(await refusal("unknown-object", turnOn(other, { paymentMethodId: method }))).toBeDefined();
    for (const [wrong, name] of [
      [{ amountCents: 499 }, "amount_cents"],
      [{ amountCents: 1_000_001, monthlyCapCents: 2_000_000 }, "amount_cents"],
      [{ monthlyCapCents: 4999 }, "monthly_cap_cents"],
    ] as const) {
      expect((await refusal("invalid-parameters", turnOn(customer, wrong))).fields).toHaveProperty(name);
    }
  });
});

describe("auto top-up is turned off", () => {
  it.each([
    ["declining", "generic_decline"],
    ["authenticating", "authentication_required"],
  ] as const)(
    "by two declines of a card that is %s, with an event, until it is turned on again",
    async (card, word) => {
      await save(customer, card);
      await turnOn(customer);
      await tick();
      await tick();
      expect([await states(), await told(), (await autoTopUp(customer))?.turnedOffAt]).toEqual([[word], [], null]);
      await pass(901);
      await tick();
      expect([await states(), await told()]).toEqual([[word, word], ["turned_off"]]);
      expect(await autoTopUp(customer)).toMatchObject({ turnedOffAt: expect.any(Date), turnedOffReason: word });
      await pass(86_400);
      await tick();
      expect(intents(customer)).toHaveLength(2);
      await save(customer);
      await turnOn(customer);
      await tick();
      expect([await balance(customer), await told(), await balance(customer)]).toEqual([5000, ["turned_off"], 5000]);
    },
  );

  it("not by two declines with a success between them", async () => {
    for (const card of ["declining", "good", "declining"] as const) {
      await save(customer, card);
      if (card === "declining" && (await autoTopUp(customer)) === undefined) await turnOn(customer);
      await tick();
      await spend(customer, 5000);
      await pass(901);
    }
    expect([await states(), await told()]).toEqual([["generic_decline", "paid", "generic_decline"], []]);
  });

  it("with one email that says why, which the account can turn off", async () => {
    const smtp = {
      host: "127.0.0.1",
      port: 1,
      tls: "none",
      ca: undefined,
      login: undefined,
      consoleUrl: undefined,
    } as const;
    const from = { name: "", address: "noreply@acme.example" };
    await keepEmailSettings(world.db, { ...smtp, from, disabledKinds: [] });
    for (const disabled of [[], ["auto_top_up"]]) {
      const one = await world.account();
      await sql`
        update accounts set contact_email = 'ops@acme.example', disabled_emails = ${disabled} where id = ${one.accountId}`.execute(
        world.db,
      );
      await save(one, "authenticating");
      await turnOn(one);
      for (let time = 0; time < 2; time++) {
        await tick();
        await pass(901);
      }
      const emails = world.db.selectFrom("emails").selectAll().where("kind", "=", "auto_top_up");
      const [first, ...others] = await emails.where("account_id", "=", one.accountId).execute();
      expect([first?.subject, others]).toEqual([disabled.length === 0 ? "Auto top-up was turned off" : undefined, []]);
      if (first) expect(JSON.stringify(first.body)).toContain("your bank wants you to confirm each payment yourself");
    }
    await keepEmailSettings(world.db, undefined);
  });

  it("when there is nothing left to charge", async () => {
    const method = await save(customer);
    await turnOn(customer, { paymentMethodId: method });
    await save(customer);
    await world.tx((tx) => removeMethod(tx, customer.accountId, method));
    await tick();
    expect([await told(), intents(customer)]).toEqual([["turned_off"], []]);
    expect(await autoTopUp(customer)).toMatchObject({ turnedOffReason: "no_payment_method" });
  });
});

describe("a charge that gets no response", () => {
  it.each(
    (["die-before", "die-after", "error-before", "error-after", "busy"] as const).flatMap((fate) =>
      ([/POST .*payment_intents$/, /POST .*confirm/, /GET .*payment_intents/] as const).map(
        (path) => [fate, path] as const,
      ),
    ),
  )("(%s, %s) is made once", async (fate, path) => {
    await save(customer);
    await turnOn(customer);
    stripe.next(path, fate);
    await tick();
    await pass(30);
    await tick();
    expect([await states(), intents(customer).length, await balance(customer)]).toEqual([["paid"], 1, 5000]);
  });

  it("is given up after ten minutes, canceled there, and no decline; another follows", async () => {
    await save(customer);
    await turnOn(customer);
    stripe.next(/POST .*confirm/, "error-before");
    await tick();
    await pass(700);
    await tick();
    expect([await states(), intents(customer).map(({ status }) => status)]).toEqual([
      ["provider_unreachable"],
      ["canceled"],
    ]);
    await pass(901);
    await tick();
    expect([await states(), await told()]).toEqual([["provider_unreachable", "paid"], []]);
  });

  it("and was given up before it was prepared stays so when all payments are checked", async () => {
    await save(customer);
    await turnOn(customer);
    await orderFor(customer);
    await pass(700);
    expect(await settle()).toEqual([]);
    await world.tx(hintAllPayments);
    expect(await settle()).toEqual([]);
    expect([await states(), intents(customer), await balance(customer)]).toEqual([["provider_unreachable"], [], 0]);
  });

  it("that the provider refuses has failed, and is canceled there", async () => {
    await save(customer);
    await turnOn(customer);
    stripe.next(/POST .*payment_intents$/, "refuse");
    await tick();
    await pass(901);
    stripe.next(/POST .*confirm/, "refuse");
    await tick();
    expect([await states(), await told()]).toEqual([["provider_rejected", "provider_rejected"], ["turned_off"]]);
    expect(intents(customer).map(({ status }) => status)).toEqual(["canceled"]);
  });

  it.each(["chargePrepared", "chargeNoted", "chargeConfirmed"] as const)(
    "of a process that stood still at %s for long charges nothing",
    async (point) => {
      await save(customer);
      await turnOn(customer);
      const going = Promise.withResolvers<void>();
      const still = Promise.withResolvers<void>();
      const gate: PaymentGate = async (passed: PaymentPoint, pass) => {
        if (passed !== point) return pass();
        still.resolve();
        await going.promise;
        return pass();
      };
      const late = tick(replica(gate));
      await still.promise;
      await pass(700);
      await tick();
      await pass(901);
      await tick();
      going.resolve();
      await late;
      expect([charged(customer), await balance(customer)]).toEqual([5000, 5000]);
      expect((await states()).slice(-2)).toEqual(["provider_unreachable", "paid"]);
    },
  );
});
