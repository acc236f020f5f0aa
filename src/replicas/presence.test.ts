import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { worldOfFile } from "../../test/support/world.ts";
import { connect } from "../database/connect.ts";
import { keepPresent } from "./presence.ts";
import { deleteExpired, enterReplica, expirySeconds, liveReplicas, sendHeartbeat } from "./replica-store.ts";

const world = worldOfFile();
const keys = { keyIds: ["aaaaaaaa", "bbbbbbbb"], currentKeyId: "aaaaaaaa" };
const heartbeatSeconds = 0.02;

async function enter(host = "here"): Promise<string> {
  const id = randomUUID();
  await world.tx((tx) => enterReplica(tx, { id, version: "1.2.3", host, pid: 4711, ...keys }));
  return id;
}

async function seenAgo(id: string, seconds: number): Promise<void> {
  await sql`update replicas set seen_at = now() - make_interval(secs => ${seconds}) where id = ${id}`.execute(world.db);
}

const live = async () => (await liveReplicas(world.db)).map(({ id }) => id);
const silentLog = pino({ level: "silent" });

describe("a server's row", () => {
  it("says who it is and which keys it has", async () => {
    const id = await enter();
    expect(await liveReplicas(world.db)).toMatchObject([
      { id, version: "1.2.3", host: "here", pid: 4711, ...keys, sealingSince: null },
    ]);
  });

  it("counts while it was seen lately, by the database's clock", async () => {
    const [lively, dying, gone] = [await enter(), await enter(), await enter()];
    await seenAgo(dying, expirySeconds - 2);
    await seenAgo(gone, expirySeconds + 1);
    expect(await live()).toEqual([lively, dying].sort());
    await world.tx((tx) => deleteExpired(tx, lively, false));
    expect(await world.db.selectFrom("replicas").select("id").orderBy("id").execute()).toHaveLength(2);
    await world.tx((tx) => deleteExpired(tx, lively, true));
    expect(await live()).toEqual([lively]);
  });

  it("is not revived by a beat once others may have counted it as gone", async () => {
    const id = await enter();
    expect(await sendHeartbeat(world.db, id)).toBe(true);
    await seenAgo(id, expirySeconds + 1);
    expect(await sendHeartbeat(world.db, id)).toBe(false);
    expect(await live()).toEqual([]);
  });

  it("never claims to seal with a key that it does not have", async () => {
    const wrong = { id: randomUUID(), version: "", host: "", pid: 1, keyIds: ["aaaaaaaa"], currentKeyId: "cccccccc" };
    await expect(world.tx((tx) => enterReplica(tx, wrong))).rejects.toThrow("check constraint");
  });
});

describe("a server that runs", () => {
  it("is seen again and again, and is taken out when it stops", async () => {
    const id = await enter();
    await seenAgo(id, expirySeconds - 5);
    const presence = keepPresent(
      world.db,
      id,
      silentLog,
      () => Promise.reject(new Error("rejoined")),
      heartbeatSeconds,
    );
    await expect
      .poll(async () => (await liveReplicas(world.db))[0]?.seenAt.getTime())
      .toBeGreaterThan(Date.now() - 3000);
    await presence.stop();
    expect(await world.db.selectFrom("replicas").selectAll().execute()).toEqual([]);
  });

  it("joins again when it was silent for too long", async () => {
    const id = await enter();
    await seenAgo(id, expirySeconds + 60);
    let rejoined = 0;
    const rejoin = async () => {
      rejoined += 1;
      if (rejoined === 1) throw new Error("not yet");
      await world.tx((tx) => enterReplica(tx, { id, version: "1.2.3", host: "here", pid: 1, ...keys }));
    };
    const presence = keepPresent(world.db, id, silentLog, rejoin, heartbeatSeconds);
    await expect.poll(live).toEqual([id]);
    await presence.stop();
    expect(rejoined).toBe(2);
  });

  it("is not harmed by a database that does not answer: one line in the log, and an end that is an end", async () => {
    const nowhere = connect({ url: "postgresql://nobody@127.0.0.1:1/nothing" });
    onTestFinished(() => nowhere.destroy());
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line) => void lines.push(line) });
    const presence = keepPresent(nowhere, randomUUID(), log, async () => {}, 0.001);
    await expect.poll(() => lines.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await presence.stop();
    expect(lines).toHaveLength(1);
  });
});
