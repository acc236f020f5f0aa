import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { loadConfig, secretVariables } from "../config.ts";

const [key, other] = ["5e".repeat(32), "6f".repeat(32)];
const token = "an-operator-token-of-36-characters-0";

/** The settings with these variables, in a directory with these files. */
async function load(env: Record<string, string>, files: Record<string, string>) {
  const cwd = await temporaryDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return loadConfig({ env, cwd });
}

describe("a secret that comes as a file", () => {
  it("is the file's text, without the end of its line", async () => {
    const url = "postgres://lessor:pass@db.example.com/lessor";
    const config = await load(
      { LESSOR_ENCRYPTION_KEY_FILE: "key", LESSOR_OPERATOR_TOKEN_FILE: "token", DATABASE_URL_FILE: "url" },
      { key: `${key}\n`, token: `${token}\n`, url: `${url}\n` },
    );
    expect(config.encryptionKeys).toEqual([Buffer.from(key, "hex")]);
    expect([config.operatorToken, config.databaseUrl]).toEqual([token, url]);
  });

  it("may be several keys, one a line, as a key file has them", async () => {
    const { encryptionKeys } = await load({ LESSOR_ENCRYPTION_KEY_FILE: "key" }, { key: `${key}\n${other}\n` });
    expect(encryptionKeys).toEqual([Buffer.from(key, "hex"), Buffer.from(other, "hex")]);
  });

  it("that is empty counts as not set", async () => {
    const env = Object.fromEntries(secretVariables.map((name) => [`${name}_FILE`, "empty"]));
    const { encryptionKeys, operatorToken, databaseUrl } = await load(env, { empty: "\n" });
    expect([encryptionKeys, operatorToken, databaseUrl]).toEqual([undefined, undefined, undefined]);
  });

  it("is refused where the file cannot be read, by the name of its setting", async () => {
    await expect(load({ DATABASE_URL_FILE: "nowhere" }, {})).rejects.toThrow(/^DATABASE_URL_FILE must name .*ENOENT/);
    const cwd = await temporaryDirectory();
    mkdirSync(join(cwd, "folder"));
    const folder = () => loadConfig({ env: { DATABASE_URL_FILE: "folder" }, cwd });
    expect(folder).toThrow(/EISDIR/);
  });

  it("is refused where the variable is there too, and neither value is told", async () => {
    const both = load({ LESSOR_OPERATOR_TOKEN_FILE: "token", LESSOR_OPERATOR_TOKEN: "secret-one" }, { token });
    const error: unknown = await both.catch((cause: unknown) => cause);
    expect(String(error)).toContain("LESSOR_OPERATOR_TOKEN and LESSOR_OPERATOR_TOKEN_FILE are both set");
    expect(String(error)).not.toMatch(/secret-one|an-operator/);
  });

  it("wins over lessor.yaml, as the variable does", async () => {
    const yaml = `operator_token: ${"y".repeat(40)}\n`;
    const config = await load({ LESSOR_OPERATOR_TOKEN_FILE: "token" }, { token, "lessor.yaml": yaml });
    expect(config.operatorToken).toBe(token);
  });

  it("of a wrong form is refused as the variable is", async () => {
    await expect(load({ LESSOR_ENCRYPTION_KEY_FILE: "key" }, { key: "short" })).rejects.toThrow(
      "LESSOR_ENCRYPTION_KEY",
    );
  });
});
