// Limits end what runs, by the reconciler's own chores: the spend limit of an account, and the lifetime of an instance. The
// rules themselves: rental/limits.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { changeAccount } from "../../src/rental/accounts/account-store.ts";
import { auditCapacity } from "../support/audit.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();
const often = { limitCheckSeconds: 0.05 };
const slowly = { timeout: 15_000 };

describe("a running service", () => {
  it("ends what an account rents when its spend limit is reached, machines and all, with a warning before", async () => {
    await stage.host();
    stage.reconciler(often);
    const { id, principal } = await stage.launchOne();
    const other = await stage.launchOne();
    await expect.poll(() => stage.state(id), slowly).toBe("active");
    // 100 cents an hour: near before an hour is over.
    await stage.world.tx((tx) => changeAccount(tx, principal.accountId, { spendLimitCents: 90 }));
    const told = async () =>
      (await stage.db.selectFrom("events").select("type").where("subject_id", "=", principal.accountId).execute()).map(
        ({ type }) => type,
      );
    await expect.poll(told, slowly).toContain("account.spend_limit_near");
    expect(await stage.state(id)).toBe("active");
    // All of it in this month, on its first day too.
    await sql`update billing_spans set price_cents_per_hour = 2000000000 where instance_id = ${id}`.execute(stage.db);
    await expect.poll(() => stage.state(id), slowly).toBe("terminated");
    const near = ["account.spend_limit_changed", "account.spend_limit_near"];
    expect(await told()).toEqual([...near, "account.spend_limit_reached"]);
    expect(await stage.machines()).toEqual([other.id]);
    expect((await stage.row(id)).ended_by).toBe("spend-limit");
    expect(await stage.state(other.id)).toBe("active");
    await auditCapacity(stage.db);
  });

  it("ends an instance whose lifetime is over, with a warning before", async () => {
    await stage.host();
    stage.reconciler(often);
    const { id } = await stage.launchOne({ maxLifetimeSeconds: 3600 });
    await expect.poll(() => stage.state(id), slowly).toBe("active");
    await travel(stage.db, "55 minutes");
    await expect.poll(() => stage.story(id), slowly).toEqual(["booting", "active", "expiring"]);
    await travel(stage.db, "5 minutes");
    await expect.poll(() => stage.state(id), slowly).toBe("terminated");
    expect(await stage.story(id)).toEqual(["booting", "active", "expiring", "terminating", "terminated"]);
    expect((await stage.row(id)).ended_by).toBe("lifetime");
    expect(await stage.machines()).toEqual([]);
    await auditCapacity(stage.db);
  });

  it("says of what failed that it failed, and of what a customer ended that they did", async () => {
    await stage.host();
    const { id, principal } = await stage.launchOne();
    const lost = await stage.launchOne();
    const reconciler = stage.reconciler();
    await reconciler.idle();
    await stage.world.change(principal, "terminate", [id]);
    await sql`delete from simulated.machines where id = ${lost.id}`.execute(stage.db);
    await reconciler.sweepNow();
    await reconciler.sweepNow();
    await expect.poll(() => stage.state(lost.id), slowly).toBe("terminated");
    await expect.poll(() => stage.state(id), slowly).toBe("terminated");
    expect([(await stage.row(id)).ended_by, (await stage.row(lost.id)).ended_by]).toEqual(["customer", "failure"]);
  });
});
