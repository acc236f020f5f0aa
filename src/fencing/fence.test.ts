// The verdict of real commands, and that nothing of them is left.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import type { FenceSettings } from "../config/fencing.ts";
import { createFencing } from "./fence.ts";

const settings = (script: string, more: Partial<FenceSettings> = {}): FenceSettings => ({
  hosts: undefined,
  command: ["/bin/sh", "-c", script, "power-off", "{host}"],
  timeoutSeconds: 30,
  offOutput: undefined,
  ...more,
});
const fence = (one: FenceSettings, host = "rack-1") => createFencing([one]).fence(host);

describe("fencing a host", () => {
  it("is verified by a command with exit code 0, which gets the host's name as it is", async () => {
    const began = new Date();
    const verdict = await fence(settings("[ \"$1\" = 'a b;$(exit 1)$&' ]"), "a b;$(exit 1)$&");
    expect(verdict).toEqual({ isOff: true, at: expect.any(Date) });
    expect(verdict?.isOff === true && verdict.at >= began).toBe(true);
  });

  it.each([
    ["another exit code", settings("echo secret >&2; exit 3"), "with exit code 3"],
    ["a signal", settings("kill -TERM $$"), "by SIGTERM"],
    ["other output", settings("echo is on", { offOutput: "is off" }), "did not print"],
    ["no program", settings("", { command: ["/nonexistent/power-off"] }), "could not be started"],
    ["an argument that no program can get", settings("a\0b"), "could not be started"],
  ])("has no verdict for %s, and repeats no output", async (_, one, why) => {
    const verdict = await fence(one);
    expect(verdict).toEqual({ isOff: false, why: expect.stringContaining(why) });
    expect(JSON.stringify(verdict)).not.toContain("secret");
  });

  it("finds what it asks for in the last of much output", async () => {
    const script = "head -c 3000000 /dev/zero | tr '\\0' x; echo Power is off";
    expect(await fence(settings(script, { offOutput: "Power is off" }))).toMatchObject({ isOff: true });
  });

  it("ends a command that takes too long, with all that it started", async () => {
    const path = join(await temporaryDirectory(), "pid");
    const verdict = await fence(settings(`sleep 600 & echo $! > ${path}; wait`, { timeoutSeconds: 1 }));
    expect(verdict).toEqual({ isOff: false, why: "The command did not end within 1 seconds." });
    const pid = (await readFile(path, "utf8")).trim();
    const state = () => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone Z ");
    // Gone, or killed and not yet collected by the first process; a kill takes effect when the process runs next.
    await expect.poll(state).toMatch(/ Z /);
  });

  it("runs one command at a time for a host, whose verdict all get", async () => {
    const path = join(await temporaryDirectory(), "runs");
    const fencing = createFencing([settings(`echo run >> ${path}; sleep 0.2`)]);
    const verdicts = await Promise.all([fencing.fence("rack-1"), fencing.fence("rack-1")]);
    expect(verdicts).toMatchObject([{ isOff: true }, { isOff: true }]);
    expect(await readFile(path, "utf8")).toBe("run\n");
  });

  it("takes the first entry that names the host, or that names none", async () => {
    const fencing = createFencing([
      settings("exit 1", { hosts: ["rack-1"] }),
      settings("exit 2", { hosts: ["rack-2"] }),
      settings("exit 3"),
    ]);
    const codes = await Promise.all(["rack-1", "rack-2", "rack-3"].map((host) => fencing.fence(host)));
    expect(codes.map((verdict) => (verdict?.isOff === false ? verdict.why : ""))).toEqual(
      [1, 2, 3].map((code) => `The command ended with exit code ${code}.`),
    );
    expect(createFencing([settings("", { hosts: ["rack-1"] })]).fence("rack-2")).toBeUndefined();
  });
});
