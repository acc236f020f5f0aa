// What a receiver of webhooks can rely on: every event once at least, in order for each subject, signed, the same bytes at
// every attempt. When nothing more is delivered is in deliveries-disabled.test.ts.

import { createHmac, randomUUID } from "node:crypto";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { startDeliveries } from "../../src/reconciler/deliveries/deliveries.ts";
import { resend, testWebhook } from "../../src/rental/webhooks/delivery.ts";
import { deleteWebhook, rotateSecret } from "../../src/rental/webhooks/webhook-store.ts";
import { sample } from "../support/extent.ts";
import { Hooks, loose, numbers, ofSubject } from "../support/hooks.ts";
import { startReceiver } from "../support/receiver.ts";
import { refusal } from "../support/refusals.ts";
import { travel } from "../support/time-travel.ts";
import { only, worldOfFile } from "../support/world.ts";

const world = worldOfFile();
const hooks = new Hooks(world);

describe("a delivery", () => {
  it("is the event as the list of events has it, signed as Standard Webhooks wants it", async () => {
    const { principal, receiver, webhook, subject, status } = await hooks.withReceiver();
    hooks.deliver();
    await hooks.happen(principal, subject, 1);
    const { headers, text, body, path } = only(await receiver.received(1));
    expect(path).toBe("/hook?a=b");
    expect(headers["content-type"]).toBe("application/json");
    const event = await world.db
      .selectFrom("events")
      .selectAll()
      .where("type", "=", "instance.progress")
      .executeTakeFirstOrThrow();
    expect(body).toEqual({
      id: event.id,
      type: "instance.progress",
      timestamp: event.created_at.toISOString(),
      data: { n: 1, subject },
    });
    expect(headers["webhook-id"]).toBe(event.id);
    expect(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1000)).toBeLessThan(60);
    expect(new Verifier(webhook.secret).verify(text, headers)).toEqual(body);
    expect(webhook.secret).toMatch(/^whsec_/);
    const key = Buffer.from(webhook.secret.slice("whsec_".length), "base64");
    expect(key).toHaveLength(32);
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
    expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    await expect.poll(status).toEqual(["delivered"]);
  });

  it("is made for what the webhook wants, from its creation on, and for nothing of other accounts", async () => {
    const principal = await world.account();
    const [subject, other] = [randomUUID(), await world.account()];
    await hooks.happen(principal, subject, 0);
    await expect.poll(async () => (await world.db.selectFrom("events").select("id").execute()).length).toBe(1);
    const receiver = await startReceiver();
    const made = await hooks.make(principal, { url: receiver.url, eventTypes: ["ssh_key.*", "instance.*"] });
    await hooks.happen(other, subject, 1);
    await world.sshKey(principal);
    await world.region("north");
    await world.fileSystem(principal);
    await hooks.happen(principal, subject, 2);
    hooks.deliver();
    // What was written in the moment of the creation may come too; what was before that is seldom there.
    await expect.poll(() => numbers(receiver.requests)).toContain(2);
    await expect.poll(async () => (await hooks.read(principal, made.id)).pending).toBe(0);
    expect(receiver.types().filter((type) => type !== "instance.progress")).toEqual(["ssh_key.created"]);
    expect(numbers(receiver.requests)).not.toContain(1);
  });

  it("has two signatures while a secret is changed, and then one", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    const { secret } = await world.tx((tx) => rotateSecret(tx, hooks.service, principal, webhook.id));
    expect(secret).not.toBe(webhook.secret);
    hooks.deliver();
    await hooks.happen(principal, subject, 1);
    const { headers, text } = only(await receiver.received(1));
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const one of [secret, webhook.secret]) new Verifier(one).verify(text, headers);
    await travel(world.db, "25 hours");
    await hooks.happen(principal, subject, 2);
    const [, second] = await receiver.received(2);
    new Verifier(secret).verify(second?.text ?? "", second?.headers ?? {});
    expect(second?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    expect(() => new Verifier(webhook.secret).verify(second?.text ?? "", second?.headers ?? {})).toThrow();
    expect((await hooks.read(principal, webhook.id)).previousSecretUntil).toBeNull();
  });

  it("may change secrets with no overlap, and with a week at most", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    await refusal(
      "invalid-parameters",
      world.tx((tx) => rotateSecret(tx, hooks.service, principal, webhook.id, 7 * 86_400 + 1)),
    );
    const { secret } = await world.tx((tx) => rotateSecret(tx, hooks.service, principal, webhook.id, 0));
    hooks.deliver();
    await hooks.happen(principal, subject, 1);
    const { headers, text } = only(await receiver.received(1));
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    new Verifier(secret).verify(text, headers);
  });

  it("is signed by the oldest secret to the end of its time, whoever asks for another, unless all are ended", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    const rotate = (seconds?: number) =>
      world.tx((tx) => rotateSecret(tx, hooks.service, principal, webhook.id, seconds));
    await rotate();
    await refusal("conflict", rotate());
    hooks.deliver();
    await hooks.happen(principal, subject, 1);
    const { headers, text } = only(await receiver.received(1));
    new Verifier(webhook.secret).verify(text, headers);
    const { secret } = await rotate(0);
    await hooks.happen(principal, subject, 2);
    const [, second] = await receiver.received(2);
    new Verifier(secret).verify(second?.text ?? "", second?.headers ?? {});
    expect(second?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    await rotate();
    await travel(world.db, "25 hours");
    await rotate();
  });

  it("keeps its secrets sealed", async () => {
    const { principal, webhook } = await hooks.withReceiver();
    const rotated = await world.tx((tx) => rotateSecret(tx, hooks.service, principal, webhook.id));
    const row = JSON.stringify(await world.db.selectFrom("webhooks").selectAll().execute());
    for (const { secret } of [webhook, rotated]) expect(row).not.toContain(secret.slice("whsec_".length));
  });
});

describe("order", () => {
  it("is kept for each subject, in a burst of many events of twelve subjects", async () => {
    const { principal, receiver } = await hooks.withReceiver();
    const subjects = Array.from({ length: 12 }, () => randomUUID());
    hooks.deliver();
    const each = sample(20, 50);
    for (let n = 0; n < each; n++) await Promise.all(subjects.map((subject) => hooks.happen(principal, subject, n)));
    await receiver.received(each * subjects.length);
    const all = Array.from({ length: each }, (_, n) => n);
    for (const subject of subjects) expect(numbers(ofSubject(receiver.requests, subject))).toEqual(all);
    expect(new Set(receiver.requests.map(({ body }) => body.id)).size).toBe(each * subjects.length);
    expect(receiver.mostAtOnce()).toBeLessThanOrEqual(8);
  });

  it("holds back what follows a delivery that fails, and no other subject", async () => {
    const { principal, receiver, subject } = await hooks.withReceiver();
    const other = randomUUID();
    let failures = 2;
    receiver.answer = ({ body }) => (body.data.n === 1 && failures-- > 0 ? { status: 500, body: "not now" } : {});
    await hooks.happen(principal, subject, 1, 2, 3);
    await hooks.happen(principal, other, 11, 12);
    hooks.deliver({ retrySeconds: [0.3, 0.3] });
    await receiver.received(7);
    expect(numbers(ofSubject(receiver.requests, subject))).toEqual([1, 1, 1, 2, 3]);
    expect(numbers(ofSubject(receiver.requests, other))).toEqual([11, 12]);
    const order = numbers(receiver.requests);
    expect(order.indexOf(12)).toBeLessThan(order.lastIndexOf(1));
  });

  it("goes on when a delivery has failed for good", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    receiver.answer = ({ body }) => (body.data.n === 1 ? { status: 503 } : {});
    await hooks.happen(principal, subject, 1, 2);
    hooks.deliver({ retrySeconds: [0.02, 0.02] });
    await receiver.received(4);
    expect(numbers(receiver.requests)).toEqual([1, 1, 1, 2]);
    await expect
      .poll(async () => (await hooks.list(principal, webhook.id)).map((one) => one.status))
      .toEqual(["delivered", "failed"]);
    expect(new Set(receiver.requests.slice(0, 3).map(({ text }) => text)).size).toBe(1);
    expect(new Set(receiver.requests.slice(0, 3).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("is kept while a webhook's window is full, and nothing is lost", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    await hooks.happen(principal, subject, ...Array.from({ length: 40 }, (_, n) => n));
    let pending = 0;
    receiver.answer = () => {
      void hooks.read(principal, webhook.id).then((now) => {
        pending = Math.max(pending, now.pending);
      });
      return {};
    };
    hooks.deliver({ window: 5, page: 3 });
    await receiver.received(40);
    expect(numbers(receiver.requests)).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(pending).toBeLessThanOrEqual(7);
  });
});

describe("the delivery log", () => {
  it("has each attempt, with the first KiB of its answer", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    let first = true;
    receiver.answer = () => {
      const answer = first ? { status: 418, body: `\0${"x".repeat(5000)}` } : { status: 200, body: "thanks" };
      first = false;
      return answer;
    };
    await hooks.happen(principal, subject, 1);
    hooks.deliver();
    await receiver.received(2);
    await expect.poll(async () => only(await hooks.list(principal, webhook.id)).status).toBe("delivered");
    const { id } = only(await hooks.list(principal, webhook.id));
    const { log, attempts, body } = await hooks.full(principal, webhook.id, id);
    expect(attempts).toBe(2);
    expect(body).toBe(receiver.requests[0]?.text);
    expect(log).toEqual([
      {
        at: expect.stringMatching(/Z$/),
        status_code: 418,
        milliseconds: expect.any(Number),
        error: "status",
        answer: `\ufffd${"x".repeat(1023)}`,
      },
      { at: expect.any(String), status_code: 200, milliseconds: expect.any(Number), error: null, answer: "thanks" },
    ]);
  });

  it("says until when it goes on: 11 attempts within a day or so", async () => {
    const { principal, receiver, webhook, subject } = await hooks.withReceiver();
    receiver.answer = () => ({ status: 500 });
    const { retrySeconds: _, ...rest } = loose;
    await hooks.happen(principal, subject, 1);
    const waits: number[] = [];
    const log = { info() {}, warn() {}, error() {} };
    const deliveries = startDeliveries({ db: world.db, keyRing: world.service.keyRing, settings: rest, log });
    for (let attempt = 1; attempt <= 11; attempt++) {
      await expect
        .poll(async () => only(await hooks.list(principal, webhook.id)).attempts, { timeout: 10_000 })
        .toBe(attempt);
      const { nextAttemptAt } = only(await hooks.list(principal, webhook.id));
      if (nextAttemptAt === null) break;
      const seconds = (nextAttemptAt.getTime() - Date.now()) / 1000;
      waits.push(seconds);
      await travel(world.db, `${Math.ceil(seconds)} seconds`);
    }
    await deliveries.stop();
    expect(only(await hooks.list(principal, webhook.id)).status).toBe("failed");
    expect(receiver.requests).toHaveLength(11);
    const usual = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600, 36_000];
    for (const [index, seconds] of usual.entries()) {
      expect(waits[index]).toBeGreaterThan(seconds * 0.75 - 3);
      expect(waits[index]).toBeLessThan(seconds * 1.25 + 1);
    }
  });
});

describe("what somebody asks for", () => {
  it("a test is delivered at once, also while the webhook is off, and to that webhook only", async () => {
    const { principal, receiver, webhook } = await hooks.withReceiver({ active: false });
    const other = await hooks.withReceiver();
    const asked = await world.tx((tx) => testWebhook(tx, principal, webhook.id));
    expect(asked).toMatchObject({ status: "pending", asked: true, eventType: "webhook.test" });
    hooks.deliver();
    const { body, headers, text } = only(await receiver.received(1));
    expect(body).toMatchObject({ id: asked.eventId, type: "webhook.test", data: { webhook_id: webhook.id } });
    new Verifier(webhook.secret).verify(text, headers);
    await expect.poll(async () => only(await hooks.list(principal, webhook.id)).status).toBe("delivered");
    expect(other.receiver.requests).toEqual([]);
  });

  it("a delivery that is over is sent again with the same id and bytes, and holds nothing back", async () => {
    const { principal, receiver, webhook, subject, status } = await hooks.withReceiver();
    hooks.deliver({ retrySeconds: [1000] });
    await hooks.happen(principal, subject, 1);
    await expect.poll(status).toEqual(["delivered"]);
    receiver.answer = ({ body }) => (body.data.n === 1 ? { status: 500 } : {});
    const { id } = only(await hooks.list(principal, webhook.id));
    await world.tx((tx) => resend(tx, principal, webhook.id, id));
    await receiver.received(2);
    await hooks.happen(principal, subject, 2);
    await receiver.received(3);
    expect(numbers(receiver.requests)).toEqual([1, 1, 2]);
    expect(receiver.requests[1]?.text).toBe(receiver.requests[0]?.text);
    expect(await hooks.full(principal, webhook.id, id)).toMatchObject({ status: "pending", asked: true, attempts: 2 });
  });

  it("one that waits for its next attempt is tried at once, and so is one that waits behind it", async () => {
    const { principal, receiver, webhook, subject, status } = await hooks.withReceiver();
    receiver.answer = () => (receiver.requests.length === 1 ? { status: 500 } : {});
    hooks.deliver({ retrySeconds: [1000] });
    await hooks.happen(principal, subject, 1, 2);
    await receiver.received(1);
    await expect.poll(async () => (await hooks.list(principal, webhook.id)).map((one) => one.attempts)).toEqual([0, 1]);
    const [second] = await hooks.list(principal, webhook.id);
    await world.tx((tx) => resend(tx, principal, webhook.id, second?.id ?? ""));
    await receiver.received(3);
    expect(numbers(receiver.requests)).toEqual([1, 1, 2]);
    await expect.poll(status).toEqual(["delivered", "delivered"]);
  });

  it("is found by the account it belongs to alone", async () => {
    const { principal, webhook } = await hooks.withReceiver();
    const other = await world.account();
    const { id } = await world.tx((tx) => testWebhook(tx, principal, webhook.id));
    await refusal("unknown-object", hooks.full(other, webhook.id, id));
    await refusal("unknown-object", hooks.full(principal, webhook.id, randomUUID()));
    for (const attempt of [testWebhook, deleteWebhook]) {
      await refusal(
        "unknown-object",
        world.tx(async (tx) => void (await attempt(tx, other, webhook.id))),
      );
    }
    await refusal(
      "unknown-object",
      world.tx((tx) => resend(tx, other, webhook.id, id)),
    );
    await refusal(
      "unknown-object",
      world.tx((tx) => resend(tx, principal, webhook.id, randomUUID())),
    );
  });
});
