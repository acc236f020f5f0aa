// NVSwitch partitions from a launch to the partition tool of a host: the service, the helper that comes with the package,
// and a process with the command line of NVIDIA's fmpm, which has the faults of public reports.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import type { GpuHelper } from "../../src/gpus/helper.ts";
import { listGpus } from "../../src/rental/gpus/gpu-reading.ts";
import { type FakeTool, fakeGpuHost, fakePartitionTool } from "../support/fake-gpu-host.ts";
import {
  active,
  auditPartitions,
  beginPartitions,
  host,
  launch,
  letTimePass,
  settings,
  stage,
  work,
} from "../support/partitions.ts";
import { refusal } from "../support/refusals.ts";

beginPartitions();

/** As an HGX board has them: the ids of the two of four are 1 and 2. */
const partitions = [8, 4, 2, 1].flatMap((size) =>
  Array.from({ length: 8 / size }, (_, at) => Array.from({ length: size }, (__, gpu) => at * size + gpu + 1)),
);
let tool: FakeTool;
let helper: GpuHelper;
let addresses: string[];

beforeEach(async () => {
  addresses = (await listGpus(stage.db, undefined, { host })).map(({ address }) => address);
  const gpuHost = await fakeGpuHost();
  // Modules count from the end of the PCI order.
  const buses = new Map(addresses.map((address, at) => [addresses.length - at, `0000${address}`]));
  tool = await fakePartitionTool(gpuHost.root, { partitions, buses });
  for (const address of addresses) await gpuHost.addDevice(address, { driver: "vfio-pci" });
  const deadlines = { fabric_deadline_seconds: 2, lock_wait_seconds: 2 };
  helper = await gpuHost.with({ fabric_tool: [tool.path], fabric_version: [tool.path, "--version"], ...deadlines });
});

/** So many rounds, each after the time of retries and of the periodic reading. */
async function rounds(count = 1): Promise<void> {
  for (let round = 0; round < count; round++) {
    await letTimePass();
    await work(undefined, helper, { ...settings, resetSeconds: 20 });
  }
}

/** Which partition has exactly these GPUs. */
function partitionOf(gpus: readonly string[] | null): number {
  const modules = (gpus ?? []).map((address) => addresses.length - addresses.indexOf(address)).sort();
  return partitions.findIndex((one) => one.toString() === modules.toString());
}

describe("a partition of a real tool", () => {
  it("is activated for an instance, and deactivated when that is gone", async () => {
    await rounds();
    const { id, gpuAddresses } = await launch(4);
    await rounds();
    const partition = partitionOf(gpuAddresses);
    expect([1, 2]).toContain(partition);
    expect(await tool.changes()).toEqual([`-a ${partition}`]);
    expect(await active()).toEqual([{ addresses: gpuAddresses, active_for: id, reported: true }]);
    await stage.world.tx((tx) => sql`update gpus set instance_id = null where instance_id = ${id}`.execute(tx));
    await rounds();
    expect(await tool.changes()).toEqual([`-a ${partition}`, `-d ${partition}`]);
    expect(await active()).toEqual([]);
  });

  it("is active again after a restart that lost it and leaked another", async () => {
    await rounds();
    const { id, gpuAddresses } = await launch(2);
    await rounds();
    await tool.restart(0);
    await rounds(2);
    expect((await tool.changes()).slice(1)).toEqual(["-d 0", `-a ${partitionOf(gpuAddresses)}`]);
    expect(await active()).toEqual([{ addresses: gpuAddresses, active_for: id, reported: true }]);
    await auditPartitions();
  });

  it.each(["hang", "deaf", "garbage", "astray"] as const)(
    "is not relied on while the tool is in mode %s",
    async (mode) => {
      await rounds();
      const { id, gpuAddresses } = await launch(1);
      await tool.setMode(mode);
      await rounds();
      expect(await active()).not.toContainEqual({ addresses: gpuAddresses, active_for: id, reported: true });
      await tool.setMode("fine");
      await rounds(2);
      expect(await active()).toEqual([{ addresses: gpuAddresses, active_for: id, reported: true }]);
      await auditPartitions();
    },
  );

  it("is of another driver branch after an upgrade of the fabric manager, which a launch is told", async () => {
    await rounds();
    const { name: instanceType } = await stage.world.product({ gpus: 2 });
    const { name } = await stage.world.image({ driverBranch: "570", isDefault: false });
    const principal = await stage.world.account();
    await stage.world.launchOne(principal, { instanceType, image: { name } });
    await tool.setVersion("580.65.06");
    await rounds();
    const late = stage.world.launchOne(principal, { instanceType, image: { name } });
    const { fields } = await refusal("invalid-parameters", late);
    expect(JSON.stringify(fields)).toMatch(/needs driver branch 570; the fabric managers .* have 580/);
  });
});
