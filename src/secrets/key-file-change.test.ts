import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { loadOrCreateKeyFile } from "./key-file.ts";
import { putFirstInKeyFile, removeDraft, removeFromKeyFile } from "./key-file-change.ts";
import { idOfKey } from "./key-ring.ts";

const [older, old, fresh] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
let directory: string;
let path: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  path = join(directory, "encryption.key");
});

function write(text: string, mode = 0o600): void {
  writeFileSync(path, text);
  chmodSync(path, mode);
}

describe("a key that is put first in a key file", () => {
  it("comes before the others, which stay in their order", () => {
    write(`${old.toString("base64")}\n${older.toString("hex")}\n`);
    putFirstInKeyFile(path, fresh);
    expect(loadOrCreateKeyFile(path)).toEqual([fresh, old, older]);
  });

  it("leaves comments and empty lines where they were", () => {
    write(`# mine\n\n${old.toString("base64")}\n# since July\n${older.toString("hex")}`);
    putFirstInKeyFile(path, fresh);
    expect(readFileSync(path, "utf8")).toBe(
      `# mine\n\n${fresh.toString("base64")}\n${old.toString("base64")}\n# since July\n${older.toString("hex")}`,
    );
  });

  it("leaves one file, for its owner alone, whatever the umask and however it was", () => {
    write(old.toString("hex"), 0o400);
    const former = process.umask(0);
    try {
      putFirstInKeyFile(path, fresh);
    } finally {
      process.umask(former);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(["encryption.key"]);
  });

  it("goes where a link leads, and leaves the link", () => {
    write(old.toString("hex"));
    symlinkSync(path, join(directory, "link"));
    putFirstInKeyFile(join(directory, "link"), fresh);
    expect(lstatSync(join(directory, "link")).isSymbolicLink()).toBe(true);
    expect(loadOrCreateKeyFile(path)).toEqual([fresh, old]);
  });

  it("changes nothing before the whole new file is written, and leaves no draft when that fails", () => {
    write(old.toString("hex"));
    const fail = () => {
      expect(loadOrCreateKeyFile(path)).toEqual([old]);
      expect(statSync(`${path}.draft`).mode & 0o777).toBe(0o600);
      throw new Error("stopped here");
    };
    expect(() => putFirstInKeyFile(path, fresh, fail)).toThrow("stopped here");
    expect(loadOrCreateKeyFile(path)).toEqual([old]);
    expect(readdirSync(directory)).toEqual(["encryption.key"]);
  });

  it("is not kept from its place by the draft of a writer that was killed", () => {
    write(old.toString("hex"));
    writeFileSync(`${path}.draft`, "half a k");
    putFirstInKeyFile(path, fresh);
    expect(loadOrCreateKeyFile(path)).toEqual([fresh, old]);
    writeFileSync(`${path}.draft`, "half a k");
    removeDraft(path);
    expect(existsSync(`${path}.draft`)).toBe(false);
  });

  it("is refused where the file is gone or may be read by others", () => {
    expect(() => putFirstInKeyFile(path, fresh)).toThrow("is missing");
    write(old.toString("hex"), 0o644);
    expect(() => putFirstInKeyFile(path, fresh)).toThrow("chmod 600");
    expect(readFileSync(path, "utf8")).toBe(old.toString("hex"));
  });
});

describe("a key that is removed from a key file", () => {
  it("is gone, in whatever form it was written, and nothing else is", () => {
    write(`# a\n${fresh.toString("base64")}\n# b\n  ${old.toString("hex")}\n${older.toString("base64url")}\n`);
    removeFromKeyFile(path, idOfKey(old));
    expect(readFileSync(path, "utf8")).toBe(`# a\n${fresh.toString("base64")}\n# b\n${older.toString("base64url")}\n`);
  });

  it("may be gone already", () => {
    write(fresh.toString("hex"));
    removeFromKeyFile(path, idOfKey(old));
    expect(readFileSync(path, "utf8")).toBe(fresh.toString("hex"));
  });

  it("is never the only one", () => {
    write(fresh.toString("hex"));
    expect(() => removeFromKeyFile(path, idOfKey(fresh))).toThrow("BUG");
    expect(loadOrCreateKeyFile(path)).toEqual([fresh]);
  });
});
