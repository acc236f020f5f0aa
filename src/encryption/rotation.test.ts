// A new key, and everything sealed anew with it, while the service goes on. Killed on the way: rotation-killed.program.test.ts.

import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { begin } from "../../test/support/interleave.ts";
import { type KeyServer, keyServer, rotated } from "../../test/support/key-server.ts";
import { refusal } from "../../test/support/refusals.ts";
import { worldOfFile } from "../../test/support/world.ts";
import { once } from "../http/api/idempotency.ts";
import { envVarsContext, passwordContext } from "../rental/instances/instance.ts";
import { loadOrCreateKeyFile } from "../secrets/key-file.ts";
import { idOfKey, KeyRing, keyIdOf } from "../secrets/key-ring.ts";

const world = worldOfFile();
const first = randomBytes(32);

async function product(): Promise<string> {
  await world.host({ gpus: 0, vcpus: 10_000, memoryGib: 100_000, storageGb: 100_000 });
  await world.image();
  return (await world.product({ gpus: 0, vcpus: 1, memoryGib: 1, storageGb: 1 })).name;
}

/** What each instance's sealed values hold, opened with this ring, and the keys that sealed them. */
async function opened(keyRing: KeyRing) {
  const rows = await world.db
    .selectFrom("instances")
    .select(["id", "env_vars_sealed", "password_sealed"])
    .orderBy("position")
    .execute();
  return rows.map(({ id, env_vars_sealed, password_sealed }) => ({
    env: JSON.parse(keyRing.openText(env_vars_sealed ?? "", envVarsContext(id))),
    password: keyRing.openText(password_sealed ?? "", passwordContext(id)),
    keys: [keyIdOf(env_vars_sealed ?? ""), keyIdOf(password_sealed ?? "")],
  }));
}

async function manyInstances(server: KeyServer, count: number): Promise<void> {
  const type = await product();
  for (let made = 0; made < count; made++) await server.seal(type);
}

describe("a rotation of a server that keeps its keys in a file", () => {
  it("makes a key, puts it first in the file, and seals everything with it that an older one sealed", async () => {
    const server = await keyServer(world, { keys: [first] });
    await manyInstances(server, 5);
    const before = await opened(server.keyRing);
    const asked = await server.rotate();
    expect(asked).toMatchObject({ makesKey: true, keyId: null, formerKeyId: idOfKey(first), finishedAt: null });
    const { rotation, currentKeyId, sealed } = await server.until(rotated);
    const [fresh, old] = loadOrCreateKeyFile(server.keyFile);
    if (fresh === undefined) throw new Error("the file has no key");
    expect(old).toEqual(first);
    expect(currentKeyId).toBe(idOfKey(fresh));
    expect(rotation).toMatchObject({ keyId: idOfKey(fresh), resealed: 10, problem: null });
    expect(sealed.map(({ kind, count }) => [kind, count])).toEqual([
      ["instances.env_vars", 5],
      ["instances.password", 5],
    ]);
    const after = await opened(new KeyRing([fresh]));
    expect(after.map(({ env, password }) => ({ env, password }))).toEqual(
      before.map(({ env, password }) => ({ env, password })),
    );
    expect(new Set(after.flatMap(({ keys }) => keys))).toEqual(new Set([idOfKey(fresh)]));
  });

  it("seals kept answers anew, which replay as before", async () => {
    const server = await keyServer(world, { keys: [first] });
    const principal = await world.account();
    const use = { principal, key: "a key with : and ' in it", fingerprint: "f" };
    const answer = { status: 200, headers: {}, body: '{"token":"shown once"}' };
    await world.tx((tx) => once(tx, server.keyRing, use, async () => answer));
    await server.rotate();
    const { sealed, currentKeyId } = await server.until(rotated);
    expect(sealed).toEqual([{ kind: "idempotency_keys.answer", keyId: currentKeyId, count: 1 }]);
    const replay = await world.tx((tx) => once(tx, server.keyRing, use, () => Promise.reject(new Error("ran twice"))));
    expect(replay.body).toBe(answer.body);
  });

  it("loses nothing of launches that go on meanwhile", async () => {
    const server = await keyServer(world, { keys: [first] });
    await manyInstances(server, 10);
    const type = (await world.product({ gpus: 0, vcpus: 1, memoryGib: 1, storageGb: 1 })).name;
    let going = true;
    const launches = (async () => {
      let made = 0;
      for (; going; made++) await server.seal(type);
      return made;
    })();
    await server.rotate();
    await server.until(rotated);
    going = false;
    const made = await launches;
    const { currentKeyId, sealed } = await server.status();
    expect(new Set(sealed.map(({ keyId }) => keyId))).toEqual(new Set([currentKeyId]));
    const [fresh] = loadOrCreateKeyFile(server.keyFile);
    const all = await opened(new KeyRing([fresh ?? first]));
    expect(all).toHaveLength(10 + made);
    expect(all.every(({ env }) => env.SECRET === "hunter2")).toBe(true);
  });

  it("does not end before a transaction that may have sealed with the old key has ended", async () => {
    const server = await keyServer(world, { keys: [first] });
    const { id } = await server.seal(await product());
    const late = server.keyRing.seal('{"SECRET":"late"}', envVarsContext(id));
    const slow = await begin(world.db);
    await sql`select 1`.execute(slow.tx);
    await server.rotate();
    const waiting = await server.until(({ rotation }) => rotation?.problem != null);
    expect(waiting.rotation?.problem).toContain("still open");
    await slow.tx.updateTable("instances").set({ env_vars_sealed: late }).where("id", "=", id).execute();
    await slow.commit();
    await server.until(rotated);
    const [fresh] = loadOrCreateKeyFile(server.keyFile);
    expect((await opened(new KeyRing([fresh ?? first])))[0]?.env).toEqual({ SECRET: "late" });
  });

  it("does not wait for a row that somebody else holds, and comes back to it", async () => {
    const server = await keyServer(world, { keys: [first] });
    await manyInstances(server, 4);
    const one = await world.db.selectFrom("instances").select("id").orderBy("id").executeTakeFirstOrThrow();
    const other = await begin(world.db);
    await sql`select from instances where id = ${one.id} for update`.execute(other.tx);
    await server.rotate();
    const left = await server.until(({ rotation }) => rotation?.resealed === 6);
    expect(left.rotation?.finishedAt).toBeNull();
    await other.commit();
    const done = await server.until(rotated);
    expect(done.rotation?.resealed).toBe(8);
  });

  it("is one at a time: who asks while one is under way is told of that one", async () => {
    const server = await keyServer(world, { keys: [first], parts: { lookSeconds: 60 } });
    const asked = await Promise.all([server.rotate(), server.rotate(), server.rotate()]);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
  });

  it("can be done again and again", async () => {
    const server = await keyServer(world, { keys: [first] });
    await manyInstances(server, 2);
    for (const keys of [2, 3, 4]) {
      await server.rotate();
      await server.until(rotated);
      expect(loadOrCreateKeyFile(server.keyFile)).toHaveLength(keys);
    }
    const [fresh] = loadOrCreateKeyFile(server.keyFile);
    expect(await opened(new KeyRing([fresh ?? first]))).toHaveLength(2);
  });

  it("leaves a value that does not open as it is, says how many there are, and goes on refusing to lose its key", async () => {
    const lost = new KeyRing([randomBytes(32)]);
    const server = await keyServer(world, { keys: [first] });
    const { id } = await server.seal(await product());
    const foreign = lost.seal("{}", envVarsContext(id));
    await world.db.updateTable("instances").set({ env_vars_sealed: foreign }).where("id", "=", id).execute();
    await server.rotate();
    const { rotation } = await server.until(rotated);
    expect(rotation?.problem).toContain(`it cannot be decrypted: 1 value (encrypted with ${lost.currentKeyId})`);
    const row = await world.db
      .selectFrom("instances")
      .select("env_vars_sealed")
      .where("id", "=", id)
      .executeTakeFirst();
    expect(row?.env_vars_sealed).toBe(foreign);
  });

  it("makes no key where the file cannot be used, and says so", async () => {
    const server = await keyServer(world, { keys: [first] });
    await server.seal(await product());
    chmodSync(server.keyFile, 0o644);
    await server.rotate();
    const { rotation, currentKeyId } = await server.until(rotated);
    expect(rotation?.problem).toContain(`chmod 600 ${server.keyFile}`);
    expect(currentKeyId).toBe(idOfKey(first));
  });

  it("writes no key into its log, nor into the database", async () => {
    const server = await keyServer(world, { keys: [first] });
    await server.seal(await product());
    await server.rotate();
    await server.until(rotated);
    const { rows } = await sql<{ text: string }>`
      select concat((select string_agg(r::text, '') from key_rotations r), (select string_agg(r::text, '') from replicas r),
        (select string_agg(s::text, '') from settings s)) as text`.execute(world.db);
    const shown = server.logged.join("") + rows[0]?.text;
    for (const key of loadOrCreateKeyFile(server.keyFile)) {
      for (const form of ["hex", "base64", "base64url"] as const) expect(shown).not.toContain(key.toString(form));
    }
  });
});

describe("a rotation of a server whose keys come from the environment", () => {
  it("seals with the first of them what another sealed, and makes none", async () => {
    const [newer, older] = [randomBytes(32), randomBytes(32)];
    const before = await keyServer(world, { keys: [older], from: "environment" });
    await manyInstances(before, 3);
    await before.stop();
    const server = await keyServer(world, { keys: [newer, older], from: "environment" });
    expect(await server.rotate()).toMatchObject({ makesKey: false, keyId: idOfKey(newer) });
    expect((await server.until(rotated)).rotation).toMatchObject({ resealed: 6, problem: null });
    expect(await opened(new KeyRing([newer]))).toHaveLength(3);
  });

  it("ends when no server seals with its key any more, so that another can begin", async () => {
    const [newer, older] = [randomBytes(32), randomBytes(32)];
    const before = await keyServer(world, { keys: [newer, older], from: "environment", parts: { lookSeconds: 60 } });
    await before.rotate();
    await before.stop();
    const server = await keyServer(world, { keys: [older, newer], from: "environment" });
    await sql`update key_rotations set asked_at = asked_at - interval '31 seconds'`.execute(world.db);
    expect((await server.until(rotated)).rotation?.problem).toContain(`No replica encrypts with key ${idOfKey(newer)}`);
    await server.rotate();
    await server.until(({ rotation }) => rotation?.keyId === idOfKey(older) && rotation.finishedAt !== null);
  });

  it("makes none either where a server with a key file was asked and is started without it", async () => {
    const before = await keyServer(world, { keys: [first], parts: { lookSeconds: 60 } });
    await before.rotate();
    await before.stop();
    const server = await keyServer(world, { keys: [first], from: "environment" });
    expect((await server.until(rotated)).rotation?.problem).toContain("LESSOR_ENCRYPTION_KEY");
  });
});

describe("retiring a key", () => {
  it("takes it out of the file and the ring when everything was sealed anew", async () => {
    const server = await keyServer(world, { keys: [first] });
    await manyInstances(server, 2);
    await server.rotate();
    const { currentKeyId } = await server.until(rotated);
    await server.retire(idOfKey(first));
    expect(loadOrCreateKeyFile(server.keyFile).map(idOfKey)).toEqual([currentKeyId]);
    expect((await server.status()).keyIds).toEqual([currentKeyId]);
    await server.until(() => !server.keyRing.canOpen(idOfKey(first)));
    const row = await world.db.selectFrom("replicas").select("key_ids").executeTakeFirst();
    expect(row?.key_ids).toEqual([currentKeyId]);
    expect(await opened(server.keyRing)).toHaveLength(2);
  });

  it("is refused for the key that seals, for one that is unknown, and while anything may be sealed with it", async () => {
    const spare = randomBytes(32);
    const server = await keyServer(world, { keys: [first, spare] });
    const text = readFileSync(server.keyFile, "utf8");
    await server.seal(await product());
    expect((await refusal("conflict", server.retire(idOfKey(first)))).message).toContain("encrypts with");
    expect(await refusal("unknown-object", server.retire("00000000"))).toMatchObject({ ids: ["00000000"] });
    await world.db
      .insertInto("sealing_keys")
      .values({ id: idOfKey(spare) })
      .execute();
    expect((await refusal("conflict", server.retire(idOfKey(spare)))).message).toContain("might still be encrypted");
    expect(readFileSync(server.keyFile, "utf8")).toBe(text);
  });

  it("is refused while values are sealed with it, and says how many", async () => {
    const server = await keyServer(world, { keys: [first] });
    const { id } = await server.seal(await product());
    const { env_vars_sealed: old } = await world.db
      .selectFrom("instances")
      .select("env_vars_sealed")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    await server.rotate();
    await server.until(rotated);
    await world.db.updateTable("instances").set({ env_vars_sealed: old }).where("id", "=", id).execute();
    const { message, suggestion } = await refusal("conflict", server.retire(idOfKey(first)));
    expect([message, suggestion]).toEqual([
      `1 value is still encrypted with key ${idOfKey(first)}.`,
      "Run `lessor keys rotate`, and retire the key when the rotation has finished.",
    ]);
  });

  it("is not for keys of the environment", async () => {
    const server = await keyServer(world, { keys: [first, randomBytes(32)], from: "environment" });
    const { suggestion } = await refusal("conflict", server.retire(idOfKey(first)));
    expect(suggestion).toContain("remove it there on every replica");
  });
});
