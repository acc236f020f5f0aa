import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeyFileError, loadOrCreateKeyFile } from "./key-file.ts";
import { KeyRing } from "./key-ring.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lessor-keys-"));
  path = join(directory, "encryption.key");
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function write(text: string, mode = 0o600): void {
  writeFileSync(path, text);
  chmodSync(path, mode);
}

describe("a key file that is not there yet", () => {
  it("is made with one fresh key, for its owner alone", () => {
    const keys = loadOrCreateKeyFile(path);
    expect(keys.map((key) => key.length)).toEqual([32]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is for its owner alone whatever the umask", () => {
    const former = process.umask(0);
    try {
      loadOrCreateKeyFile(path);
    } finally {
      process.umask(former);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("leaves nothing else behind", () => {
    loadOrCreateKeyFile(path);
    expect(readdirSync(directory)).toEqual(["encryption.key"]);
  });

  it("keeps its key from one start to the next", () => {
    const sealed = new KeyRing(loadOrCreateKeyFile(path)).seal("hunter2", "somewhere");
    expect(new KeyRing(loadOrCreateKeyFile(path)).openText(sealed, "somewhere")).toBe("hunter2");
  });

  it("is another key everywhere", () => {
    expect(loadOrCreateKeyFile(path)).not.toEqual(loadOrCreateKeyFile(`${path}2`));
  });

  it("gets one key when many servers start at once", async () => {
    const program = `import { loadOrCreateKeyFile } from ${JSON.stringify(import.meta.resolve("./key-file.ts"))};
      process.stdout.write(Buffer.concat(loadOrCreateKeyFile(${JSON.stringify(path)})).toString("hex"));`;
    const start = () => promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
    const keys = await Promise.all(Array.from({ length: 8 }, start));
    expect(new Set(keys.map(({ stdout }) => stdout)).size).toBe(1);
    expect(keys[0]?.stdout).toHaveLength(64);
    expect(readdirSync(directory)).toEqual(["encryption.key"]);
  });

  it("needs a directory to be in", () => {
    expect(() => loadOrCreateKeyFile(join(directory, "missing", "encryption.key"))).toThrow("ENOENT");
  });
});

describe("a key file that is there", () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];

  it("is read in its order, in either form, with comments and empty lines", () => {
    write(`# since July\n${first.toString("base64")}\n\n  ${second.toString("hex")}  \r\n`);
    expect(loadOrCreateKeyFile(path)).toEqual([first, second]);
  });

  it("needs no newline at its end", () => {
    write(first.toString("hex"));
    expect(loadOrCreateKeyFile(path)).toEqual([first]);
  });

  it("may be a link to one, and may be read-only", () => {
    write(first.toString("hex"), 0o400);
    symlinkSync(path, `${path}.link`);
    expect(loadOrCreateKeyFile(`${path}.link`)).toEqual([first]);
  });

  it.each([0o640, 0o604, 0o644, 0o660, 0o620, 0o602, 0o601, 0o777])(
    "is refused with mode %o, saying what to do",
    (mode) => {
      write(first.toString("hex"), mode);
      expect(() => loadOrCreateKeyFile(path)).toThrow(KeyFileError);
      expect(() => loadOrCreateKeyFile(path)).toThrow(`(mode 0${mode.toString(8)}). Run: chmod 600 ${path}`);
    },
  );

  it.each([
    ["nothing", "", "There must be at least one key."],
    ["only comments", "# key\n", "There must be at least one key."],
    ["half a key", "hunter2hunter2", "The key must be 32 bytes"],
    ["a wrong second line", `${first.toString("hex")}\nhunter2hunter2`, "Key 2 of 2 must be 32 bytes"],
    ["two keys on a line", `${first.toString("hex")},${second.toString("hex")}`, "The key must be 32 bytes"],
  ])("is refused when it holds %s, and left as it is", (_what, text, message) => {
    write(text);
    expect(() => loadOrCreateKeyFile(path)).toThrow(KeyFileError);
    expect(() => loadOrCreateKeyFile(path)).toThrow(`The key file ${path} must hold one key per line. ${message}`);
    expect(() => loadOrCreateKeyFile(path)).not.toThrow(/hunter2/);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("is refused when it is a directory or a pipe", () => {
    mkdirSync(`${path}.d`, { mode: 0o700 });
    expect(() => loadOrCreateKeyFile(`${path}.d`)).toThrow("is not a regular file");
    execFileSync("mkfifo", ["-m", "600", path]);
    expect(() => loadOrCreateKeyFile(path)).toThrow("is not a regular file");
  });
});
