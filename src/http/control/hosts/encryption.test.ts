// Over HTTP. The server that answers here has not joined the others, and its keys come from the environment; servers of
// test/support/key-server.ts run beside it. What a rotation does: src/encryption/.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";
import { type KeyServer, keyServer } from "../../../../test/support/key-server.ts";
import { idOfKey } from "../../../secrets/key-ring.ts";

const key = Buffer.alloc(32, 7);
const id = idOfKey(key);

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
beforeEach(async () => {
  await control.world.db.deleteFrom("key_rotations").execute();
  await control.world.db.deleteFrom("sealing_keys").execute();
  await control.world.db.deleteFrom("idempotency_keys").execute();
});
afterAll(() => control.close());

const beside = (...keys: readonly Buffer[]): Promise<KeyServer> =>
  keyServer(control.world, { keys, from: "environment" });

async function untilEnded(): Promise<unknown> {
  for (;;) {
    const { rotation } = (await control.data("GET", "/encryption")) as { rotation: { state: string } | null };
    if (rotation !== null && rotation.state !== "running") return rotation;
  }
}

describe("reading which encryption keys there are", () => {
  it("shows their ids, which one seals, and how much is sealed with each, kind by kind", async () => {
    const body = { name: "kept", scopes: ["read"] };
    await control.ask("POST", "/tokens", { body, headers: { "idempotency-key": "one" } });
    expect(await control.data("GET", "/encryption")).toEqual({
      keys_from: "environment",
      current_key_id: id,
      keys: [{ id, current: true, known: true, values: 1, kinds: { "idempotency_keys.answer": 1 } }],
      rotation: null,
    });
  });

  it("shows no key", async () => {
    const { text } = await control.ask("GET", "/encryption");
    for (const form of ["hex", "base64", "base64url"] as const) expect(text).not.toContain(key.toString(form));
  });
});

describe("asking for a rotation", () => {
  it("is answered at once, and seen to its end by reading", async () => {
    await beside(key);
    expect(await control.data("POST", "/encryption/rotate")).toMatchObject({ makes_key: false, key_id: id });
    expect(await untilEnded()).toMatchObject({ state: "done", key_id: id, problem: null });
  });

  it("is refused while another server lacks the key, saying what to do", async () => {
    await control.world.db.deleteFrom("settings").where("name", "=", "key-check").execute();
    const { keyRing } = await beside(randomBytes(32));
    const refused = await control.ask("POST", "/encryption/rotate", { body: {} });
    expect([refused.status, codeOf(refused)]).toEqual([409, "global/conflict"]);
    expect(refused.text).toContain(`does not have the encryption key ${id}`);
    expect(refused.text).toContain("Then move it to the front");
    expect(keyRing.currentKeyId).not.toBe(id);
    await control.world.db.deleteFrom("settings").where("name", "=", "key-check").execute();
  });
});

describe("retiring a key", () => {
  it("is refused for keys of the environment, and for a key that is not there", async () => {
    const own = await control.ask("POST", "/encryption/retire", { body: { key_id: id } });
    expect([own.status, codeOf(own)]).toEqual([409, "global/conflict"]);
    const other = await control.ask("POST", "/encryption/retire", { body: { key_id: "00000000" } });
    expect([other.status, codeOf(other)]).toEqual([404, "global/object-does-not-exist"]);
  });

  it.each([[""], ["xyz"], [id.toUpperCase().replace(/\d/g, "A")], [3], [null], [key.toString("hex")]])(
    "refuses the id %j",
    async (keyId) => {
      const result = await control.ask("POST", "/encryption/retire", { body: { key_id: keyId } });
      expect([result.status, fieldsOf(result)]).toEqual([400, ["key_id"]]);
      expect(result.text).not.toContain(key.toString("hex"));
    },
  );
});

describe("listing servers", () => {
  it("shows those that run, with their keys, all at once or page by page", async () => {
    const servers = [await beside(key), await beside(key), await beside(key)];
    const all = await control.data("GET", "/replicas");
    const ids = servers.map(({ encryption }) => encryption.replicaId).sort();
    expect(all).toEqual(
      ids.map((replicaId) =>
        expect.objectContaining({
          id: replicaId,
          pid: process.pid,
          version: "1.2.3",
          key_ids: [id],
          current_key_id: id,
        }),
      ),
    );
    expect((await control.pages("/replicas", 2)).flat()).toEqual(all);
    await servers[0]?.stop();
    expect(await control.data("GET", "/replicas")).toHaveLength(2);
  });

  it.each([["limit=0"], ["cursor=!"], ["limit=1&limit=2"]])("refuses ?%s", async (query) => {
    expect((await control.ask("GET", `/replicas?${query}`)).status).toBe(400);
  });
});
