// Several servers on one database, and their keys: nobody ever seals with a key that another live server lacks.

import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { keyServer, rotated } from "../../test/support/key-server.ts";
import { refusal } from "../../test/support/refusals.ts";
import { worldOfFile } from "../../test/support/world.ts";
import { idOfKey } from "../secrets/key-ring.ts";
import { WrongKey } from "./key-check.ts";

const world = worldOfFile();
const [old, fresh, other] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const environment = (...keys: readonly Buffer[]) => keyServer(world, { keys, from: "environment" });

/** As if the server had stopped beating so long ago. */
async function silent(replicaId: string, seconds: number): Promise<void> {
  await sql`update replicas set seen_at = now() - make_interval(secs => ${seconds}) where id = ${replicaId}`.execute(
    world.db,
  );
}

describe("a server that starts", () => {
  it("seals with the first of its keys when it is the only one", async () => {
    const server = await environment(fresh, old);
    expect(server.keyRing.currentKeyId).toBe(idOfKey(fresh));
  });

  it("seals with an older key, that all have, as long as another server lacks the first", async () => {
    const before = await environment(old);
    const server = await environment(fresh, old);
    expect(server.keyRing.currentKeyId).toBe(idOfKey(old));
    expect(server.logged.join()).toContain("not every replica has the first one");
    await before.stop();
    await server.until(({ currentKeyId }) => currentKeyId === idOfKey(fresh));
  });

  it("waits for a server that was killed no longer than it takes to count it as gone", async () => {
    const killed = await environment(old);
    const server = await environment(fresh, old);
    expect(server.keyRing.currentKeyId).toBe(idOfKey(old));
    await silent(killed.encryption.replicaId, 16);
    await server.until(({ currentKeyId }) => currentKeyId === idOfKey(fresh));
  });

  it("is refused when it lacks the key that a running server seals with", async () => {
    const running = await environment(fresh, old);
    await sql`delete from sealing_keys`.execute(world.db);
    await sql`delete from settings where name = 'key-check'`.execute(world.db);
    const refused = environment(old);
    await expect(refused).rejects.toThrow(WrongKey);
    await expect(refused).rejects.toThrow(`encrypts with key ${running.keyRing.currentKeyId}`);
  });

  it("is refused with another key than the database was written with, by the name of the setting", async () => {
    await (await environment(old)).stop();
    const refused = environment(other);
    await expect(refused).rejects.toThrow(WrongKey);
    await expect(refused).rejects.toThrow("LESSOR_ENCRYPTION_KEY");
    expect(await world.db.selectFrom("replicas").select("id").execute()).toEqual([]);
  });

  it("is refused with the old keys alone as soon as a new one is in use, although nothing is sealed with it yet", async () => {
    await (await environment(old)).stop();
    await (await environment(fresh, old)).stop();
    await expect(environment(old)).rejects.toThrow(WrongKey);
  });

  it("is refused without an old key as long as something may be sealed with it, and told which", async () => {
    await (await environment(old)).stop();
    await (await environment(fresh, old)).stop();
    await expect(environment(fresh)).rejects.toThrow(`Encryption key ${idOfKey(old)} is missing`);
    const server = await environment(fresh, old);
    await server.rotate();
    await server.until(rotated);
    await server.stop();
    expect((await environment(fresh)).keyRing.currentKeyId).toBe(idOfKey(fresh));
  });

  it("is refused when only some rows use the new key, also on a database from before the list of keys", async () => {
    await world.host({ gpus: 0 });
    await world.image();
    const type = await world.product({ gpus: 0 });
    const before = await environment(old);
    await before.seal(type.name);
    const check = await world.db.selectFrom("settings").select("value").where("name", "=", "key-check").execute();
    await before.stop();
    const after = await environment(fresh, old);
    await after.seal(type.name);
    await after.stop();
    const value = JSON.stringify(check[0]?.value);
    await world.db.updateTable("settings").set({ value }).where("name", "=", "key-check").execute();
    await sql`delete from sealing_keys`.execute(world.db);
    await expect(environment(old)).rejects.toThrow(`Encryption key ${idOfKey(fresh)} is missing`);
  });
});

describe("a new key that comes to the servers one after the other", () => {
  it("seals on none before all have it, whatever the order", async () => {
    const [a, b] = [await environment(old), await environment(old)];
    await a.stop();
    const newer = await environment(fresh, old);
    expect(newer.keyRing.currentKeyId).toBe(idOfKey(old));
    await expect(refusal("conflict", newer.rotate())).resolves.toMatchObject({
      message: expect.stringContaining(`does not have the encryption key ${idOfKey(fresh)}`),
      suggestion: expect.stringContaining("Add the new key after the old one on every replica"),
    });
    await b.stop();
    const second = await environment(old, fresh);
    await newer.until(({ currentKeyId }) => currentKeyId === idOfKey(fresh));
    expect(second.keyRing.currentKeyId).toBe(idOfKey(old));
    await expect(refusal("conflict", newer.rotate())).resolves.toMatchObject({
      message: expect.stringContaining(`encrypts with key ${idOfKey(old)}`),
    });
    await second.stop();
    const third = await environment(fresh, old);
    expect(await third.rotate()).toMatchObject({ makesKey: false, keyId: idOfKey(fresh) });
    expect((await newer.until(rotated)).rotation?.problem).toBeNull();
  });

  it("is not made by a server with a key file while another runs", async () => {
    const server = await keyServer(world, { keys: [old] });
    await environment(old);
    expect(await server.rotate()).toMatchObject({ makesKey: false, keyId: idOfKey(old) });
    await server.until(rotated);
    expect(server.keyRing.keyIds).toEqual([idOfKey(old)]);
  });

  it("is not made where another server joined after it was asked for", async () => {
    const asked = await keyServer(world, { keys: [old], parts: { lookSeconds: 60 } });
    await asked.rotate();
    await asked.stop();
    await environment(old);
    const server = await keyServer(world, { keys: [old] });
    const waiting = await server.until(({ rotation }) => rotation?.problem != null);
    expect(waiting.rotation).toMatchObject({ finishedAt: null, problem: expect.stringContaining("is also running") });
    await sql`update key_rotations set asked_at = asked_at - interval '31 seconds'`.execute(world.db);
    const { rotation, currentKeyId } = await server.until(rotated);
    expect(rotation?.problem).toContain("is also running");
    expect(currentKeyId).toBe(idOfKey(old));
  });
});
