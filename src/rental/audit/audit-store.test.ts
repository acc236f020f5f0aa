import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { maintenanceJobs } from "../../reconciler/maintenance/maintenance.ts";
import { withDefaults } from "../../reconciler/settings.ts";
import { type AuditFilter, auditEntries, deleteOldAuditEntries, type StoredAuditEntry } from "./audit-store.ts";
import type { AuditEntry } from "./entry.ts";
import { recordAudit } from "./record.ts";

const world = worldOfFile();

const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  accountId: randomUUID(),
  tokenId: randomUUID(),
  changedAccountId: null,
  address: "192.0.2.7",
  interface: "marketplace",
  operation: "stopInstances",
  method: "POST",
  objects: [],
  made: 0,
  result: "done",
  status: 202,
  errorCode: null,
  reason: null,
  requestId: "r",
  ...more,
});

const everything = async (limit = 10_000) => (await auditEntries(world.db, { limit })).entries;

describe("an entry", () => {
  it("is read as it was written, with an id and a time", async () => {
    const written = entry({
      made: 2,
      objects: ["a", '{"b,c"}', "ü"],
      address: "2001:db8::1",
      changedAccountId: randomUUID(),
    });
    await recordAudit(world.db, [written]);
    expect(await everything()).toEqual([{ ...written, id: expect.any(String), at: expect.any(Date), person: null }]);
  });

  it("of a transaction that is undone was never there", async () => {
    await world
      .tx(async (tx) => {
        await recordAudit(tx, [entry()]);
        throw new Error("undone");
      })
      .catch(() => {});
    expect(await everything()).toEqual([]);
  });

  it("waits for nobody, though the account's row is locked", async () => {
    const principal = await world.account();
    await world.tx(async (tx) => {
      await tx.selectFrom("accounts").select("id").where("id", "=", principal.accountId).forUpdate().execute();
      await recordAudit(world.db, [entry({ accountId: principal.accountId })]);
    });
    expect(await everything()).toHaveLength(1);
  });

  it("has an error code exactly when it was not done", async () => {
    await expect(recordAudit(world.db, [entry({ result: "refused" })])).rejects.toThrow("check constraint");
    await expect(recordAudit(world.db, [entry({ errorCode: "global/x" })])).rejects.toThrow("check constraint");
    await expect(recordAudit(world.db, [entry({ objects: ["a"], made: 2 })])).rejects.toThrow("check constraint");
  });
});

describe("reading", () => {
  it("goes along both indexes of an account, newest first, and each entry comes once", async () => {
    const [ada, eve, operator] = [randomUUID(), randomUUID(), randomUUID()];
    for (const [accountId, changedAccountId] of [
      [ada, null],
      [operator, ada],
      [ada, null],
      [operator, eve],
      [eve, null],
      [operator, ada],
    ] as const) {
      await recordAudit(world.db, [entry({ accountId, changedAccountId })]);
    }
    const of = async (accountId: string, before?: string, limit = 10) =>
      (await auditEntries(world.db, { accountId, before, limit })).entries.map((one) => one.id);
    const all = (await everything()).map(({ id }) => id);
    expect(all).toEqual(all.toSorted().toReversed());
    expect(await of(ada)).toEqual([all[0], all[3], all[4], all[5]]);
    expect(await of(ada, undefined, 2)).toEqual([all[0], all[3]]);
    expect(await of(ada, all[3])).toEqual([all[4], all[5]]);
    expect(await of(eve)).toEqual([all[1], all[2]]);
    expect(await of(operator)).toHaveLength(3);
  });

  it("is paged in the same order as it is read whole, though entries of one account come from two indexes", async () => {
    const [ada, operator] = [randomUUID(), randomUUID()];
    for (let n = 0; n < 23; n++) {
      const by = n % 3 === 0 ? { accountId: operator, changedAccountId: ada } : { accountId: ada };
      await recordAudit(world.db, [entry(by)]);
    }
    const paged: string[] = [];
    const sizes: number[] = [];
    for (let before: string | undefined; ; ) {
      const { entries, goOnBefore } = await auditEntries(world.db, { accountId: ada, before, limit: 4 });
      paged.push(...entries.map(({ id }) => id));
      sizes.push(entries.length);
      if (goOnBefore === undefined) break;
      before = goOnBefore;
    }
    const whole = await auditEntries(world.db, { accountId: ada, limit: 100 });
    expect(paged).toEqual(whole.entries.map(({ id }) => id));
    expect(whole.goOnBefore).toBeUndefined();
    expect(paged).toHaveLength(23);
    expect(sizes).toEqual([4, 4, 4, 4, 4, 3]);
  });
});

describe("looking for what is rare", () => {
  /** Every page, each of at most `walk` entries looked at. */
  async function pages(filter: Omit<AuditFilter, "limit">, walk: number, limit = 2): Promise<StoredAuditEntry[][]> {
    const all: StoredAuditEntry[][] = [];
    for (let before: string | undefined; ; ) {
      const { entries, goOnBefore } = await auditEntries(world.db, { ...filter, before, limit }, walk);
      all.push(entries);
      if (goOnBefore === undefined) return all;
      before = goOnBefore;
    }
  }

  it("goes on page by page, each of them cheap, and finds all of it however far apart", async () => {
    const [ada, operator] = [randomUUID(), randomUUID()];
    for (let n = 0; n < 40; n++) {
      const by = n % 2 === 0 ? { accountId: operator, changedAccountId: ada } : { accountId: ada };
      await recordAudit(world.db, [entry({ ...by, objects: n % 13 === 0 ? ["rare"] : ["often"] })]);
    }
    const found = await pages({ accountId: ada, object: "rare" }, 8);
    expect(found.flat()).toHaveLength(4);
    expect(found.flat()).toEqual((await auditEntries(world.db, { object: "rare", limit: 10 })).entries.map(ownView));
    // Forty entries, eight at a time; the last look finds that there is no more.
    expect(found.length).toBeGreaterThanOrEqual(5);
    expect(found.length).toBeLessThanOrEqual(7);
    expect((await pages({ accountId: ada, object: "never" }, 8)).flat()).toEqual([]);
    expect((await pages({ accountId: ada, object: "often" }, 8)).flat()).toHaveLength(36);

    /** As the account sees what an operator did. */
    function ownView(one: StoredAuditEntry): StoredAuditEntry {
      return { ...one, address: one.accountId === ada ? one.address : null };
    }
  });

  it("ends where the time that was asked for begins, and starts near where it ends", async () => {
    const accountId = randomUUID();
    for (let n = 0; n < 30; n++) await recordAudit(world.db, [entry({ accountId })]);
    // Clocks may differ by up to an hour.
    const soon = new Date(Date.now() + 3_400_000);
    expect(await pages({ accountId, from: soon }, 5)).toHaveLength(7);
    const inTwoHours = new Date(Date.now() + 7_300_000);
    expect(await pages({ accountId, from: inTwoHours }, 5)).toEqual([[]]);
    expect(await pages({ accountId, to: new Date(Date.now() - 7_300_000) }, 5)).toEqual([[]]);
    expect((await pages({ accountId, from: new Date(Date.now() - 60_000), to: soon }, 5)).flat()).toHaveLength(30);
    for (const to of [new Date(-1e12), new Date(8.64e15)]) await pages({ accountId, to }, 5);
  });
});

describe("old entries", () => {
  it("are deleted after so many days, in batches, and younger ones stay", async () => {
    for (let n = 0; n < 7; n++) await recordAudit(world.db, [entry({ requestId: "old" })]);
    await travel(world.db, "399 days");
    await recordAudit(world.db, [entry({ requestId: "young" })]);
    expect(await deleteOldAuditEntries(world.db, 400, 3)).toBe(0);
    await travel(world.db, "1 day 1 second");
    expect(await deleteOldAuditEntries(world.db, 400, 3)).toBe(7);
    expect((await everything()).map(({ requestId }) => requestId)).toEqual(["young"]);
  });

  it("are let go by a chore, after as many days as are set", async () => {
    await recordAudit(world.db, [entry()]);
    await travel(world.db, "8 days");
    const chore = maintenanceJobs.find(({ name }) => name === "deleting old audit entries");
    const settings = withDefaults({ concurrency: 1, leaseSeconds: 1, bootDeadlineSeconds: 1, auditDays: 9 });
    const run = (auditDays: number) =>
      chore?.run(
        { db: world.db, settings: { ...settings, auditDays } } as Parameters<typeof chore.run>[0],
        new AbortController().signal,
      );
    await run(9);
    expect(await everything()).toHaveLength(1);
    await run(7);
    expect(await everything()).toEqual([]);
  });
});
