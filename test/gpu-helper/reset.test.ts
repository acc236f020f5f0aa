// How the helper that comes with the package resets devices, on fake trees of sysfs.

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { configuration, type FakeDevice, type FakeHost, fakeGpuHost } from "../support/fake-gpu-host.ts";

const [bridge, gpu, other] = ["0000:17:00.0", "0000:18:00.0", "0000:18:01.0"];
const ready: FakeDevice = { bridge, driver: "vfio-pci", group: "12", methods: "flr bus" };

async function hostWith(...devices: (readonly [string, FakeDevice])[]): Promise<{ host: FakeHost; folders: string[] }> {
  const host = await fakeGpuHost();
  await host.addDevice(bridge, { class: "0x060400", driver: "pcieport" });
  const folders: string[] = [];
  for (const [address, device] of devices) folders.push(await host.addDevice(address, device));
  return { host, folders };
}
const reset = ({ helper, signal }: FakeHost, ...addresses: string[]) => helper.reset("gpu-1", addresses, signal);
const methodsOf = async ({ helper, signal }: FakeHost) =>
  (await helper.list("gpu-1", signal)).gpus.map(({ resetMethods }) => resetMethods);

describe("a reset", () => {
  it("is one of the bus where the bridge serves the device alone, and puts the kernel's order back", async () => {
    const { host, folders } = await hostWith([gpu, ready]);
    expect(await methodsOf(host)).toEqual([["bus", "function"]]);
    expect(await reset(host, gpu)).toEqual([
      { address: gpu, isReset: true, method: "bus", detail: expect.stringMatching(/^bus of 0000:18:00\.0, verified/) },
    ]);
    expect(await readFile(join(`${folders}`, "reset"), "utf8")).toBe("1");
    expect(await readFile(join(`${folders}`, "reset_method"), "utf8")).toMatch(/^flr bus/);
    // Once more is the same.
    expect(await reset(host, gpu)).toMatchObject([{ isReset: true, method: "bus" }]);
  });

  it("is one of the function where another device is on the bus, or where there is no bridge", async () => {
    const shared = await hostWith([gpu, ready], [other, { bridge, class: "0x020000" }]);
    expect(await methodsOf(shared.host)).toEqual([["function"]]);
    expect(await reset(shared.host, gpu)).toMatchObject([{ isReset: true, method: "function" }]);
    const { bridge: _, ...onRoot } = ready;
    const root = await hostWith([gpu, onRoot]);
    expect(await reset(root.host, gpu)).toMatchObject([{ isReset: true, method: "function" }]);
  });

  it("is one of the function below a bridge with more buses behind it", async () => {
    const host = await fakeGpuHost();
    await host.addDevice(bridge, { attributes: { secondary_bus_number: "24", subordinate_bus_number: "25" } });
    await host.addDevice(gpu, ready);
    expect(await reset(host, gpu)).toMatchObject([{ isReset: true, method: "function" }]);
  });

  it("of a card with several functions is one of the bus only through its bridge", async () => {
    const audio = { bridge, class: "0x040300", driver: "vfio-pci" };
    const { host } = await hostWith([gpu, ready], ["0000:18:00.1", audio]);
    expect(await reset(host, gpu)).toMatchObject([{ method: "function" }]);
    const bridgeFolder = join(host.root, "sys/devices/pci0000:00", bridge);
    await writeFile(join(bridgeFolder, "reset_subordinate"), "");
    expect(await reset(host, gpu)).toMatchObject([{ method: "bus", detail: /reset_subordinate of 0000:17:00\.0/ }]);
    expect(await readFile(join(bridgeFolder, "reset_subordinate"), "utf8")).toBe("1");
  });

  it("leaves other functions of the card alone that the host uses", async () => {
    const { host } = await hostWith([gpu, ready], ["0000:18:00.1", { bridge, driver: "snd_hda_intel" }]);
    await writeFile(join(host.root, "sys/devices/pci0000:00", bridge, "reset_subordinate"), "");
    expect(await reset(host, gpu)).toMatchObject([{ isReset: true, method: "function" }]);
  });

  it("ends what the device writes to memory", async () => {
    const { host, folders } = await hostWith([gpu, { ...ready, command: 0x0406 }]);
    expect(await reset(host, gpu)).toMatchObject([{ isReset: true }]);
    expect((await readFile(join(`${folders}`, "config"))).readUInt16LE(4)).toBe(0x0402);
  });

  it("waits for a device that responds late", async () => {
    const { host, folders } = await hostWith([gpu, { ...ready, dead: true }]);
    const verdicts = (await host.with({ reset_deadline_seconds: 30 })).reset("gpu-1", [gpu], host.signal);
    await expect.poll(() => readFile(join(`${folders}`, "reset"), "utf8")).toBe("1");
    await writeFile(join(`${folders}`, "config"), configuration({}));
    expect(await verdicts).toMatchObject([{ isReset: true }]);
  });

  it("has a verdict for each device, in the order of the request", async () => {
    const { host } = await hostWith([gpu, ready], [other, { bridge, methods: "pm" }]);
    expect(await reset(host, other, "0000:99:00.0", gpu)).toMatchObject([
      { address: other, isReset: false, code: "no-reset-method" },
      { address: "0000:99:00.0", isReset: false, code: "unknown-device" },
      { address: gpu, isReset: true },
    ]);
  });
});

describe("a reset is refused", () => {
  it.each<[string, FakeDevice, string, RegExp]>([
    ["that no method can do", { bridge, driver: "vfio-pci" }, "no-reset-method", /offers none/],
    ["that only a power state could do", { ...ready, methods: "pm" }, "no-reset-method", /offers pm/],
    ["of a device of the host", { ...ready, driver: "nvidia" }, "host-driver", /bound to nvidia/],
    ["of what is no GPU", { ...ready, class: "0x010802" }, "not-a-gpu", /class 0x010802/],
    ["that the kernel fails to do", { ...ready, resetTo: "/dev/full" }, "reset-failed", /No space left/],
    ["after which it does not respond", { ...ready, dead: true }, "not-back", /does not respond/],
    ["after which it is another device", { ...ready, resetTo: "config" }, "not-verified", /vendor of .* is 0x1031/],
  ])("%s", async (_, device, code, message) => {
    const { host, folders } = await hostWith([gpu, device]);
    const [verdict] = await reset(host, gpu);
    expect(verdict).toMatchObject({ address: gpu, isReset: false, code, message: expect.stringMatching(message) });
    if (["not-a-gpu", "host-driver"].includes(code)) {
      expect(await readFile(join(`${folders}`, "reset"), "utf8")).toBe("");
    }
  });

  it.each(["/dev/vfio/12", "/dev/vfio/devices/vfio3", "/dev/vfio/noiommu-12"])(
    "of a device whose %s a process has open",
    async (file) => {
      const { host, folders } = await hostWith([gpu, ready]);
      await host.addDevice("0000:30:00.0", { group: "112", methods: "flr" });
      await promisify(execFile)("mkdir", ["-p", join(`${folders}`, "vfio-dev/vfio3")]);
      await host.addProcess(1, "/dev/null");
      await host.addProcess(77, "socket:[12]", file);
      expect(await reset(host, gpu, "0000:30:00.0")).toMatchObject([
        { isReset: false, code: "in-use", message: "process 77 (qemu-system-x86) has the device open" },
        { isReset: true },
      ]);
      expect(await readFile(join(`${folders}`, "reset"), "utf8")).toBe("");
    },
  );

  it("of a device that another function of the card shares with a machine", async () => {
    const { host } = await hostWith([gpu, ready], ["0000:18:00.1", { bridge, driver: "vfio-pci", group: "13" }]);
    await host.addProcess(77, "/dev/vfio/13");
    expect(await reset(host, gpu)).toMatchObject([{ isReset: false, code: "in-use" }]);
  });

  it("while an earlier one has not ended, which is judged by its deadline and leaves others theirs", async () => {
    const devices = [[gpu, { ...ready, resetTo: "never" }] as const, ["0000:30:00.0", { methods: "flr" }] as const];
    const { host, folders } = await hostWith(...devices);
    // The kernel would hold the write; nothing reads from here.
    await promisify(execFile)("mkfifo", [join(folders[0] ?? "", "never")]);
    const verdicts = reset(host, gpu, "0000:30:00.0");
    await expect.poll(() => readFile(join(folders[0] ?? "", "reset_method"), "utf8")).toMatch(/^bus/);
    const impatient = await host.with({ lock_wait_seconds: 0.1, reset_deadline_seconds: 1 });
    await expect(impatient.reset("gpu-1", [gpu], host.signal)).rejects.toMatchObject({ code: "busy" });
    expect(await verdicts).toMatchObject([{ isReset: false, code: "deadline" }, { isReset: true }]);
  });
});
