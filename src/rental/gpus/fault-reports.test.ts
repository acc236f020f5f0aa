// Customers report faulty GPUs: what leaves service and when, how often, and what is credited.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { FaultReportSettings } from "../../rules/fault-reports.ts";
import { monthOf, statementLines } from "../billing/statements.ts";
import { releaseCapacity } from "../capacity/release.ts";
import { standingsOf } from "../instances/reconcile-status.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { Principal, Service } from "../service.ts";
import { quarantineGpu } from "./decisions.ts";
import { reportFault } from "./fault-reports.ts";
import { listGpus } from "./gpu-reading.ts";

const world = worldOfFile();
let host: string;
let customer: Principal;
let product: string;

beforeEach(async () => {
  await world.empty();
  host = await world.host({ gpus: 8 });
  customer = await world.account();
  await world.image();
  product = (await world.product({ gpus: 2 })).name;
});

async function launched(): Promise<string> {
  return (await world.launchOne(customer, { instanceType: product })).id;
}

async function active(): Promise<string> {
  const id = await launched();
  const fence = { id, generation: 1 };
  expect(await world.tx((tx) => recordObservation(tx, fence, "ready", { ip: "203.0.113.1" }))).toBe(true);
  return id;
}

/** By default without a credit. */
function report(id: string, gpu?: number, settings: Partial<FaultReportSettings> = {}, by = customer) {
  const service: Service = { ...world.service, faultReports: { perDay: 2, creditMinutes: 0, ...settings } };
  return world.tx((tx) => reportFault(tx, service, by, { id, text: "Falls off the bus", gpu }));
}

async function ends(id: string): Promise<void> {
  await world.tx((tx) => releaseCapacity(tx, [id]));
  await world.put(id, "terminated");
}

const quarantined = async () =>
  (await listGpus(world.db, undefined, { host, state: "quarantined" })).map(({ reason, evidence }) => ({
    reason,
    evidence,
  }));

describe("a reported GPU", () => {
  it("stays with its instance, and is quarantined with the customer's words when that ends", async () => {
    const id = await active();
    expect(await report(id, 1)).toMatchObject({ instanceId: id, gpus: 1, creditedSeconds: 0 });
    expect(await quarantined()).toEqual([]);
    expect((await listGpus(world.db, undefined, { host, state: "held" })).map((one) => one.quarantineNext)).toEqual([
      null,
      "reported",
    ]);
    await ends(id);
    expect(await quarantined()).toEqual([{ reason: "reported", evidence: `Instance ${id}: Falls off the bus` }]);
    expect((await listGpus(world.db, undefined, { host, state: "free" })).length).toBe(7);
  });

  it("is every one of the instance where none is named, and is told in an event", async () => {
    const id = await active();
    expect((await report(id)).gpus).toBe(2);
    await ends(id);
    expect((await quarantined()).length).toBe(2);
    const { rows } = await sql<{ data: unknown }>`
      select data -> 'fault' as data from events where type = 'instance.fault_reported'`.execute(world.db);
    expect(rows).toEqual([{ data: { gpu: null, text: "Falls off the bus" } }]);
  });

  it("keeps the reason of an operator who decided before", async () => {
    const id = await active();
    const [held] = await listGpus(world.db, undefined, { host, state: "held" });
    const decision = { reason: "XID 79", by: customer.accountId };
    await world.tx((tx) => quarantineGpu(tx, host, held?.address ?? "", decision));
    await report(id, 0);
    await ends(id);
    expect((await quarantined()).map(({ reason }) => reason)).toEqual(["XID 79"]);
  });
});

describe("a report is rejected", () => {
  it("of what the account does not have, in any of these ways", async () => {
    const id = await active();
    await refusal("invalid-parameters", report(id, 2));
    await refusal("unknown-object", report(crypto.randomUUID()));
    const other = await world.account();
    await refusal("unknown-object", report(id, 0, {}, other));
    const booting = await launched();
    await refusal("conflict", report(booting));
    await ends(id);
    await refusal("conflict", report(id));
  });

  it("for more instances in 24 hours than the operator allows, also of several at once", async () => {
    const ids = [await active(), await active(), await active()];
    const outcomes = await Promise.allSettled(ids.map((id) => report(id)));
    expect(outcomes.filter(({ status }) => status === "rejected")).toMatchObject([
      { reason: { kind: "quota-exceeded", details: { what: "gpu_fault_reports", limit: 2, used: 2 } } },
    ]);
    const rejected = ids[outcomes.findIndex(({ status }) => status === "rejected")] ?? "";
    // One that was reported before is not counted again.
    for (const id of ids.filter((one) => one !== rejected)) expect((await report(id)).gpus).toBe(2);
    await travel(world.db, "25 hours");
    expect((await report(rejected)).gpus).toBe(2);
  });
});

describe("the credit", () => {
  it("is the last minutes of the bill, once for each instance, and never more than was billed", async () => {
    const long = await active();
    await travel(world.db, "3 hours");
    expect((await report(long, 0, { creditMinutes: 60 })).creditedSeconds).toBe(3600);
    expect((await report(long, 1, { creditMinutes: 60 })).creditedSeconds).toBe(0);
    const late = await active();
    await travel(world.db, "10 minutes");
    const { creditedSeconds } = await report(late, undefined, { creditMinutes: 60 });
    expect(creditedSeconds).toBeGreaterThanOrEqual(600);
    expect(creditedSeconds).toBeLessThan(660);
    const { rows } = await sql<{ credited: number }>`
      select seconds::float8 as credited from billing_credits where instance_id = ${long}`.execute(world.db);
    expect(rows).toEqual([{ credited: 3600 }]);
  });

  it("is no downtime: its host was reached", async () => {
    const id = await active();
    await travel(world.db, "3 hours");
    await report(id, 0, { creditMinutes: 60 });
    const [status] = (await standingsOf(world.db, [id])).values();
    expect(status).toMatchObject({ downtimeSeconds: 0 });
    expect(status?.creditMicroCents).toBeGreaterThan(0n);
    const month = monthOf(new Date().toISOString().slice(0, 7));
    if (month === undefined) throw new Error("BUG: this month is one");
    const [line] = await statementLines(world.db, month, { accountId: undefined });
    expect(line).toMatchObject({ downtimeSeconds: 0, creditMicroCents: status?.creditMicroCents });
  });

  it("is not given for time that was credited before, nor while the host is unreachable", async () => {
    const id = await active();
    await travel(world.db, "3 hours");
    await sql`
      insert into billing_credits (instance_id, account_id, token_id, given_at, began_at, ended_at, seconds, cost_micro_cents)
      select instance_id, account_id, token_id, now(), now() - interval '2 hours', now() - interval '30 minutes', 5400, 1
      from billing_spans where instance_id = ${id}`.execute(world.db);
    const { creditedSeconds } = await report(id, undefined, { creditMinutes: 60 });
    expect(creditedSeconds).toBeGreaterThanOrEqual(1800);
    expect(creditedSeconds).toBeLessThan(1900);
    const unreachable = await active();
    await travel(world.db, "3 hours");
    await sql`update instances set health = 'unreachable' where id = ${unreachable}`.execute(world.db);
    expect((await report(unreachable, undefined, { creditMinutes: 60 })).creditedSeconds).toBe(0);
  });
});
