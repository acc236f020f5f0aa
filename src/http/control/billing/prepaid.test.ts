// Accounts that pay before, over HTTP: what operators set, what the account reads, and how each interface rejects a launch.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, startControl } from "../../../../test/support/control.ts";
import { travel } from "../../../../test/support/time-travel.ts";
import { checkBalances } from "../../../rental/funds/run-out.ts";
import { balanceSettings } from "../../../rules/payment-terms.ts";

let control: Control;
beforeAll(async () => {
  control = await startControl();
  await control.world.image();
  await control.world.host({ vcpus: 512, memoryGib: 4096, storageGb: 90_000 });
});
afterAll(() => control.close());

async function prepaid() {
  const { principal, token } = await control.customer();
  const { accountId } = principal;
  await control.data("PATCH", `/accounts/${accountId}`, { body: { payment_terms: "prepaid" } });
  const product = await control.world.product({ gpus: 0, priceCentsPerHour: 3600 });
  const own = (method: string, path: string, body?: object) => control.ask(method, path, { token, body });
  const pay = (cents: number) =>
    control.data("POST", `/accounts/${accountId}/top-ups`, {
      body: { amount_cents: cents, reference: control.world.fresh("RF") },
    });
  const launch = (body: object = {}) =>
    own("POST", "/instances", { instance_type: product.name, region: "north", ...body });
  const balance = async () => ((await own("GET", "/balance")).body as { data: Record<string, unknown> }).data;
  return { accountId, product, own, pay, launch, balance };
}

describe("a prepaid account", () => {
  it("is told what a launch lacks, and launches when that is paid", async () => {
    const { launch, pay, balance } = await prepaid();
    const refused = await launch({ quantity: 2 });
    expect([refused.status, codeOf(refused)]).toEqual([402, "global/insufficient-balance"]);
    expect(refused.text).toContain("This launch needs 7200 cents (an hour)");
    expect(await balance()).toMatchObject({ payment_terms: "prepaid", runway: null, exhausted: null });
    await pay(7200);
    expect((await launch({ quantity: 2 })).status).toBe(200);
    const { runway } = (await balance()) as { runway: { seconds: number; cents_per_hour: string } };
    expect(runway.cents_per_hour).toBe("7200.000000");
    expect(runway.seconds).toBe(3600);
  });

  it("has what waits launched as soon as money arrives", async () => {
    const { launch, pay, accountId } = await prepaid();
    const waits = await launch({ wait: { until: new Date(Date.now() + 3_600_000).toISOString() } });
    expect(waits.status, waits.text).toBe(202);
    const due = () =>
      control.world.db
        .selectFrom("waiting_launches")
        .select(["blocked_by", "next_try_at"])
        .where("account_id", "=", accountId)
        .executeTakeFirstOrThrow();
    expect(await due()).toMatchObject({ blocked_by: "spend-limit" });
    const later = new Date(Date.now() + 3_600_000);
    await control.world.db.updateTable("waiting_launches").set({ next_try_at: later }).execute();
    await pay(3600);
    expect((await due()).next_try_at.getTime()).toBeLessThan(later.getTime() - 3_000_000);
  });

  it("that is on hold reads since when, and what to do, when it launches", async () => {
    const { launch, pay, balance, accountId } = await prepaid();
    await pay(3600);
    expect((await balance()).held_since).toBeNull();
    const held_since = new Date("2026-03-01T12:00:00.000Z");
    await control.world.db.updateTable("accounts").set({ held_since }).where("id", "=", accountId).execute();
    expect((await balance()).held_since).toBe("2026-03-01T12:00:00.000Z");
    const refused = await launch();
    expect([refused.status, codeOf(refused)]).toEqual([402, "global/insufficient-balance"]);
    expect(refused.text).toContain("Your account is on hold, because a payment was disputed at your bank.");
    expect(refused.text).toContain("Ask your provider to lift the hold. What runs stays.");
  });

  it("reads when its instances are stopped and terminated, if it does not pay", async () => {
    const { launch, pay, balance } = await prepaid();
    await pay(3600);
    await launch();
    await control.world.db.updateTable("instances").set({ state: "active" }).where("state", "=", "booting").execute();
    await control.data("POST", `/accounts/${(await balance()).account_id}/adjustments`, {
      body: { amount_cents: -3600, reason: "for a test" },
    });
    await checkBalances(control.world.db, { ...balanceSettings, graceSeconds: 600 });
    const { exhausted } = (await balance()) as { exhausted: Record<string, string> };
    expect(Date.parse(exhausted.stop_at ?? "") - Date.parse(exhausted.since ?? "")).toBe(600_000);
    expect(Date.parse(exhausted.terminate_at ?? "") - Date.parse(exhausted.stop_at ?? "")).toBe(86_400_000);
    await pay(3600);
    await travel(control.world.db, "1 second");
    await checkBalances(control.world.db, balanceSettings);
    expect((await balance()).exhausted).toBeNull();
  });
});
