import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { loadConfig } from "../config.ts";

/** The settings of fencing that this lessor.yaml makes. */
async function fencing(yaml: string) {
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, "lessor.yaml"), yaml);
  return loadConfig({ env: {}, cwd }).fencing;
}

describe("fencing in lessor.yaml", () => {
  it("has no commands unless told", async () => {
    expect(await fencing("port: 1")).toEqual([]);
  });

  it("may be told", async () => {
    const yaml = `fencing: [{ hosts: [rack-1], command: [power-off, "{host}"] }, { command: [x], timeout_seconds: 5, off_output: "is off" }]`;
    expect(await fencing(yaml)).toEqual([
      { hosts: ["rack-1"], command: ["power-off", "{host}"], timeoutSeconds: 60, offOutput: undefined },
      { hosts: undefined, command: ["x"], timeoutSeconds: 5, offOutput: "is off" },
    ]);
  });

  it.each([
    ["fencing: [{ command: power-off }]", "fencing[0].command in lessor.yaml must be a list of words"],
    ["fencing: [{ command: [] }]", "fencing[0].command in lessor.yaml must be a list of words"],
    ["fencing: [{ hosts: [rack-1] }]", "fencing[0].command"],
    ["fencing: [{ command: [x], timeout_seconds: 0 }]", "timeout_seconds in lessor.yaml must be a number of seconds"],
    ["fencing: [{ command: [x], hosts: [] }]", "fencing[0].hosts in lessor.yaml must be a list of names of hosts"],
    ["fencing: [{ command: [x], shell: true }]", "shell"],
  ])("refuses %s", async (yaml, message) => {
    await expect(fencing(yaml)).rejects.toThrow(message);
  });
});
