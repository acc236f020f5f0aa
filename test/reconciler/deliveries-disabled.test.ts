// When nothing more is delivered: the account is inactive, or the webhook is disabled or deleted. And what then remains of
// its deliveries.

import { describe, expect, it } from "vitest";
import { deleteOldDeliveries } from "../../src/reconciler/maintenance/delivery-retention.ts";
import { testWebhook } from "../../src/rental/webhooks/delivery.ts";
import { changeWebhook, deleteWebhook } from "../../src/rental/webhooks/webhook-store.ts";
import { Hooks, numbers, ofSubject } from "../support/hooks.ts";
import { refusal } from "../support/refusals.ts";
import { travel } from "../support/time-travel.ts";
import { only, worldOfFile } from "../support/world.ts";

const world = worldOfFile();
const hooks = new Hooks(world);

describe("an account that is switched off", () => {
  const set = (accountId: string, status: "active" | "inactive") =>
    world.db.updateTable("accounts").set({ status }).where("id", "=", accountId).execute();

  it("gets nothing delivered, not even what was asked for, and then everything in order", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    const other = await hooks.withReceiver();
    await hooks.happen(principal, subject, 1, 2);
    await world.tx((tx) => testWebhook(tx, principal, webhook.id));
    await set(principal.accountId, "inactive");
    hooks.deliver();
    await hooks.happen(other.principal, other.subject, 9);
    await other.receiver.received(1);
    expect(await hooks.leases()).toBeLessThanOrEqual(1);
    expect(receiver.requests).toEqual([]);
    await set(principal.accountId, "active");
    await receiver.received(3);
    expect(numbers(ofSubject(receiver.requests, subject))).toEqual([1, 2]);
  });

  it("lets attempts in progress end, and begins no other", async () => {
    const { principal, receiver, webhook, subject, status } = await hooks.withReceiver();
    receiver.answer = () => ({ waitMs: 300 });
    await hooks.happen(principal, subject, 1, 2);
    const deliveries = hooks.deliver();
    await receiver.received(1);
    await set(principal.accountId, "inactive");
    await expect.poll(status).toEqual(["pending", "delivered"]);
    await expect.poll(() => hooks.leases()).toBe(0);
    await deliveries.stop();
    expect(numbers(receiver.requests)).toEqual([1]);
    expect((await hooks.read(principal, webhook.id)).pending).toBe(1);
  });
});

describe("a webhook in vain", () => {
  const disabled = (accountId: string) =>
    world.db
      .selectFrom("events")
      .select("data")
      .where("type", "=", "webhook.disabled")
      .where("account_id", "=", accountId)
      .execute();

  it("is switched off after a day of nothing but failures, and tells why", async () => {
    const { principal, receiver, webhook, subject, status } = await hooks.withReceiver();
    receiver.answer = () => ({ status: 500 });
    hooks.deliver({ retrySeconds: [0.02] });
    await hooks.happen(principal, subject, 1);
    await expect.poll(status).toEqual(["failed"]);
    expect(await hooks.read(principal, webhook.id)).toMatchObject({ active: true, failingSince: expect.any(Date) });
    await travel(world.db, "1 day");
    await hooks.happen(principal, subject, 2);
    await expect.poll(async () => (await hooks.read(principal, webhook.id)).active).toBe(false);
    expect(await hooks.read(principal, webhook.id)).toMatchObject({ disabledReason: "failing" });
    expect(only(await disabled(principal.accountId)).data).toMatchObject({
      webhook_id: webhook.id,
      reason: "failing",
      error: "status",
      status_code: 500,
      failing_since: expect.stringMatching(/Z$/),
    });
  });

  it("is not, where anything was delivered in between", async () => {
    const { principal, receiver, webhook, subject, status } = await hooks.withReceiver();
    let good = false;
    receiver.answer = () => (good ? {} : { status: 500 });
    hooks.deliver({ retrySeconds: [0.02] });
    await hooks.happen(principal, subject, 1);
    await expect.poll(status).toEqual(["failed"]);
    good = true;
    await hooks.happen(principal, subject, 2);
    await expect.poll(status).toEqual(["delivered", "failed"]);
    good = false;
    await travel(world.db, "6 days");
    await hooks.happen(principal, subject, 3);
    await expect.poll(status).toEqual(["failed", "delivered", "failed"]);
    expect((await hooks.read(principal, webhook.id)).active).toBe(true);
  });

  it("goes on where it stood when it is switched on again", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    receiver.answer = () => ({ status: 410 });
    hooks.deliver();
    await hooks.happen(principal, subject, 1, 2);
    await expect.poll(async () => (await hooks.read(principal, webhook.id)).active).toBe(false);
    expect(await hooks.read(principal, webhook.id)).toMatchObject({ disabledReason: "gone" });
    expect(await disabled(principal.accountId)).toHaveLength(1);
    await hooks.happen(principal, subject, 3);
    receiver.answer = () => ({});
    await world.tx((tx) => changeWebhook(tx, hooks.service, principal, webhook.id, { active: true }));
    await receiver.received(3);
    expect(numbers(receiver.requests)).toEqual([1, 2, 3]);
  });

  it("that was deleted is delivered to no more, and its log goes", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    receiver.answer = () => ({ status: 500 });
    hooks.deliver({ retrySeconds: [0.2] });
    await hooks.happen(principal, subject, 1, 2);
    await receiver.received(1);
    await world.tx((tx) => deleteWebhook(tx, principal, webhook.id));
    const count = async () => (await world.db.selectFrom("webhook_deliveries").select("id").execute()).length;
    await deleteOldDeliveries(world.db, new AbortController().signal);
    expect(await count()).toBe(0);
    await refusal("unknown-object", hooks.read(principal, webhook.id));
  });

  it("keeps its log for thirty days, and what is still to be delivered for as long as it takes", async () => {
    const { principal, receiver, webhook, subject, status } = await hooks.withReceiver();
    receiver.answer = ({ body }) => (body.data.n === 2 ? { status: 500 } : {});
    hooks.deliver({ retrySeconds: [10_000_000] });
    await hooks.happen(principal, subject, 1, 2);
    await receiver.received(2);
    await expect.poll(status).toEqual(["pending", "delivered"]);
    const chore = () => deleteOldDeliveries(world.db, new AbortController().signal);
    await travel(world.db, "29 days 23 hours");
    expect(await chore()).toBe(0);
    await travel(world.db, "2 hours");
    expect(await chore()).toBe(1);
    expect(await status()).toEqual(["pending"]);
    expect((await hooks.read(principal, webhook.id)).pending).toBe(1);
  });
});
