// What a launch hands to cloud-init: sealed, shared by the launch's instances, and gone with the last of them.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { keyServer, rotated } from "../../../test/support/key-server.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { launchFields, only, worldOfFile } from "../../../test/support/world.ts";
import { maxUserDataBytes } from "../../rules/user-data.ts";
import { keyIdOf } from "../../secrets/key-ring.ts";
import { type InstanceType, userDataContext } from "../instances/instance.ts";
import { deleteUnusedUserData } from "../instances/past-instances.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { Principal } from "../service.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ gpus: 8 });
  product = await world.product();
});

const userData = "#cloud-config\n# plaintext-that-nobody-may-see: ünïcode 🦊\r\n";
const launched = (part: { userData?: string; quantity?: number } = {}) =>
  world.launch(principal, { instanceType: product.name, userData, ...part });
const stored = () => world.db.selectFrom("user_data").selectAll().execute();
const usedBy = async () =>
  (await world.db.selectFrom("instances").select("user_data_id").execute()).map((row) => row.user_data_id);
const clean = (batch?: number) => deleteUnusedUserData(world.db, new AbortController().signal, batch);
const end = async (id = "") => {
  await world.change(principal, "terminate", [id]);
  expect(await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}))).toBe(true);
};

describe("user data", () => {
  it("opens again, byte for byte, and in its own place only", async () => {
    await launched();
    await launched();
    const [one, other] = await stored();
    if (one === undefined || other === undefined) throw new Error("each launch has its own");
    const { keyRing } = world.service;
    expect(keyRing.openText(one.text_sealed, userDataContext(one.id))).toBe(userData);
    expect(() => keyRing.open(one.text_sealed, userDataContext(other.id))).toThrow("belongs to another row");
  });

  it("stands in plaintext in no table, event or audit entry", async () => {
    await launched({ quantity: 2 });
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public'`.execute(world.db);
    for (const { name } of tables) {
      const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(world.db);
      expect(JSON.stringify(rows), name).not.toMatch(/plaintext-that|ünïcode/);
    }
  });

  it("is kept once for all instances of a launch, and an instance without has none", async () => {
    await launched({ quantity: 3 });
    const { id } = only(await stored());
    expect(await usedBy()).toEqual([id, id, id]);
    await world.launchOne(principal, { instanceType: product.name });
    expect(await stored()).toHaveLength(1);
  });

  it("of nothing is nothing wrong", async () => {
    await launched({ userData: "" });
    const { id, text_sealed: sealed } = only(await stored());
    expect(world.service.keyRing.openText(sealed, userDataContext(id))).toBe("");
  });

  it("may have a mebibyte, counted in bytes, and the refusal shows nothing of it", async () => {
    await launched({ userData: "x".repeat(maxUserDataBytes) });
    const fields = { ...launchFields, userData: "field_user_data" };
    for (const tooMuch of ["x".repeat(maxUserDataBytes + 1), "ü".repeat(maxUserDataBytes / 2 + 1)]) {
      const order = { instanceType: product.name, userData: tooMuch, fields };
      const told = await changingNothing(world.db, () => refusal("invalid-parameters", world.launch(principal, order)));
      expect(told.fields).toEqual({
        field_user_data: { code: "global/invalid-parameters", message: "Give at most 1048576 bytes." },
      });
    }
  });

  it("of a launch that is refused is kept nowhere", async () => {
    await changingNothing(world.db, () => refusal("insufficient-capacity", launched({ quantity: 9 })));
    expect(await stored()).toEqual([]);
  });

  it("goes when the last of its instances is terminated, and not before", async () => {
    const [first, second] = await launched({ quantity: 2 });
    const { id: other } = only(await launched());
    const remaining = async () => (await stored()).map(({ id }) => id).toSorted();
    const all = await remaining();
    await clean();
    expect(await remaining()).toEqual(all);
    await end(first?.id);
    await clean();
    expect(await remaining()).toEqual(all);
    await end(second?.id);
    await clean();
    expect(await remaining()).toEqual((await usedBy()).filter((id) => id !== null));
    await end(other);
    await clean();
    expect(await stored()).toEqual([]);
    expect(await usedBy()).toEqual([null, null, null]);
  });

  it("stays with an instance that is terminating, or was halted: only what is gone lets go of it", async () => {
    const { id } = only(await launched());
    await world.put(id, "stopped");
    await clean();
    await world.change(principal, "terminate", [id]);
    await clean();
    expect(await stored()).toHaveLength(1);
  });

  it("that is unused goes in batches, of which none waits for what somebody holds", async () => {
    const rows = Array.from({ length: 7 }, () => ({ id: crypto.randomUUID(), text_sealed: "" }));
    await world.db.insertInto("user_data").values(rows).execute();
    await world.tx(async (tx) => {
      await sql`select 1 from user_data where id = ${rows[0]?.id} for update`.execute(tx);
      expect(await clean(2)).toBe(6);
    });
    expect(await clean(2)).toBe(1);
    expect(await clean(2)).toBe(0);
  });

  it("is sealed anew when the key changes", async () => {
    const server = await keyServer(world, { keys: [Buffer.alloc(32, 7)] });
    const id = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
    const text_sealed = server.keyRing.seal(userData, userDataContext(id));
    // More than are taken at once.
    const ids = Array.from({ length: 20 }, () => crypto.randomUUID());
    const others = ids.map((one) => ({ id: one, text_sealed: server.keyRing.seal(one, userDataContext(one)) }));
    await world.db
      .insertInto("user_data")
      .values([{ id, text_sealed }, ...others])
      .execute();
    await server.rotate();
    const { currentKeyId } = await server.until(rotated);
    const rows = await stored();
    expect(new Set(rows.map((row) => keyIdOf(row.text_sealed)))).toEqual(new Set([currentKeyId]));
    for (const row of rows) {
      const text = server.keyRing.openText(row.text_sealed, userDataContext(row.id));
      expect(text).toBe(row.id === id ? userData : row.id);
    }
  });
});
