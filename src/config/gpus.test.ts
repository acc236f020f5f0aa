import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { loadConfig } from "../config.ts";

/** The settings of GPUs that this lessor.yaml makes. */
async function gpus(yaml: string) {
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, "lessor.yaml"), yaml);
  return loadConfig({ env: {}, cwd }).gpus;
}

describe("GPU helpers in lessor.yaml", () => {
  it("are none unless told", async () => {
    expect(await gpus("port: 1")).toMatchObject({ helpers: [] });
    expect(await gpus("gpus: {}")).toMatchObject({ helpers: [] });
  });

  it("may be told", async () => {
    const yaml = `gpus: { helpers: [{ hosts: [gpu-1], command: [ssh, "root@{host}"] }, { command: [x], timeout_seconds: 5 }] }`;
    expect((await gpus(yaml)).helpers).toEqual([
      { hosts: ["gpu-1"], command: ["ssh", "root@{host}"], timeoutSeconds: 180 },
      { hosts: undefined, command: ["x"], timeoutSeconds: 5 },
    ]);
  });

  it.each([
    ["gpus: { helpers: [{ command: ssh }] }", "gpus.helpers[0].command in lessor.yaml must be a list of words"],
    ["gpus: { helpers: [{ command: [] }] }", "gpus.helpers[0].command in lessor.yaml must be a list of words"],
    ["gpus: { helpers: [{ hosts: [gpu-1] }] }", "gpus.helpers[0].command"],
    ["gpus: { helpers: [{ command: [x], timeout_seconds: 901 }] }", "must be a number of seconds from 1 to 900"],
    ["gpus: { helpers: [{ command: [x], off_output: x }] }", "off_output"],
  ])("refuses %s", async (yaml, message) => {
    await expect(gpus(yaml)).rejects.toThrow(message);
  });
});
