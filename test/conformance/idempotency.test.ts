// Idempotency-Key, as decided, on every POST of every interface; and launches whose answer is lost on the way.
// The operations come from the published documents: one that changes.ts does not know fails.

import { createHash } from "node:crypto";
import { connect as connectSocket } from "node:net";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { cuttingProxy } from "../crash/cutting-proxy.ts";
import { isSampled } from "../support/extent.ts";
import type { CallResult } from "../support/http.ts";
import { begin, untilKeyHolderWaits, withoutNewInstances } from "../support/interleave.ts";
import { travel } from "../support/time-travel.ts";
import { examplePublicKey } from "../support/world.ts";
import { type Attempt, changes, everyScope, interfaces, sceneOptions } from "./changes.ts";
import { codeOf } from "./client.ts";
import { type Customer, sceneOfFile, types } from "./scene.ts";
import { variants } from "./variants.ts";

const scene = sceneOfFile(sceneOptions);
const all = changes(scene);
const posts = interfaces.flatMap((name) =>
  Object.entries(all[name])
    .filter(([operation]) => operation.startsWith("POST "))
    .map(([operation, change]) => ({ name, operation, ...change })),
);
/** Those that a request alone can do. */
const possible = posts.flatMap(({ good, ...post }) => (good === undefined ? [] : [{ ...post, good }]));

const newcomer = () => scene.customer({ scopes: everyScope });

function send(name: InterfaceName, who: Customer, attempt: Attempt, key: string): Promise<CallResult> {
  const { path, body } = attempt;
  return scene.client.ask(name, "POST", path, { token: who.token, body, headers: { "idempotency-key": key } });
}

/** What a repetition has to have from the first answer. */
function answerOf({ status, text, headers }: CallResult) {
  return { status, text, type: headers.get("content-type"), caching: headers.get("cache-control") };
}

const replayed = ({ headers }: CallResult) => headers.get("idempotency-replayed");

/** Something else to ask for with the same key: another operation, or the same one of another interface. */
function elsewhere(name: InterfaceName, who: Customer, key: string): Promise<CallResult> {
  const body = { name: scene.fresh("key"), public_key: examplePublicKey };
  return send(name === "marketplace" ? "reference" : "marketplace", who, { path: "/ssh-keys", body }, key);
}

describe("the table of this file", () => {
  it.each(interfaces)("knows every POST of %s", (name) => {
    const published = scene.client.operations(name).filter(([method]) => method === "POST");
    const known = posts.filter((post) => post.name === name).map(({ operation }) => operation);
    expect(known.toSorted()).toEqual(published.map((one) => one.join(" ")).toSorted());
  });
});

// All in one test: to have something that can be asked for takes most of the time, as instances boot for some of it.
describe.each(possible)("$name: $operation", ({ name, good, refused }) => {
  it("keeps only what it granted, gives that again to its account alone, and never does it twice", async () => {
    const who = await newcomer();
    // What was refused leaves nothing under its key; of some operations there is nothing that they refuse.
    if (refused !== undefined) {
      const wrong = await refused(who);
      const before = await send(name, who, wrong, "key");
      expect(before.status).toBeGreaterThanOrEqual(400);
      expect(answerOf(await send(name, who, wrong, "key")).status).toBe(before.status);
    }

    // 409 with Retry-After while the first is worked on, which then has one effect.
    const attempt = await good(who);
    await using working = await begin(scene.db);
    const digest = createHash("sha256").update(`idempotency ${who.accountId} key`).digest();
    await sql`select pg_advisory_xact_lock(${digest.readBigInt64BE().toString()}::bigint)`.execute(working.tx);
    const busy = await send(name, who, attempt, "key");
    expect([busy.status, codeOf(busy)]).toEqual([409, "idempotency/in-progress"]);
    expect(busy.headers.get("retry-after")).toBe("1");
    await working.rollback();

    // The first answer again to the same request, also with the key in quotes.
    const first = await send(name, who, attempt, "key");
    expect([first.status < 300, replayed(first)], first.text).toEqual([true, null]);
    for (const key of ["key", '"key"']) {
      const again = await send(name, who, attempt, key);
      expect(answerOf(again)).toEqual(answerOf(first));
      expect(replayed(again)).toBe("true");
    }

    // Another path, and another body, under the same key are refused.
    const others = [await elsewhere(name, who, "key")];
    // A body that an operation does not take is no part of its request.
    if (attempt.body !== undefined) {
      const body = { ...(attempt.body as object), more: "than before" };
      others.push(await send(name, who, { ...attempt, body }, "key"));
    }
    for (const other of others) expect([other.status, codeOf(other)]).toEqual([422, "idempotency/key-reused"]);

    // Another account's key is another key.
    const stranger = await newcomer();
    const answer = await send(name, stranger, await good(stranger), "key");
    expect([answer.status < 300, replayed(answer)], answer.text).toEqual([true, null]);
  });
});

describe("24 hours later", () => {
  it("a POST may be made anew with its key, and not before", async () => {
    const made: { post: (typeof possible)[number]; who: Customer; attempt: Attempt; next: Attempt }[] = [];
    for (const post of possible.filter((_, index) => isSampled(index, 4))) {
      const who = await newcomer();
      const [attempt, next] = [await post.good(who), await post.good(who)];
      expect((await send(post.name, who, attempt, "key")).status, post.operation).toBeLessThan(300);
      made.push({ post, who, attempt, next });
    }
    await scene.settled();
    await travel(scene.db, "23 hours 58 minutes");
    for (const { post, who, attempt } of made) {
      expect(replayed(await send(post.name, who, attempt, "key")), post.operation).toBe("true");
    }
    await travel(scene.db, "3 minutes");
    for (const { post, who, next } of made) {
      const answer = await send(post.name, who, next, "key");
      expect([answer.status < 300, replayed(answer)], `${post.operation}: ${answer.text}`).toEqual([true, null]);
    }
  }, 120_000);
});

describe("two repetitions at once", () => {
  it("both get the answer, though each could hold the key", async () => {
    const who = await newcomer();
    const attempt = { path: "/ssh-keys", body: { name: "one" } };
    const first = await send("reference", who, attempt, "key");
    for (let round = 0; round < 5; round++) {
      const some = await Promise.all(Array.from({ length: 8 }, () => send("reference", who, attempt, "key")));
      expect(some.map(({ text }) => text)).toEqual(some.map(() => first.text));
    }
  });
});

const launches = variants.map(({ name, launch }) => ({
  name,
  attempt: (): Attempt => ({ path: launch.path, body: launch.body({ type: types.cpu, name: scene.fresh("box") }) }),
  ids: launch.ids,
}));

describe.each(launches)("a launch in $name", ({ name, attempt: order, ids }) => {
  const instancesOf = async ({ accountId }: Customer) =>
    (await scene.db.selectFrom("instances").select("id").where("account_id", "=", accountId).execute()).map(
      ({ id }) => id,
    );

  it("whose answer is lost after the commit gets it again, and there is one instance", async () => {
    const who = await scene.customer();
    const attempt = order();
    const proxy = await cuttingProxy(scene.client.bases[name], { within: "answer", share: 0 });
    const headers = { "idempotency-key": "lost", authorization: `Bearer ${who.token}`, connection: "close" };
    const lost = fetch(`${proxy.url.replace(/\/$/, "")}${attempt.path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(attempt.body),
    });
    await expect(lost).rejects.toThrow();
    const unheard = await proxy.heard;
    expect(await instancesOf(who)).toHaveLength(1);
    const again = await send(name, who, attempt, "lost");
    expect(replayed(again)).toBe("true");
    expect(unheard.endsWith(again.text)).toBe(true);
    expect(ids(again.body)).toEqual(await instancesOf(who));
  });

  it("whose client is gone before the commit happens once all the same, and is told to who asks again", async () => {
    const who = await scene.customer();
    const attempt = order();
    await using other = await withoutNewInstances(scene.db);
    const socket = await raw(`${scene.client.bases[name]}${attempt.path}`, who, attempt.body, "gone");
    await untilKeyHolderWaits(scene.db);
    socket.destroy();
    await other.commit();
    const again = await answered(() => send(name, who, attempt, "gone"));
    expect(again.status).toBeLessThan(300);
    expect(ids(again.body)).toEqual(await instancesOf(who));
    expect(await instancesOf(who)).toHaveLength(1);
  });
});

/** Sends a request on a socket of its own. */
async function raw(url: string, who: Customer, body: unknown, key: string) {
  const { hostname, port, pathname } = new URL(url);
  const socket = connectSocket(Number(port), hostname);
  socket.on("error", () => {}); // it is cut in the end
  const text = JSON.stringify(body);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${who.token}`,
    `Idempotency-Key: ${key}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  await new Promise<void>((resolve) => socket.write(`${head.join("\r\n")}\r\n\r\n${text}`, () => resolve()));
  return socket;
}

/** As a client that is told to come back does: asks until the first request is over. */
async function answered(ask: () => Promise<CallResult>): Promise<CallResult> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 409 || codeOf(answer) !== "idempotency/in-progress") return answer;
  }
}
