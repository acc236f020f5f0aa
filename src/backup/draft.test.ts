import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { DraftError, writeWhole } from "./draft.ts";

const place = async () => join(await temporaryDirectory(), "file");

describe("a file that is written whole", () => {
  it("has all bytes, is its owner's alone, and leaves no draft", async () => {
    const path = await place();
    const pieces = Array.from({ length: 50 }, (_, index) => Buffer.alloc(10_000, index));
    expect(await writeWhole(path, (stream) => pipeline(Readable.from(pieces), stream).then(() => "done"))).toBe("done");
    expect(readFileSync(path)).toEqual(Buffer.concat(pieces));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual(["file"]);
  });

  it("leaves what was there when writing fails, and replaces it when it does not", async () => {
    const path = await place();
    writeFileSync(path, "old");
    const failing = async function* () {
      yield Buffer.from("new, and");
      throw new Error("broken");
    };
    await expect(writeWhole(path, (stream) => pipeline(failing(), stream))).rejects.toThrow("broken");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(join(path, ".."))).toEqual(["file"]);
    await writeWhole(path, (stream) => pipeline(Readable.from([Buffer.from("new")]), stream));
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  it("takes the place of nothing but a file, and says where it cannot be", async () => {
    const path = await place();
    mkdirSync(path);
    const write = (to: string) => writeWhole(to, (stream) => pipeline(Readable.from([]), stream));
    await expect(write(path)).rejects.toThrow(DraftError);
    await expect(write("/dev/null")).rejects.toThrow(DraftError);
    await expect(write(join(path, "no", "such", "place"))).rejects.toThrow("Choose another location");
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });
});
