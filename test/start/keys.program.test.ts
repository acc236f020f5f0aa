// Changing the encryption key of the real program, as docs/how-to/operators/rotate-encryption-keys.md says it is done.

import { once } from "node:events";
import { copyFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadOrCreateKeyFile } from "../../src/secrets/key-file.ts";
import { idOfKey } from "../../src/secrets/key-ring.ts";
import { type Lessor, refusedStart, spawnLessor, startLessor } from "../support/lessor.ts";
import { startedOnce } from "../support/started-once.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const operatorToken = "an-operators-own-token-32-or-more-letters";
const env = { LESSOR_OPERATOR_TOKEN: operatorToken };

/** Runs `lessor keys …` against the service; gives what it printed and its exit code. */
async function keys(lessor: Lessor, ...args: string[]): Promise<{ code: number | null; said: string }> {
  const settings = { LESSOR_URL: lessor.shown("Control") ?? "", LESSOR_TOKEN: operatorToken };
  const command = spawnLessor(await temporaryDirectory(), settings, "keys", ...args);
  const [code] = await once(command.process, "close");
  return { code, said: command.output() };
}

async function launch(lessor: Lessor, token: string, key: string): Promise<string> {
  const body = {
    instance_type_name: "gpu_1x_a6000",
    region_name: "any",
    quantity: 1,
    ssh_key_names: [],
    env_vars: { SECRET: `hunter-${key}` },
  };
  const response = await fetch(`${lessor.shown("Marketplace (variant M)")}/instance-operations/launch`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "idempotency-key": key },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

describe("lessor keys rotate", () => {
  it("changes the key while launches go on, and a kill -9, a restart and the retirement of the old key lose nothing", async () => {
    const { directory, customerToken: token } = await startedOnce();
    const keyFile = join(directory, "encryption.key");
    const first = await startLessor(directory, env);
    const answers = new Map<string, string>();
    let going = true;
    const launches = (async () => {
      for (let made = 0; going && made < 30; made++) answers.set(`k${made}`, await launch(first, token, `k${made}`));
    })();
    launches.catch(() => {}); // looked at below
    const [old] = loadOrCreateKeyFile(keyFile);
    copyFileSync(keyFile, join(directory, "old.key"));

    const rotated = await keys(first, "rotate");
    going = false;
    await launches;
    const [fresh, behind] = loadOrCreateKeyFile(keyFile);
    if (old === undefined || fresh === undefined) throw new Error("a key file without a key");
    expect(rotated).toEqual({ code: 0, said: expect.stringContaining(`encrypted with key ${idOfKey(fresh)}.`) });
    expect(rotated.said).toContain(`lessor keys retire ${idOfKey(old)}`);
    expect(behind).toEqual(old);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(first.output() + rotated.said).not.toContain(fresh.toString("base64"));
    await first.end("SIGKILL");

    const second = await startLessor(directory, env);
    for (const [key, answer] of answers) expect(await launch(second, token, key)).toBe(answer);
    const listed = await keys(second, "encryption");
    expect(listed.said).toContain(`${idOfKey(old)}  0 values`);
    expect(await keys(second, "retire", idOfKey(fresh))).toMatchObject({ code: 5 });
    expect(await keys(second, "retire", idOfKey(old))).toMatchObject({ code: 0 });
    expect(readFileSync(keyFile, "utf8")).not.toContain(old.toString("base64"));
    await second.end("SIGTERM");

    const third = await startLessor(directory, env);
    for (const [key, answer] of answers) expect(await launch(third, token, key)).toBe(answer);
    await third.end("SIGTERM");

    copyFileSync(join(directory, "old.key"), keyFile);
    const { code, said } = await refusedStart(directory, env);
    expect([code, said]).toEqual([1, expect.stringContaining("The encryption key is not the one")]);
  }, 300_000);

  it("with keys of the environment is two restarts and one command", async () => {
    const directory = await temporaryDirectory();
    const [old, fresh] = ["aa".repeat(32), "bb".repeat(32)] as const;
    const started = (...all: string[]) => startLessor(directory, { ...env, LESSOR_ENCRYPTION_KEY: all.join(",") });
    const first = await started(old);
    const token = first.shown("Customer token") ?? "";
    const answer = await launch(first, token, "one");
    await first.end("SIGTERM");
    await (await started(old, fresh)).end("SIGTERM");
    const second = await started(fresh, old);
    expect((await keys(second, "rotate")).said).toMatch(/^Re-encrypted \d+ values/m);
    await second.end("SIGTERM");
    const third = await started(fresh);
    expect(await launch(third, token, "one")).toBe(answer);
  }, 300_000);
});

describe("a server", () => {
  it("is on the list of those that run, once, also after one before it was killed", async () => {
    const { directory } = await startedOnce();
    await (await startLessor(directory, env)).end("SIGKILL");
    const lessor = await startLessor(directory, env);
    const headers = { authorization: `Bearer ${operatorToken}` };
    const answer = await (await fetch(`${lessor.shown("Control")}/replicas`, { headers })).json();
    expect(answer).toMatchObject({ data: [{ pid: lessor.process.pid, version: expect.stringMatching(/^\d/) }] });
    expect((answer as { data: unknown[] }).data).toHaveLength(1);
  }, 60_000);
});
