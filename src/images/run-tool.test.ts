import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { runTool } from "./run-tool.ts";

const options = (part: object = {}) => ({ env: {}, log: () => {}, signal: undefined, ...part });
const shell = (script: string, part: object = {}) => runTool("sh", ["-c", script], options(part));

describe("a tool", () => {
  it("tells every line it prints, of both outputs, with the environment it is given", async () => {
    const said: string[] = [];
    await shell('echo "out $WORD"; echo err >&2', { env: { WORD: "of mine" }, log: (line: string) => said.push(line) });
    expect(said.sort()).toEqual(["err", "out of mine"]);
  });

  it("finds the tools for disks, which the PATH of ordinary users leaves out", async () => {
    const said: string[] = [];
    await shell('echo ":$PATH:"', { log: (line: string) => said.push(line) });
    expect(said[0]).toContain(":/usr/sbin:");
    expect(said[0]).toContain(`:${process.env.PATH}:`);
  });

  it("writes to a file where it is told to, and only to a new one", async () => {
    const output = join(await temporaryDirectory(), "output");
    await shell("echo inside", { output });
    expect(await readFile(output, "utf8")).toBe("inside\n");
    await expect(shell("echo again", { output })).rejects.toMatchObject({ code: "EEXIST" });
    expect(await readFile(output, "utf8")).toBe("inside\n");
  });

  it("that fails is an error with its name and what it said last", async () => {
    await expect(shell("echo no luck; exit 3")).rejects.toMatchObject({
      name: "ImageError",
      message: "sh failed:\nno luck",
    });
  });

  it("that is not there is an error with its name", async () => {
    await expect(runTool("no-such-tool", [], options())).rejects.toThrow("no-such-tool could not be started.");
  });

  it.each([
    ["tar: rootfs/usr: Cannot write: No space left on device", "The disk is full."],
    ["E: Failed to fetch http://deb.debian.org/x  Could not resolve", "The package mirror is unreachable."],
  ])("that says %j failed because of that, and somebody can do something about it", async (said, message) => {
    const failure = await shell(`echo "${said}" >&2; exit 2`).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message, suggestion: expect.stringMatching(/\.$/) });
  });

  it("is ended when it is interrupted, with what it started, before that is told", async () => {
    const interrupted = new AbortController();
    let child = 0;
    const log = (line: string) => {
      child = Number(line);
      interrupted.abort(new Error("enough"));
    };
    await expect(shell("sleep 600 & echo $!; wait", { log, signal: interrupted.signal })).rejects.toThrow("enough");
    // It is gone when its new parent has looked after it.
    const isThere = () => {
      try {
        return process.kill(child, 0);
      } catch {
        return false;
      }
    };
    for (let attempts = 0; isThere() && attempts < 500; attempts++) await sleep(10);
    expect(isThere()).toBe(false);
  });

  it("is not started when it was interrupted before", async () => {
    const said: string[] = [];
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(shell("echo started", { signal, log: (line: string) => said.push(line) })).rejects.toThrow("enough");
    expect(said).toEqual([]);
  });
});
