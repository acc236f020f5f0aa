// The calls of the helper that comes with the package: lists, partitions, health, wrong requests and configurations.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FakeHost, fakeGpuHost, fakePartitionTool, helperProgram } from "../support/fake-gpu-host.ts";

const [first, second] = ["0000:18:00.0", "0000:2a:00.0"];

/** `deadlineSeconds`: for the tool. */
async function hostWithFabric(deadlineSeconds = 30) {
  const host = await fakeGpuHost();
  await host.addDevice(first, { driver: "vfio-pci", methods: "flr" });
  await host.addDevice(second, { class: "0x120000" });
  await host.addDevice("0000:40:00.0", { class: "0x020000", methods: "flr" });
  const tool = await fakePartitionTool(host.root);
  const commands = { fabric_tool: [tool.path], fabric_version: [tool.path, "--version"] };
  const settings = { ...commands, fabric_deadline_seconds: deadlineSeconds };
  return { host, tool, settings, helper: await host.with(settings) };
}

describe("a list", () => {
  it("has the GPUs of the host, without a fabric manager too", async () => {
    const { host } = await hostWithFabric();
    const gpu = { moduleId: null, model: "10de:2330" };
    expect(await host.helper.list("gpu-1", host.signal)).toEqual({
      gpus: [
        { ...gpu, address: first, driver: "vfio-pci", resetMethods: ["function"] },
        { ...gpu, address: second, driver: null, resetMethods: [] },
      ],
      fabricManager: null,
      partitions: [],
    });
  });

  it("has partitions by module, and module ids as the tool or the configuration tells them", async () => {
    const { host, helper, settings } = await hostWithFabric();
    const list = await helper.list("gpu-1", host.signal);
    expect(list.gpus.map(({ moduleId }) => moduleId)).toEqual([3, null]);
    expect(list).toMatchObject({
      fabricManager: "570.124.06",
      partitions: [
        { id: "0", gpus: [1, 3], isActive: false },
        { id: "1", gpus: [1], isActive: false },
        { id: "2", gpus: [3], isActive: false },
      ],
    });
    const told = await host.with({ ...settings, modules: { [second]: 1 } });
    expect((await told.list("gpu-1", host.signal)).gpus.map(({ moduleId }) => moduleId)).toEqual([3, 1]);
  });

  it("takes the tool from its command line", async () => {
    const { host, tool } = await hostWithFabric();
    const helper = await host.with({}, "--fabric-tool", `'${tool.path}'`);
    expect(await helper.list("gpu-1", host.signal)).toMatchObject({
      fabricManager: "unknown",
      partitions: [{}, {}, {}],
    });
  });
});

describe("a partition", () => {
  it("is activated and deactivated once, however often that is asked for", async () => {
    const { host, tool, helper } = await hostWithFabric();
    for (const _ of [1, 2]) await helper.activate("gpu-1", "1", host.signal);
    expect((await helper.list("gpu-1", host.signal)).partitions.map(({ isActive }) => isActive)).toEqual([
      ...[false, true, false],
    ]);
    for (const _ of [1, 2]) await helper.deactivate("gpu-1", "1", host.signal);
    expect(await tool.changes()).toEqual(["-a 1", "-d 1"]);
  });

  it("is not activated while another has one of its GPUs", async () => {
    const { host, tool, helper } = await hostWithFabric();
    await helper.activate("gpu-1", "2", host.signal);
    await expect(helper.activate("gpu-1", "0", host.signal)).rejects.toMatchObject({
      ...{ kind: "refused", code: "partition-conflict" },
      message: "partition 0 has GPUs of active partition 2",
    });
    await helper.activate("gpu-1", "1", host.signal);
    expect(await tool.changes()).toEqual(["-a 2", "-a 1"]);
  });

  it.each([
    ["9", "refused", "unknown-partition"],
    ["-a", "refused", "unknown-partition"],
    ["1;reboot", "refused", "bad-request"],
    ["", "refused", "bad-request"],
  ])("with the id %j is refused before the tool sees it", async (id, kind, code) => {
    const { host, tool, helper } = await hostWithFabric();
    await expect(helper.activate("gpu-1", id, host.signal)).rejects.toMatchObject({ kind, code });
    expect(await tool.changes()).toEqual([]);
  });

  it("is refused without a tool", async () => {
    const { host } = await hostWithFabric();
    await expect(host.helper.activate("gpu-1", "1", host.signal)).rejects.toMatchObject({ code: "no-fabric" });
  });

  it.each([
    ["hang", /did not end within 1 seconds/],
    ["flood", /printed more than 1 MiB/],
    ["garbage", /-l ended with 5: Failed to connect/],
    ["stale", /-l ended with 3: Connection lost/],
    ["deaf", /not as asked for after exit code 11: Failed to activate/],
    ["astray", /partition 1 is not as asked for/],
  ] as const)("is not known to be active with a tool in the mode %s", async (mode, message) => {
    const { host, tool, helper } = await hostWithFabric(mode === "hang" ? 1 : undefined);
    await tool.setMode(mode);
    await expect(helper.activate("gpu-1", "1", host.signal)).rejects.toMatchObject({
      ...{ kind: "unavailable", code: "fabric-failed" },
      message: expect.stringMatching(message),
    });
  });
});

describe("health", () => {
  it("has the version of the package, and no problem of a host that has none", async () => {
    const manifest: { version: string } = JSON.parse(
      readFileSync(join(helperProgram, "../../../package.json"), "utf8"),
    );
    const { host, helper } = await hostWithFabric();
    const gpus = [first, second].map((address) => ({ address, problems: [] }));
    expect(await helper.health("gpu-1", host.signal)).toEqual({
      helperVersion: manifest.version,
      fabric: { state: "ok", detail: "" },
      gpus,
    });
    expect((await host.helper.health("gpu-1", host.signal)).fabric.state).toBe("none");
  });

  it("has what is wrong with a GPU and with the fabric manager", async () => {
    const { host, tool, helper } = await hostWithFabric();
    await tool.setMode("garbage");
    await host.addDevice("0000:50:00.0", {
      dead: true,
      attributes: {
        current_link_width: "8",
        max_link_width: "16",
        aer_dev_fatal: "Undefined 0\nDLP 2\nTOTAL_ERR_FATAL 2",
      },
    });
    const { fabric, gpus } = await helper.health("gpu-1", host.signal);
    expect(fabric).toMatchObject({ state: "failed", detail: expect.stringContaining("fmReturn: -5") });
    expect(gpus.find(({ address }) => address === "0000:50:00.0")?.problems).toEqual([
      "does not respond",
      "PCIe link has 8 of 16 lanes",
      "2 fatal PCIe errors since the host started",
    ]);
  });
});

describe("a request", () => {
  const send = (host: FakeHost, input: string) => {
    const options = ["--lock", join(host.root, "lock"), "--config", "/nonexistent", "--sysfs", join(host.root, "sys")];
    const { stdout, stderr, status } = spawnSync(helperProgram, options, { input, encoding: "utf8" });
    expect(stderr).toBe("");
    return { status, ...(JSON.parse(stdout) as { error?: { code: string; message: string } }) };
  };

  it.each([
    ["", "bad-request"],
    ["list", "bad-request"],
    ["[]", "bad-request"],
    ["{}", "bad-request"],
    ['{"version":true,"action":"list"}', "bad-request"],
    ['{"version":2,"action":"list"}', "unsupported-version"],
    ['{"version":1,"action":"reboot"}', "bad-request"],
    ['{"version":1,"action":["list"]}', "bad-request"],
    ['{"version":1,"action":"reset"}', "bad-request"],
    ['{"version":1,"action":"reset","addresses":[]}', "bad-request"],
    ['{"version":1,"action":"reset","addresses":["../../x"]}', "bad-request"],
    ['{"version":1,"action":"reset","addresses":["0000:18:00.0\\n"]}', "bad-request"],
    ['{"version":1,"action":"reset","addresses":["0000:18:00.0","0000:18:00.0"]}', "bad-request"],
    ['{"version":1,"action":"reset","addresses":[{}]}', "bad-request"],
    ['{"version":1,"action":"activate","partition":1}', "bad-request"],
    [`{"version":1,"action":"list","x":"${"x".repeat(70_000)}"}`, "bad-request"],
    ["[".repeat(60_000), "bad-request"],
  ])("%.80s is an error in JSON, with exit code 1", async (input, code) => {
    expect(send(await fakeGpuHost(), input)).toMatchObject({ status: 1, version: 1, error: { code } });
  });

  it("may have fields that this version does not know", async () => {
    const host = await fakeGpuHost();
    expect(send(host, '{"version":1,"action":"list","later":1}')).toMatchObject({ status: 0, result: { gpus: [] } });
  });
});

describe("the configuration", () => {
  it.each([
    [{ classes: "0x03" }, "classes"],
    [{ fabric_tool: [1] }, "fabric_tool"],
    [{ modules: { a: "1" } }, "modules"],
    [{ reset_deadline_seconds: 0 }, "reset_deadline_seconds"],
    [{ shell: true }, "shell"],
    [[], "the whole file"],
  ])("%j is refused by name", async (config, name) => {
    const host = await fakeGpuHost();
    await expect((await host.with(config)).list("gpu-1", host.signal)).rejects.toMatchObject({
      ...{ kind: "unavailable", code: "host-failed" },
      message: expect.stringMatching(`unknown or of the wrong type: ${name}$`),
    });
  });

  it("that is no JSON is refused", async () => {
    const host = await fakeGpuHost();
    const path = join(host.root, "other.json");
    await writeFile(path, "fabric_tool: fmpm");
    const helper = await host.with({}, "--config", path);
    await expect(helper.list("gpu-1", host.signal)).rejects.toMatchObject({ code: "host-failed" });
  });
});
