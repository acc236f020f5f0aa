// Which service a command talks to and with which token, and the file that both are kept in.

import { readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { configPath, readProfiles, writeProfiles } from "./config-file.ts";
import { connectionFrom } from "./connection.ts";

const work = { url: "https://work.example.com", token: "token-of-work" };
const home = { url: "https://home.example.com", token: "token-of-home" };

async function kept() {
  const env = { XDG_CONFIG_HOME: await temporaryDirectory() };
  writeProfiles(env, { current: "home", profiles: { home, work } });
  return env;
}

describe("the connection", () => {
  it("is that of the current profile, or of the one that is named", async () => {
    const env = await kept();
    expect(connectionFrom(env)).toEqual({ address: home.url, token: home.token });
    expect(connectionFrom({ ...env, LESSOR_PROFILE: "work" })).toEqual({ address: work.url, token: work.token });
    expect(() => connectionFrom({ ...env, LESSOR_PROFILE: "wrok" })).toThrow(
      'There is no profile "wrok". Profiles: home, work.',
    );
  });

  it("is that of the environment where it says so", async () => {
    const env = { ...(await kept()), LESSOR_TOKEN: "mine" };
    expect(connectionFrom(env)).toEqual({ address: home.url, token: "mine" });
    expect(connectionFrom({ ...env, LESSOR_URL: "http://other" })).toEqual({ address: "http://other", token: "mine" });
  });

  it("never hands a kept token to another service than its own", async () => {
    const env = await kept();
    expect(() => connectionFrom({ ...env, LESSOR_URL: "https://evil.example.com" })).toThrow(
      expect.objectContaining({ exit: "not-authorized", message: expect.not.stringContaining(home.token) }),
    );
    expect(() => connectionFrom({ ...env, LESSOR_URL: "http://home.example.com" })).toThrow("belongs to https://home");
    const prefixed = { ...env, LESSOR_URL: `${home.url}/admin` };
    expect(connectionFrom(prefixed)).toEqual({ address: prefixed.LESSOR_URL, token: home.token });
  });
});

describe("the file of profiles", () => {
  it("is its owner's alone from the first moment, also over a wider one, and leaves no draft", async () => {
    const env = await kept();
    const path = configPath(env) ?? "";
    expect(path).toBe(join(env.XDG_CONFIG_HOME, "lessor", "config.json"));
    writeFileSync(path, "{}", { mode: 0o666 });
    const before = process.umask(0);
    try {
      writeProfiles(env, { current: "work", profiles: { work } });
    } finally {
      process.umask(before);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(["config.json"]);
    expect(readProfiles(env)).toEqual({ current: "work", profiles: { work } });
  });

  it("that is none of ours is refused without what stands in it", async () => {
    const env = await kept();
    for (const text of ["secret", '{"current":1}', '{"current":"a","profiles":{"a":{"url":"x"}}}']) {
      writeFileSync(configPath(env) ?? "", text);
      expect(() => readProfiles(env)).toThrow("was not written by lessor login");
    }
  });

  it("is nothing where there is none, and cannot be written without a home", () => {
    expect(readProfiles({})).toEqual({ current: "default", profiles: {} });
    expect(() => writeProfiles({}, { current: "a", profiles: {} })).toThrow("HOME is not set");
  });
});
