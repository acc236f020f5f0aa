import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { sampleGuest } from "../../../test/support/guest/sample-guest.ts";
import { envFile } from "./env-file.ts";
import { secretsEnd, secretsFor, secretsMode, secretsPath } from "./secrets.ts";

/** What a shell has in the variable after it read the file, decoded; undefined: the variable is not set. */
function told(text: string, name: string): string | undefined {
  const script = `${text}\n[ -n "\${${name}+set}" ] || exit 3\nprintf '%s' "$${name}" | base64 -d`;
  const { status, stdout } = spawnSync("sh", { input: script, encoding: "utf8" });
  return status === 3 ? undefined : stdout;
}

describe("the secrets of a guest", () => {
  const envVars = { TOKEN: "it's\n$ecret\r\n", EMPTY: "" };
  const text = secretsFor({ ...sampleGuest, envVars, password: "pass'word:1", jupyterToken: "jupyter-€" });

  it("are the bytes of .env, the password and the Jupyter token", () => {
    expect(told(text, "lessor_env")).toBe(envFile(envVars));
    expect(told(text, "lessor_password")).toBe("pass'word:1");
    expect(told(text, "lessor_jupyter_token")).toBe("jupyter-€");
  });

  it("are assignments in single quotes and nothing else, so that reading them can do nothing else", () => {
    for (const line of text.trimEnd().split("\n")) expect(line).toMatch(/^[a-z_]+='[A-Za-z0-9+/=]*'$/);
  });

  it("end with the line that tells the guest that nothing is missing", () => {
    expect(text.endsWith(`\n${secretsEnd}\n`)).toBe(true);
    expect(text.indexOf(secretsEnd)).toBe(text.length - secretsEnd.length - 1);
  });

  it("belong to a file that only root reads", () => {
    expect([secretsPath, secretsMode]).toEqual(["/var/lib/lessor-secrets", 0o600]);
  });
});

describe("a guest without secrets", () => {
  it("is told so, and of no empty ones", () => {
    expect(secretsFor(sampleGuest)).toBe(`${secretsEnd}\n`);
    expect(told(secretsFor(sampleGuest), "lessor_env")).toBeUndefined();
  });
});

describe("a password that chpasswd would take for several users", () => {
  it.each(["", "secret\nroot:x", "secret\r"])("is refused without being shown: %j", (password) => {
    expect(() => secretsFor({ ...sampleGuest, password })).toThrow(/^BUG: (?!.*secret)/);
  });
});
