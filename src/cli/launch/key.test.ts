// That a launch whose answer was lost is the same launch when it is typed again: the key, and what is kept of it.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { launchKey } from "./key.ts";

const order = { instance_type: "gpu_1x_a10", env_vars: { SECRET: "hunter2" } };

async function stand() {
  const env = { XDG_STATE_HOME: await temporaryDirectory() };
  const folder = join(env.XDG_STATE_HOME, "lessor", "launches");
  const files = () => readdirSync(folder).map((name) => join(folder, name));
  /** As if the process that wrote them had been killed. */
  const orphan = (more: object = {}) => {
    for (const path of files()) {
      const kept = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...kept, process: 2 ** 22 + 1, ...more }));
    }
  };
  return { env, files, orphan };
}

describe("the key of a launch", () => {
  it("is the same again, with its price, when the process that had it died before the answer", async () => {
    const { env, orphan } = await stand();
    const first = launchKey(env, "token", order, 75);
    orphan();
    expect(launchKey(env, "token", order, 80)).toMatchObject({
      key: first.key,
      priceCents: 75,
      at: first.at,
      isRepeated: true,
    });
  });

  it("is a new one after the answer, for another order, another token, or after a day", async () => {
    const { env, orphan } = await stand();
    const first = launchKey(env, "token", order, 75);
    orphan();
    expect(launchKey(env, "token", { ...order, quantity: 2 }, 75).key).not.toBe(first.key);
    expect(launchKey(env, "other", order, 75).key).not.toBe(first.key);
    orphan({ at: Date.now() - 24 * 3600 * 1000 });
    const next = launchKey(env, "token", order, 75);
    expect(next).toMatchObject({ isRepeated: false });
    next.done();
    expect(launchKey(env, "token", order, 75).key).not.toBe(next.key);
  });

  it("of a process that still waits is not taken: the same launch twice at once is two", async () => {
    const { env, orphan } = await stand();
    const first = launchKey(env, "token", order, 75);
    // Without the process's beginning, as where the system does not tell it.
    orphan({ process: process.ppid, since: undefined });
    expect(launchKey(env, "token", order, 75).key).not.toBe(first.key);
  });

  it("outlives the answer to the same launch that was sent beside it", async () => {
    const { env, orphan } = await stand();
    const first = launchKey(env, "token", order, 75);
    orphan({ process: process.ppid, since: undefined });
    const second = launchKey(env, "token", order, 75);
    second.done();
    orphan();
    expect(launchKey(env, "token", order, 75)).toMatchObject({ key: first.key, isRepeated: true });
  });

  it("is taken where its process is gone and another has the number, and by one other alone", async () => {
    const { env, orphan, files } = await stand();
    const first = launchKey(env, "token", order, 75);
    orphan({ process: process.ppid });
    expect(launchKey(env, "token", order, 75)).toMatchObject({ key: first.key, isRepeated: true });
    expect(files()).toHaveLength(1);
  });

  it("is kept to its owner, and tells nothing of what is launched", async () => {
    const { env, files } = await stand();
    launchKey(env, "token", order, 75);
    const [path = ""] = files();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(path + readFileSync(path, "utf8")).not.toMatch(/hunter2|SECRET|a10|token/);
  });

  it("is there also where nothing can be kept", async () => {
    expect(launchKey({}, "token", order, 75)).toMatchObject({ isRepeated: false, priceCents: 75 });
    const file = join(await temporaryDirectory(), "file");
    writeFileSync(file, "");
    const blocked = { XDG_STATE_HOME: file };
    expect(launchKey(blocked, "token", order, 75).key).toMatch(/^[0-9a-f-]{36}$/);
  });
});
