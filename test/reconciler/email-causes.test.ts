// What causes an email, by what happens to instances: one message of each cause to each account, with the words for people.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { killHost } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { changeAccount } from "../../src/rental/accounts/account-store.ts";
import { keepEmailSettings } from "../../src/rental/emails/queue.ts";
import { checkBalances } from "../../src/rental/funds/run-out.ts";
import { declareLost } from "../../src/rental/hosts/declare-lost.ts";
import { applyIdleRules } from "../../src/rental/idle/end-idle.ts";
import { checkBudgets, createBudget } from "../../src/rental/limits/budget-alerts.ts";
import { endLifetimes } from "../../src/rental/limits/lifetimes.ts";
import { enforceSpendLimits } from "../../src/rental/limits/spend-limits.ts";
import { changeWindow, removeWindow, scheduleWindows } from "../../src/rental/maintenance/schedule.ts";
import type { Principal } from "../../src/rental/service.ts";
import type { IdleAction } from "../../src/rules/idle.ts";
import { balanceSettings } from "../../src/rules/payment-terms.ts";
import { fundsOf, pay } from "../support/money.ts";
import { inHours, reserve, run } from "../support/reservations.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

let host: string;
let reconciler: Reconciler;
beforeEach(async () => {
  host = await stage.host();
  reconciler = stage.reconciler({
    email: {
      ...{ host: "127.0.0.1", port: 1, tls: "none", ca: undefined, login: undefined, consoleUrl: undefined },
      from: { name: "", address: "noreply@acme.example" },
      disabledKinds: [],
    },
  });
  await reconciler.idle();
});

async function customer(): Promise<Principal> {
  const principal = await stage.world.account();
  await stage.world.tx((tx) => changeAccount(tx, principal.accountId, { contactEmail: "ops@customer.example" }));
  return principal;
}

async function active(principal: Principal, order: { maxLifetimeSeconds?: number } = {}): Promise<Launched> {
  const launched = await stage.launchOne({ principal, ...order });
  await reconciler.idle();
  return launched;
}

/** Of the account: kind, subject, and the lines about what happened. */
async function told({ accountId }: Principal): Promise<[string, string, ...unknown[]][]> {
  const rows = await stage.db
    .selectFrom("emails")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("id")
    .execute();
  return rows.map(({ kind, subject, body }) => [kind, subject, ...((body as unknown[])[1] as string[])]);
}

async function nameOf({ id }: Launched): Promise<string> {
  return (await stage.row(id)).name;
}

describe("an email tells of", () => {
  it("money that runs out, that is used up, and of what ends then", async () => {
    const ada = await customer();
    await stage.world.tx((tx) => changeAccount(tx, ada.accountId, { paymentTerms: "prepaid" }));
    await pay(stage.world, ada, 100_000);
    const launched = await active(ada);
    const { perHour } = await fundsOf(stage.world, ada);
    const leave = async (cents: number) =>
      pay(stage.world, ada, cents - Number((await fundsOf(stage.world, ada)).balance / 1_000_000n));
    const settings = { ...balanceSettings, whenExhausted: "terminate", graceSeconds: 600 } as const;
    await leave(Number(perHour / 1_000_000n));
    await checkBalances(stage.db, settings);
    await leave(-1);
    await checkBalances(stage.db, settings);
    await travel(stage.db, "601 seconds");
    await checkBalances(stage.db, settings);
    const minute = expect.stringMatching(/^Your balance lasts until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect((await told(ada)).map(([kind, subject]) => [kind, subject])).toEqual([
      ["low_balance", minute],
      ["low_balance", "Your balance is used up"],
      ["instance_ended", `Instance ${await nameOf(launched)} was terminated: your balance is used up`],
    ]);
  });

  it("instances that end with their lifetime, all of an account in one", async () => {
    const [ada, eve] = [await customer(), await customer()];
    const [one, two] = [
      await active(ada, { maxLifetimeSeconds: 3600 }),
      await active(ada, { maxLifetimeSeconds: 3600 }),
    ];
    await active(eve);
    await travel(stage.db, "59 minutes");
    await endLifetimes(stage.db);
    expect(await told(ada)).toEqual([]);
    await travel(stage.db, "1 minute");
    for (const _ of [1, 2]) await endLifetimes(stage.db);
    const lines = await Promise.all(
      [one, two].map(
        async (each) =>
          `${await nameOf(each)} was terminated: its lifetime ended, or the reservation that paid for it.`,
      ),
    );
    const subject = "2 instances were stopped or terminated by a limit";
    expect(await told(ada)).toEqual([["instance_ended", subject, ...lines]]);
    expect(await told(eve)).toEqual([]);
  });

  it.each([
    ["stop", "stopped"],
    ["terminate", "terminated"],
    ["notify", undefined],
  ] as [IdleAction, string | undefined][])("an idle rule that says %s: %s", async (action, done) => {
    const ada = await customer();
    const one = await active(ada);
    await sql`update instances set idle_rule = ${JSON.stringify({ minutes: 5, action })}::jsonb,
      wished_at = now() - interval '1 hour' where id = ${one.id}`.execute(stage.db);
    await sql`insert into idle_watches (instance_id, idle_since, sampled_at)
      values (${one.id}, now() - interval '6 minutes', now())`.execute(stage.db);
    for (const _ of [1, 2]) await applyIdleRules(stage.db);
    const name = await nameOf(one);
    const line = expect.stringMatching(new RegExp(`^${name} was ${done} by its idle rule: .* since .{16} UTC\\.$`));
    const subject = `Instance ${name} was ${done}: its GPUs were not used`;
    expect(await told(ada)).toEqual(done === undefined ? [] : [["instance_ended", subject, line]]);
  });

  it("budget alerts that usage reached, all of an account in one", async () => {
    const [ada, eve] = [await customer(), await customer()];
    await stage.world.tx((tx) => changeAccount(tx, eve.accountId, { disabledEmails: ["budget"] }));
    for (const each of [ada, eve]) {
      for (const cents of [1000, 250]) await stage.world.tx((tx) => createBudget(tx, each.accountId, cents));
      const { id } = await active(each);
      await sql`update billing_spans set price_cents_per_hour = 2000000000 where instance_id = ${id}`.execute(stage.db);
    }
    await travel(stage.db, "2 seconds");
    for (const _ of [1, 2]) await checkBudgets(stage.db);
    const line = (amount: string) =>
      expect.stringMatching(new RegExp(`^Your usage of \\d{4}-\\d\\d reached \\$${amount}\\.$`));
    const subject = "Your usage reached 2 budget alerts";
    expect(await told(ada)).toEqual([["budget", subject, line("2\\.50"), line("10\\.00")]]);
    expect(await told(eve)).toEqual([]);
  });

  it("a spend limit once a month, and not of the instances that it ends", async () => {
    const ada = await customer();
    const [one] = [await active(ada), await active(ada)];
    await stage.world.tx((tx) => changeAccount(tx, ada.accountId, { spendLimitCents: 1000 }));
    await sql`update billing_spans set price_cents_per_hour = 2000000000 where instance_id = ${one.id}`.execute(
      stage.db,
    );
    await travel(stage.db, "2 seconds");
    for (const _ of [1, 2]) await enforceSpendLimits(stage.db);
    const line = expect.stringMatching(/^The spend limit of your account for \d{4}-\d\d, \$10\.00, was reached: /);
    const subject = "Your instances were terminated: a spend limit was reached";
    expect(await told(ada)).toEqual([["instance_ended", subject, line]]);
  });

  it("a lost host, once to each account, and not to accounts elsewhere", async () => {
    const [ada, eve] = [await customer(), await customer()];
    const one = await active(ada);
    await reconciler.sweepNow();
    await killHost(stage.db, host);
    await reconciler.sweepNow();
    const by = (await stage.world.account()).accountId;
    const declare = (confirmation?: string) =>
      stage.world.tx((tx) => declareLost(tx, host, { reason: "Written off", confirmation, by }));
    const { confirmation } = await declare();
    expect(await told(ada)).toEqual([]);
    await declare(confirmation);
    const name = await nameOf(one);
    expect(await told(ada)).toEqual([["host_lost", `Instance ${name} was lost with its host`, name]]);
    expect(await told(eve)).toEqual([]);
  });

  it("maintenance when it is scheduled, and again each time it is moved, also back", async () => {
    const [ada, eve] = [await customer(), await customer()];
    await active(ada);
    const by = eve.accountId;
    const [from, to, later] = [inHours(1), inHours(2), inHours(3)];
    const order = {
      host,
      selector: undefined,
      beginsAt: from,
      endsAt: to,
      deferrableUntil: null,
      reason: "New <b>disk</b>",
    };
    const [window] = await stage.world.tx((tx) => scheduleWindows(tx, { ...order, mode: "stop" }, by));
    const change = (beginsAt: Date, endsAt: Date) =>
      stage.world.tx((tx) => changeWindow(tx, window?.id ?? "", { beginsAt, endsAt }));
    for (const _ of [1, 2]) await change(to, later);
    await change(from, to);
    await stage.world.tx((tx) => removeWindow(tx, window?.id ?? "", undefined));
    const minute = (at: Date) => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    const of = (begin: Date, end: Date) => [
      "maintenance",
      `Maintenance on ${minute(begin)}`,
      expect.stringContaining(`${minute(begin)} to ${minute(end)}, 1 instance: New <b>disk</b>`),
    ];
    expect(await told(ada)).toEqual([of(from, to), of(to, later), of(from, to)]);
    expect(await told(eve)).toEqual([]);
  });

  it("maintenance to each account, also if they have the same address", async () => {
    const both = [await customer(), await customer()];
    for (const each of both) await active(each);
    const order = { host, selector: undefined, beginsAt: inHours(1), endsAt: inHours(2), deferrableUntil: null };
    await stage.world.tx((tx) =>
      scheduleWindows(tx, { ...order, reason: "New disk", mode: "stop" }, both[0]?.accountId ?? ""),
    );
    for (const each of both) {
      expect(await told(each)).toEqual([["maintenance", expect.any(String), expect.stringContaining("1 instance: ")]]);
    }
  });

  it("a reservation that could not begin", async () => {
    const ada = await customer();
    const { name: instanceType } = await stage.product();
    const { name } = await reserve(stage.world, ada, { instanceType, from: 10, to: 20 });
    await travel(stage.db, "21 hours");
    for (const _ of [1, 2]) await run(stage.world);
    const line = expect.stringMatching(/UTC: The service did not run during its time\.$/);
    expect(await told(ada)).toEqual([["reservation_unfulfilled", `Reservation ${name} could not begin`, line]]);
  });

  it("nothing, where email is not configured", async () => {
    await keepEmailSettings(stage.db, undefined);
    const ada = await customer();
    await active(ada, { maxLifetimeSeconds: 3600 });
    await travel(stage.db, "1 hour");
    await endLifetimes(stage.db);
    expect(await told(ada)).toEqual([]);
  });
});
