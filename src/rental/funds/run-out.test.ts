// Accounts whose money runs out are warned once a day, a day and an hour before; then their instances are stopped, and
// terminated when it was announced, unless there is money again.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { fundsOf, pay } from "../../../test/support/money.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { reserve } from "../../../test/support/reservations.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { type BalanceSettings, balanceSettings } from "../../rules/payment-terms.ts";
import { openSpans } from "../billing/spans.ts";
import type { InstanceType } from "../instances/instance.ts";
import { readBalance } from "../ledger/balance.ts";
import type { Principal } from "../service.ts";
import { readExhausted } from "./exhausted.ts";
import { runwaySeconds } from "./funds.ts";
import { checkBalances } from "./run-out.ts";

const world = worldOfFile();
/** A dollar an hour. */
let product: InstanceType;
beforeEach(async () => {
  await world.image();
  await world.host({ gpus: 8, vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ priceCentsPerHour: 100 });
});

async function active(principal: Principal): Promise<string> {
  const { id } = await world.launchOne(principal, { instanceType: product.name });
  await world.put(id, "active");
  await world.tx((tx) => openSpans(tx, [id]));
  return id;
}

const check = (settings: Partial<BalanceSettings> = {}) => checkBalances(world.db, { ...balanceSettings, ...settings });
const stateOf = async (id: string) =>
  (await world.db.selectFrom("instances").select("state").where("id", "=", id).executeTakeFirstOrThrow()).state;

interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function told(): Promise<Told[]> {
  const { rows } = await sql<Told>`
    select type, data from events where type in ('balance.low', 'balance.exhausted') order by position`.execute(
    world.db,
  );
  return rows;
}
const firstTold = async (): Promise<Told["data"]> => (await told())[0]?.data ?? {};
const words = async () =>
  (await told()).map(({ type, data }) => (type === "balance.low" ? `low ${data.within_seconds}` : "exhausted"));

async function prepaid(cents: number): Promise<Principal> {
  const principal = await world.account({ paymentTerms: "prepaid" });
  await pay(world, principal, cents);
  return principal;
}

describe("money that lasts", () => {
  it("more than a day is no reason to warn; a day and an hour are, each once", async () => {
    const principal = await prepaid(2600);
    await active(principal);
    await check();
    expect(await words()).toEqual([]);
    await travel(world.db, "2 hours 1 second");
    for (let times = 0; times < 2; times++) await check();
    expect(await words()).toEqual(["low 86400"]);
    expect(runwaySeconds(await fundsOf(world, principal))).toBeLessThanOrEqual(86_400);
    await travel(world.db, "23 hours");
    for (let times = 0; times < 2; times++) await check();
    expect((await words()).filter((word) => word === "low 3600")).toEqual(["low 3600"]);
  });

  it("less than an hour is told alone, and again when there was money since", async () => {
    const principal = await prepaid(100);
    await active(principal);
    await check();
    expect(await words()).toEqual(["low 3600"]);
    const data = await firstTold();
    const { microCents } = await readBalance(world.db, principal.accountId);
    expect(BigInt(String(data.balance_micro_cents)) - microCents).toBeLessThan(100_000_000n);
    expect(data).toMatchObject({ account_id: principal.accountId, micro_cents_per_hour: "100000000" });
    await pay(world, principal, 500);
    await check();
    await check();
    expect(await words()).toEqual(["low 3600", "low 86400"]);
  });

  it("is no matter of accounts without a bound, or where nothing runs", async () => {
    await active(await world.account());
    await prepaid(1);
    expect(await check()).toBe(0);
    expect(await words()).toEqual([]);
  });
});

describe("money that is used up", () => {
  it("stops what runs, keeps it as announced, and then terminates it", async () => {
    const principal = await prepaid(200);
    const [running, stopped] = [await active(principal), await active(principal)];
    await world.put(stopped, "stopped");
    const other = await active(await world.account());
    await travel(world.db, "1 hour 1 second");
    expect(await check()).toBe(1);
    expect([await stateOf(running), await stateOf(stopped), await stateOf(other)]).toEqual([
      "stopping",
      "stopped",
      "active",
    ]);
    const data = await firstTold();
    expect(Date.parse(String(data.terminate_at)) - Date.parse(String(data.stop_at))).toBe(86_400_000);
    await travel(world.db, "23 hours");
    expect(await check()).toBe(0);
    await travel(world.db, "1 hour");
    expect(await check()).toBe(2);
    expect([await stateOf(running), await stateOf(stopped), await stateOf(other)]).toEqual([
      "terminating",
      "terminating",
      "active",
    ]);
    const { rows } = await sql`select from instances where ended_by = 'balance'`.execute(world.db);
    expect(rows).toHaveLength(2);
    expect(await words()).toEqual(["exhausted"]);
    await check();
    expect(await readExhausted(world.db, principal.accountId)).toBeUndefined();
    await auditCapacity(world.db);
  });

  it("does so only after the grace period, by the settings of when it was announced", async () => {
    const principal = await prepaid(100);
    const id = await active(principal);
    await travel(world.db, "1 hour 1 second");
    expect(await check({ whenExhausted: "terminate", graceSeconds: 600 })).toBe(0);
    expect(await readExhausted(world.db, principal.accountId)).toMatchObject({ stopAt: null, due: undefined });
    await travel(world.db, "599 seconds");
    expect(await check()).toBe(0);
    await travel(world.db, "2 seconds");
    expect(await check()).toBe(1);
    expect(await stateOf(id)).toBe("terminating");
  });

  it("and comes again in time changes nothing; the next time is announced anew", async () => {
    const principal = await prepaid(100);
    const id = await active(principal);
    await travel(world.db, "1 hour 1 second");
    await check({ graceSeconds: 600 });
    await pay(world, principal, 50);
    await travel(world.db, "11 minutes");
    expect(await check({ graceSeconds: 600 })).toBe(0);
    expect([await stateOf(id), await readExhausted(world.db, principal.accountId)]).toEqual(["active", undefined]);
    await travel(world.db, "20 minutes");
    await check({ graceSeconds: 600 });
    expect((await words()).filter((word) => word === "exhausted")).toHaveLength(2);
  });

  it("is that of a credit line too, and ends with the bound", async () => {
    const principal = await world.account({ creditLineCents: 100 });
    const id = await active(principal);
    await travel(world.db, "1 hour 1 second");
    expect(await check({ graceSeconds: 600 })).toBe(0);
    expect(await words()).toEqual(["exhausted"]);
    await sql`update accounts set credit_line_cents = null where id = ${principal.accountId}`.execute(world.db);
    await check({ graceSeconds: 600 });
    expect([await stateOf(id), await readExhausted(world.db, principal.accountId)]).toEqual(["active", undefined]);
  });

  it("stops again what was started meanwhile", async () => {
    const principal = await prepaid(100);
    const id = await active(principal);
    await travel(world.db, "1 hour 1 second");
    await check();
    await world.put(id, "active");
    expect(await check()).toBe(1);
    expect(await stateOf(id)).toBe("stopping");
  });

  it("is not started again by its customer before there is money", async () => {
    const principal = await prepaid(100);
    const id = await active(principal);
    await travel(world.db, "1 hour 1 second");
    await check();
    await world.put(id, "stopped");
    for (const action of ["restart", "reboot"] as const)
      await changingNothing(world.db, () => refusal("conflict", world.change(principal, action, [id])));
    await pay(world, principal, 1000);
    await world.change(principal, "restart", [id]);
    expect(await stateOf(id)).not.toBe("stopped");
  });

  it("leaves alone what a reservation pays for, and its money", async () => {
    const principal = await prepaid(300);
    const { id } = await reserve(world, principal, { instanceType: product.name, to: 2 });
    const [reserved] = await world.launch(principal, { instanceType: product.name, reservationId: id, quantity: 1 });
    const own = await active(principal);
    await travel(world.db, "61 minutes");
    expect(await check()).toBe(1);
    expect(await stateOf(own)).toBe("stopping");
    expect(await stateOf(reserved?.id ?? "")).toBe("booting");
  });
});
