// Real commands: how they end, what of their output is kept, and that nothing of them is left.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { type Command, forHost, runCommand } from "./run-command.ts";

const run = (script: string, more: Partial<Command> = {}) =>
  runCommand({
    words: ["/bin/sh", "-c", script],
    timeoutSeconds: 30,
    output: { most: 1000, beyond: "end it" },
    errorTail: 10,
    ...more,
  });

/** Waits until the process is gone, or killed and not yet collected: the kernel ends it a moment after the signal. */
async function expectGone(pidFile: string): Promise<void> {
  const pid = (await readFile(pidFile, "utf8")).trim();
  const state = () => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  await expect.poll(state).toMatch(/^$| Z /);
}

describe("a command", () => {
  it("gets its input, and its output is all that it printed", async () => {
    expect(await run("cat; echo error >&2", { input: "é" })).toEqual({
      ...{ how: "ended", code: 0, signal: null },
      ...{ output: "é", errors: "error\n" },
    });
  });

  it("that ends without reading its input is judged by how it ends", async () => {
    expect(await run("exit 3", { input: "x".repeat(1_000_000) })).toMatchObject({ how: "ended", code: 3 });
  });

  it("has the host's name in its arguments, unchanged", () => {
    expect(forHost(["{host}", "{host}:{host}"], "$& a")).toEqual(["{host}", "$& a:$& a"]);
  });

  it("that prints more than it may is ended, or the end is kept", async () => {
    const flood = "while :; do echo xxxxxxxxxxxxxxxx; done";
    expect(await run(flood)).toMatchObject({ how: "too much output" });
    const much = "head -c 100000 /dev/zero | tr '\\0' x; echo end";
    const kept = await run(much, { output: { most: 10, beyond: "keep the end" } });
    expect(kept).toMatchObject({ how: "ended", output: "xxxxxxend\n" });
  });

  it("keeps the end of its error output", async () => {
    expect((await run("head -c 100000 /dev/zero | tr '\\0' x >&2; echo end >&2")).errors).toBe("xxxxxxend\n");
  });

  it.each([
    ["/nonexistent/program", "x"],
    ["/bin/sh", "a\0b"],
  ])("that cannot be started (%s) says so", async (program, arg) => {
    expect(await run("", { words: [program, arg] })).toEqual({ how: "not started", errors: "" });
  });

  it.each(["late", "aborted"] as const)("that is %s ends with all that it started", async (how) => {
    const path = join(await temporaryDirectory(), "pid");
    const signal = AbortSignal.timeout(how === "late" ? 20_000 : 500);
    const script = `sleep 600 & echo $! > ${path}; wait`;
    expect(await run(script, { signal, timeoutSeconds: how === "late" ? 0.5 : 20 })).toMatchObject({ how });
    await expectGone(path);
  });

  it("is not started if it was aborted before", async () => {
    expect(await run("exit 0", { signal: AbortSignal.abort() })).toMatchObject({ how: "aborted" });
  });

  it("with a child that outlives it and holds its output ends at once if told so", async () => {
    const path = join(await temporaryDirectory(), "pid");
    const script = `echo output; sleep 600 & echo $! > ${path}`;
    expect(await run(script, { lingerMs: 1000 })).toMatchObject({ how: "ended", code: 0, output: "output\n" });
    await expectGone(path);
    expect(await run(script, { timeoutSeconds: 0.5 })).toMatchObject({ how: "late" });
  });

  it("with a child in another group that holds its output ends soon if told so", async () => {
    const script = "echo output; setsid sleep 5 & sleep 0.2";
    expect(await run(script, { lingerMs: 100 })).toMatchObject({ how: "ended", code: 0, output: "output\n" });
  });
});
