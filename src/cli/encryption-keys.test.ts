// `lessor keys encryption`, `rotate` and `retire` against a control interface. On the whole program: test/start/keys.program.test.ts.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, startControl } from "../../test/support/control.ts";
import { keyServer } from "../../test/support/key-server.ts";
import { idOfKey } from "../secrets/key-ring.ts";
import { CommandError } from "./command-error.ts";
import { listKeys, retireKey, rotateKeys } from "./encryption-keys.ts";

const key = Buffer.alloc(32, 7);
const id = idOfKey(key);

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

const environment = () => ({ LESSOR_URL: control.url, LESSOR_TOKEN: control.operator.token });

/** The lines that a command prints. */
async function printed(command: (print: (line: string) => void) => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  await command((line) => void lines.push(line));
  return lines;
}

describe("lessor keys encryption", () => {
  it("shows each key by its id, with what is sealed with it", async () => {
    const headers = { "idempotency-key": "one" };
    await control.ask("POST", "/tokens", { body: { name: "kept", scopes: ["read"] }, headers });
    expect(await printed((print) => listKeys(environment(), print))).toEqual([
      `${id}  1 value        current`,
      "  idempotency_keys.answer: 1",
      "The keys come from LESSOR_ENCRYPTION_KEY.",
    ]);
  });

  it("needs an operator's token", async () => {
    const { token } = await control.customer();
    const attempt = listKeys({ LESSOR_URL: control.url, LESSOR_TOKEN: token }, () => {});
    await expect(attempt).rejects.toThrow("operator");
    await expect(listKeys({ LESSOR_URL: control.url }, () => {})).rejects.toThrow("You are not signed in");
  });
});

describe("lessor keys rotate", () => {
  it("waits for the end, and says why there is no new key", async () => {
    await keyServer(control.world, { keys: [key], from: "environment" });
    const lines = await printed((print) => rotateKeys(environment(), print, 10));
    expect(lines[0]).toContain("No new key is created");
    expect(lines.at(-1)).toBe(`Re-encrypted 0 values. All values are encrypted with key ${id}.`);
  });

  it("says in one sentence what was left undone", async () => {
    await keyServer(control.world, { keys: [key], from: "environment" });
    const { id: instance } = await control.world.db
      .insertInto("accounts")
      .values({ id: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", name: "x", ...quotas })
      .returning("id")
      .executeTakeFirstOrThrow();
    const answer_sealed = `v1.00000000.${"A".repeat(60)}`;
    await control.world.db
      .insertInto("idempotency_keys")
      .values({ account_id: instance, key: "k", scopes: [], answer_sealed })
      .execute();
    const attempt = rotateKeys(environment(), () => {}, 10);
    await expect(attempt).rejects.toThrow(CommandError);
    await expect(attempt).rejects.toThrow("cannot be decrypted: 1 value (encrypted with 00000000)");
  });
});

describe("lessor keys retire", () => {
  it("passes on why it is refused, and what to do", async () => {
    const attempt = retireKey(id, environment(), () => {});
    await expect(attempt).rejects.toThrow("LESSOR_ENCRYPTION_KEY");
    await expect(attempt).rejects.toMatchObject({ suggestion: expect.stringContaining("remove it there") });
  });
});

const quotas = { quota_instances: 1, quota_gpus: 1, quota_vcpus: 1, quota_ssh_keys: 1, quota_file_systems: 1 };
