// What a scrape shows of the database, and that the database never holds a scrape up.

import { describe, expect, it } from "vitest";
import { reserve, run } from "../../test/support/reservations.ts";
import { stageOfFile } from "../../test/support/stage.ts";
import { Waiting } from "../../test/support/waiting.ts";
import { checkLedger } from "../rental/ledger/differences.ts";
import { showDatabase } from "./database-gauges.ts";
import { showPool } from "./database-pool.ts";
import { Metrics } from "./metrics.ts";

const stage = stageOfFile();

/** Value by series, such as `lessor_gpus{region="north",model="H100"}`. */
async function scrape(metrics: Metrics): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("lessor_"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

function shown(options: Parameters<typeof showDatabase>[3] = {}) {
  const metrics = new Metrics();
  const errors: unknown[] = [];
  const gauges = showDatabase(metrics, stage.db, (error) => errors.push(error), options);
  return { metrics, errors, gauges };
}

describe("what the metrics tell of the rental", () => {
  it("is its hosts, what is free on those that are open, its instances and what they cost", async () => {
    await stage.world.host({ gpus: 8, gpuModel: "H100", vcpus: 64 });
    await stage.world.host({ gpus: 8, gpuModel: "H100", vcpus: 64, cordoned: true });
    await stage.world.host({ region: "south", vcpus: 32, available: false });
    const { errors, metrics } = shown();
    const values = await scrape(metrics);
    expect(errors).toEqual([]);
    expect(values).toMatchObject({
      'lessor_hosts{region="north",state="up"}': 1,
      'lessor_hosts{region="north",state="cordoned"}': 1,
      'lessor_hosts{region="south",state="unreachable"}': 1,
      'lessor_gpus{region="north",model="H100"}': 16,
      'lessor_gpus_free{region="north",model="H100"}': 8,
      'lessor_vcpus{region="north"}': 128,
      'lessor_vcpus_free{region="north"}': 64,
      'lessor_vcpus_free{region="south"}': 0,
      lessor_reconciler_due: 0,
      lessor_reconciler_leases: 0,
      lessor_billing_open_spans: 0,
      lessor_billing_month_cents: 0,
      lessor_webhook_deliveries_pending: 0,
      lessor_replicas: 0,
      lessor_audit_rows: expect.any(Number),
    });
  });

  it("is the launches that wait, by what blocks them, and the GPUs that they want", async () => {
    const waiting = new Waiting(stage.world);
    await stage.world.image();
    await stage.world.host({ gpus: 8, gpuModel: "H100" });
    await stage.world.product({ name: "wide", gpus: 8, gpuModel: "H100", vcpus: 1 });
    const [ann, poor] = [await waiting.customer(), await waiting.customer({ quotas: { gpus: 0 } })];
    await stage.world.launchOne(ann, { instanceType: "wide" });
    await waiting.waits(ann, { instanceType: "wide" });
    await waiting.waits(poor, { instanceType: "wide" });
    const { metrics } = shown();
    expect(await scrape(metrics)).toMatchObject({
      'lessor_waiting_launches{blocker="capacity"}': 2,
      'lessor_waiting_launches{blocker="price"}': 0,
      'lessor_waiting_gpus{model="H100"}': 16,
    });
  });

  it("is the reservations that are not over, their GPUs, and what hosts cannot keep of them", async () => {
    const host = await stage.world.host({ gpus: 8, gpuModel: "H100" });
    const { name: instanceType } = await stage.world.product({ gpus: 2, gpuModel: "H100", vcpus: 1 });
    const principal = await stage.world.account();
    await reserve(stage.world, principal, { instanceType, to: 5, quantity: 2 });
    await reserve(stage.world, principal, { instanceType, from: 10, to: 15 });
    const values = { 'lessor_reservations{state="active"}': 1, 'lessor_reserved_gpus{model="H100"}': 4 };
    const scheduled = { 'lessor_reservations{state="scheduled"}': 1 };
    const fine = { lessor_reservations_at_risk: 0, lessor_reservation_slots_undelivered: 0 };
    expect(await scrape(shown().metrics)).toMatchObject({ ...values, ...scheduled, ...fine });
    await stage.db.updateTable("hosts").set({ available: false }).where("name", "=", host).execute();
    await run(stage.world);
    const bad = { lessor_reservations_at_risk: 2, lessor_reservation_slots_undelivered: 2 };
    expect(await scrape(shown().metrics)).toMatchObject({ ...values, ...scheduled, ...bad });
  });

  it("is how many differences the last check of the ledger found; before it there is none", async () => {
    expect(await scrape(shown().metrics)).not.toHaveProperty("lessor_ledger_differences");
    await checkLedger(stage.db);
    expect(await scrape(shown().metrics)).toMatchObject({ lessor_ledger_differences: 0 });
  });

  it("follows an instance from due to billed", async () => {
    await stage.host({ gpus: 8 });
    await stage.launchOne();
    const before = await scrape(shown().metrics);
    expect(before).toMatchObject({ lessor_reconciler_due: 1, 'lessor_instances{state="booting",health="ok"}': 1 });
    expect(before.lessor_reconciler_oldest_due_seconds).toBeGreaterThanOrEqual(0);
    await stage.reconciler().idle();
    const after = await scrape(shown().metrics);
    expect(after).toMatchObject({
      lessor_reconciler_due: 0,
      'lessor_instances{state="active",health="ok"}': 1,
      lessor_billing_open_spans: 1,
    });
    expect(after.lessor_billing_rate_cents_per_hour).toBeGreaterThan(0);
  });

  it("is read once for all who ask within some seconds", async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      return () => {};
    };
    const { metrics } = shown({ read });
    await Promise.all([metrics.text(), metrics.text()]);
    await metrics.text();
    expect(reads).toBe(1);
  });
});

describe("a database that does not answer", () => {
  it("holds a scrape up no longer than its deadline, and is not asked again meanwhile", async () => {
    let reads = 0;
    const { promise, resolve } = Promise.withResolvers<() => void>();
    const read = () => {
      reads += 1;
      return promise;
    };
    const { metrics, gauges } = shown({ read, waitMs: 20 });
    expect(await scrape(metrics)).not.toHaveProperty("lessor_database_gauges_age_seconds");
    await scrape(metrics);
    expect(reads).toBe(1);
    resolve(() => {});
    await gauges.close();
    expect(await scrape(metrics)).toHaveProperty("lessor_database_gauges_age_seconds");
  });

  it("makes no scrape fail", async () => {
    const { metrics, errors } = shown({ read: () => Promise.reject(new Error("away")) });
    metrics.count("lessor_http_connections_ended_total", {});
    expect(await scrape(metrics)).toMatchObject({ lessor_http_connections_ended_total: 1 });
    expect(errors).toHaveLength(1);
  });
});

describe("the pool's metrics", () => {
  it("tell who has a connection and who waits for one", async () => {
    const metrics = new Metrics();
    showPool(metrics, stage.db);
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = Array.from({ length: 10 }, () => stage.db.connection().execute(() => promise));
    await expect
      .poll(() => scrape(metrics))
      .toMatchObject({ 'lessor_database_connections{state="in use"}': 8, lessor_database_waiting: 2 });
    resolve();
    await Promise.all(held);
    expect(await scrape(metrics)).toMatchObject({ lessor_database_waiting: 0, lessor_database_connections_most: 8 });
  });
});
