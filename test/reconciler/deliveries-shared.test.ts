// Several servers that deliver: nothing twice at the same time, whoever dies is followed by another, and a target that is
// slow or dead is nobody else's trouble.

import { randomUUID } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { Hooks, numbers } from "../support/hooks.ts";
import { startReceiver } from "../support/receiver.ts";
import { runProgram } from "../support/run-program.ts";
import { only, worldOfFile } from "../support/world.ts";

const world = worldOfFile();
const hooks = new Hooks(world);

describe("several servers", () => {
  it("share the webhooks, keep order, and deliver each event once while none of them dies", async () => {
    const principal = await world.account();
    const receivers = await Promise.all(Array.from({ length: 6 }, () => startReceiver()));
    for (const { url } of receivers) await hooks.make(principal, { url });
    for (let server = 0; server < 3; server++) hooks.deliver({ turns: 2 });
    const subjects = [randomUUID(), randomUUID()] as const;
    const all = Array.from({ length: 30 }, (_, n) => n);
    for (const n of all) for (const subject of subjects) await hooks.happen(principal, subject, n);
    for (const receiver of receivers) {
      await receiver.received(60);
      for (const subject of subjects) {
        const own = receiver.requests.filter(({ body }) => body.data.subject === subject);
        expect(numbers(own)).toEqual(all);
      }
    }
  });

  it("take over from one that was killed in the middle of an attempt, within its lease and a little", async () => {
    const principal = await world.account();
    const receiver = await startReceiver();
    const { id } = await hooks.make(principal, { url: receiver.url });
    const subject = randomUUID();
    // The first attempt hangs; its server is killed meanwhile.
    receiver.answer = () => (receiver.requests.length === 1 ? undefined : {});
    const victim = await runProgram("deliver.ts", [world.url, "1"]);
    await hooks.happen(principal, subject, 1, 2);
    await receiver.received(1);
    const lease = async () => only(await world.db.selectFrom("webhooks").select("lease_owner").execute()).lease_owner;
    const [held, killedAt] = [await lease(), performance.now()];
    await victim.kill();
    hooks.deliver();
    await receiver.received(3);
    expect(numbers(receiver.requests)).toEqual([1, 1, 2]);
    expect(receiver.requests[1]?.text).toBe(receiver.requests[0]?.text);
    expect(await lease()).not.toBe(held);
    expect((receiver.requests[1]?.at ?? 0) - killedAt).toBeLessThan(10_000);
    await expect.poll(async () => (await hooks.read(principal, id)).pending).toBe(0);
    expect((await hooks.list(principal, id)).map((one) => [one.status, one.attempts])).toEqual([
      ["delivered", 1],
      ["delivered", 1],
    ]);
  });

  it("are never at one delivery at once, also when one of them loses its lease, which then changes nothing", async () => {
    const principal = await world.account();
    const receiver = await startReceiver();
    const { id } = await hooks.make(principal, { url: receiver.url });
    receiver.answer = () => ({ waitMs: 700 });
    hooks.deliver();
    await hooks.happen(principal, randomUUID(), 1);
    await receiver.received(1);
    // As when a server could not renew in time: somebody else has the lease from here on.
    await sql`update webhooks set lease_owner = gen_random_uuid(), lease_until = now() + interval '2 seconds'`.execute(
      world.db,
    );
    hooks.deliver();
    await receiver.received(2);
    await expect.poll(async () => (await hooks.read(principal, id)).pending).toBe(0);
    expect(receiver.mostAtOnce()).toBe(1);
    expect(only(await hooks.list(principal, id))).toMatchObject({ status: "delivered", attempts: 1 });
  });

  it("that stop cut off what is under way at once, as if it had not been attempted, and leave no lease", async () => {
    const principal = await world.account();
    const slow = await startReceiver();
    const hanging = await hooks.make(principal, { url: slow.url });
    slow.answer = () => undefined;
    // Longer than this test may take.
    const deliveries = hooks.deliver({ attemptSeconds: 600 });
    await hooks.happen(principal, randomUUID(), 1);
    await slow.received(1);
    const began = performance.now();
    await deliveries.stop();
    // In this time nothing of it can be waiting for anything but the database.
    expect(performance.now() - began).toBeLessThan(1500);
    expect(await hooks.leases()).toBe(0);
    // Nobody knows what became of it, so it counts as no failure.
    expect(only(await hooks.list(principal, hanging.id))).toMatchObject({ status: "pending", attempts: 0 });
    expect(await hooks.read(principal, hanging.id)).toMatchObject({ failingSince: null, pending: 1 });
    slow.answer = () => ({});
    hooks.deliver();
    const [first, second] = await slow.received(2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    await expect.poll(async () => (await hooks.read(principal, hanging.id)).pending).toBe(0);
  });

  it("that stop write down what was answered, also where the rest of the answer is still to come", async () => {
    const principal = await world.account();
    const receiver = await startReceiver();
    const { id } = await hooks.make(principal, { url: receiver.url });
    receiver.answer = (_request, response) => {
      response.writeHead(200).write("so far");
      return undefined;
    };
    const headHasCome = new Promise<void>((resolve) => {
      const come = () => resolve();
      subscribe("undici:request:headers", come);
      onTestFinished(() => void unsubscribe("undici:request:headers", come));
    });
    const deliveries = hooks.deliver({ attemptSeconds: 600 });
    await hooks.happen(principal, randomUUID(), 1);
    await headHasCome;
    await deliveries.stop();
    expect(only(await hooks.list(principal, id))).toMatchObject({ status: "delivered", attempts: 1 });
  });
});

describe("slow and dead targets", () => {
  it("keep no other webhook waiting, however many there are", async () => {
    const [victim, attacker] = [await world.account(), await world.account()];
    const [good, slow] = [await startReceiver(), await startReceiver()];
    slow.answer = () => undefined;
    for (let n = 0; n < 12; n++) await hooks.make(attacker, { url: `${slow.url}/${n}` });
    await hooks.make(victim, { url: good.url });
    hooks.deliver({ turns: 4, attemptSeconds: 1, slowSeconds: 0.5, retrySeconds: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1] });
    const subjects = Array.from({ length: 4 }, () => randomUUID());
    for (const subject of subjects) await hooks.happen(attacker, subject, 1, 2, 3);
    // Once each of the slow ones has had its first turn, they are among themselves.
    const troubled = async () =>
      (await world.db.selectFrom("webhooks").select("id").where("troubled", "=", true).execute()).length;
    await expect.poll(troubled, { timeout: 20_000 }).toBe(12);
    const waits: number[] = [];
    for (let n = 0; n < 5; n++) {
      const began = performance.now();
      await hooks.happen(victim, randomUUID(), n);
      await good.received(n + 1);
      waits.push((good.requests.at(-1)?.at ?? 0) - began);
    }
    expect(Math.max(...waits)).toBeLessThan(1000);
  });

  it("have few attempts at once", async () => {
    const principal = await world.account();
    const slow = await startReceiver();
    await hooks.make(principal, { url: slow.url });
    slow.answer = () => undefined;
    hooks.deliver({ attemptSeconds: 0.3, retrySeconds: [0.1, 0.1, 0.1], attemptsAtOnce: [3, 1] });
    for (let n = 0; n < 10; n++) await hooks.happen(principal, randomUUID(), n);
    await slow.received(12);
    expect(slow.mostAtOnce()).toBeLessThanOrEqual(3);
  });
});
