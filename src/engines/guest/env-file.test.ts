import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { awkwardValues } from "../../../test/support/guest/sample-guest.ts";
import { fc } from "../../../test/support/properties.ts";
import { envFile } from "./env-file.ts";

const shells = [["sh"], ["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"]].filter(
  ([program = "", ...args]) => spawnSync(program, [...args, "-c", ":"]).status === 0,
);
const home = mkdtempSync(join(tmpdir(), "lessor-env-"));
afterAll(() => rmSync(home, { recursive: true }));

/** The environment of a program that was started after `set -a; . ./.env`. */
function readBy([program = "", ...args]: readonly string[], envVars: Readonly<Record<string, string>>) {
  writeFileSync(join(home, ".env"), envFile(envVars));
  const show = [process.execPath, "-e", "process.stdout.write(JSON.stringify(process.env))"];
  const run = spawnSync(program, [...args, "-c", 'set -a; . ./.env; exec "$@"', "sh", ...show], {
    cwd: home,
    env: {},
    // bash takes a socket for a remote shell's and reads its start-up files then.
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  const seen: Record<string, string> = JSON.parse(run.stdout);
  return { seen, stderr: run.stderr };
}

describe.each(shells.map((shell) => ({ shell, name: shell.join(" ") })))(".env read by $name", ({ shell }) => {
  it("gives back every awkward value byte for byte", () => {
    const envVars = Object.fromEntries(awkwardValues.map((value, index) => [`V${index}`, value]));
    const { seen, stderr } = readBy(shell, envVars);
    expect(seen).toMatchObject(envVars);
    expect(stderr).toBe("");
  });

  it("gives back any value byte for byte", () => {
    const value = fc
      .string({ unit: "binary", maxLength: 40 })
      .filter((text) => text.isWellFormed() && !text.includes("\0"));
    const key = fc.stringMatching(/^V_[A-Za-z0-9_]{0,20}$/);
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 20 }), (envVars) => {
        expect({ ...readBy(shell, envVars).seen }).toMatchObject({ ...envVars });
      }),
      { numRuns: 10 },
    );
  });

  it("has set every other variable by the time a shell ends the reading at one of its own", () => {
    const [program = "", ...args] = shell;
    writeFileSync(join(home, ".env"), envFile({ UID: "x", PPID: "y", OPTIND: "z", LAST: "set" }));
    const script = `trap 'printf %s "$LAST"' EXIT; . ./.env`;
    const run = spawnSync(program, [...args, "-c", script], { cwd: home, stdio: ["ignore", "pipe", "ignore"] });
    expect(run.stdout.toString()).toBe("set");
  });
});

describe("the content of .env", () => {
  it("is one assignment a variable, which people can read", () => {
    expect(envFile({ A: "1", B: "it's" })).toBe("A='1'\nB='it'\\''s'\n");
  });

  it("is empty without variables", () => {
    expect(envFile({})).toBe("");
  });

  it("may have __proto__ as a key", () => {
    expect(envFile(JSON.parse('{"__proto__": "x"}'))).toBe("__proto__='x'\n");
  });

  it.each(["", "1A", "A B", "A=B", "A\n", "A;reboot", "ä"])("is not made of the key %j", (key) => {
    expect(() => envFile({ [key]: "secret" })).toThrow(/^BUG: (?!.*secret)/);
  });
});
