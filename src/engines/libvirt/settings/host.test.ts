import { describe, expect, it } from "vitest";
import { refusalOf } from "../../../../test/support/setting-rules.ts";
import { settingIn } from "../../../settings/setting-path.ts";
import { refuseSharedHosts, resolveHost } from "./host.ts";
import type { LibvirtFileSettings } from "./schema.ts";

const called = (...path: readonly (string | number)[]) => settingIn(["libvirt", 0, "hosts", 0, ...path], "lessor.yaml");

const least = { name: "gpu-1", region: "us-east", uri: "qemu+tls://gpu-1/system" };
const gpu = (address: string) => ({ address, model: "H100", memory_gib: 80 });

describe("a host", () => {
  it("needs a name, a region and a URI, and is discovered", () => {
    expect(resolveHost(least, "kvm", called)).toEqual({
      ...least,
      accelerator: "kvm",
      declared: { vcpus: undefined, memoryGib: undefined, storageGb: undefined, gpus: undefined },
    });
  });

  it("runs machines as its engine does, unless it says otherwise", () => {
    expect(resolveHost(least, "emulated", called).accelerator).toBe("emulated");
    expect(resolveHost({ ...least, accelerator: "kvm" }, "emulated", called).accelerator).toBe("kvm");
  });

  it("may be declared in each part for itself: what is not said is discovered", () => {
    const { declared } = resolveHost({ ...least, declared: { memory_gib: 512 } }, "kvm", called);
    expect(declared).toEqual({ vcpus: undefined, memoryGib: 512, storageGb: undefined, gpus: undefined });
  });

  it("may be declared as one without GPUs, which is not the same as one that was not asked", () => {
    expect(resolveHost({ ...least, declared: { gpus: [] } }, "kvm", called).declared.gpus).toEqual([]);
  });

  it("has its URI checked, by the name of the setting", () => {
    const said = refusalOf(() => resolveHost({ ...least, uri: "qemu+ssh://root:hunter2@gpu-1/system" }, "kvm", called));
    expect(said).toContain("libvirt[0].hosts[0].uri in lessor.yaml must be qemu:///system");
    expect(said).not.toContain("hunter2");
  });
});

describe("declared GPUs", () => {
  const gpus = (...addresses: string[]) =>
    resolveHost({ ...least, declared: { gpus: addresses.map(gpu) } }, "kvm", called).declared.gpus;

  it("are in the order of the file, on NUMA node 0 unless they say", () => {
    const declared = { gpus: [{ ...gpu("0000:c1:00.0"), numa_node: 1 }, gpu("0000:41:00.0")] };
    expect(resolveHost({ ...least, declared }, "kvm", called).declared.gpus).toEqual([
      { address: "0000:c1:00.0", model: "H100", memoryGib: 80, numaNode: 1 },
      { address: "0000:41:00.0", model: "H100", memoryGib: 80, numaNode: 0 },
    ]);
  });

  it.each([
    ["0000:41:00.0", "0000:41:00.0"],
    ["0000:CA:1F.7", "0000:ca:1f.7"],
    ["CA:00.0", "0000:ca:00.0"],
    ["10DE:ca:00.0", "10de:ca:00.0"],
  ])("have their addresses as the kernel writes them: %s is %s", (text, address) => {
    expect(gpus(text)?.[0]?.address).toBe(address);
  });

  it.each([
    [["0000:41:00.0", "0000:42:00.0", "0000:41:00.0"], "gpus[2]", "gpus[0]"],
    [["0000:ca:00.0", "0000:CA:00.0"], "gpus[1]", "gpus[0]"],
    [["0000:41:00.0", "41:00.0"], "gpus[1]", "gpus[0]"],
  ])("are each there once, however they are written: %j", (addresses, second, first) => {
    const said = refusalOf(() => gpus(...addresses));
    expect(said).toBe(
      `libvirt[0].hosts[0].declared.${second}.address in lessor.yaml must not be the same as that of ${first}.`,
    );
  });

  it("are apart in another domain, on another bus, slot or function", () => {
    expect(gpus("0000:41:00.0", "0001:41:00.0", "0000:42:00.0", "0000:41:01.0", "0000:41:00.1")).toHaveLength(5);
  });
});

describe("several hosts", () => {
  type Pair = readonly [name: string, uri: string];
  const engine = (...hosts: Pair[]): LibvirtFileSettings => ({
    name: "metal",
    hosts: hosts.map(([name, uri]) => ({ name, region: "hunter2", uri })),
  });
  const check = (...engines: LibvirtFileSettings[]) => refuseSharedHosts(engines, "lessor.yaml");
  const first: Pair = ["gpu-1", "qemu+ssh://root@gpu-1/system"];
  const second: Pair = ["gpu-2", "qemu+ssh://root@gpu-2/system"];

  it("may be in one engine or in several", () => {
    expect(() => check(engine(first, second), engine(["local", "qemu:///system"]))).not.toThrow();
  });

  it.each([
    ["in one engine", [engine(first, ["gpu-1", second[1]])], "libvirt[0].hosts[1]", "libvirt[0].hosts[0]"],
    [
      "in two",
      [engine(second), engine(first, ["gpu-2", "qemu:///system"])],
      "libvirt[1].hosts[1]",
      "libvirt[0].hosts[0]",
    ],
  ])("have names of their own: %s", (_, engines, place, other) => {
    const said = refusalOf(() => check(...engines));
    expect(said).toBe(`${place}.name in lessor.yaml must not be the same as ${other}.name: host names are unique.`);
  });

  it.each([
    ["in one engine", [engine(first, ["gpu-2", first[1]])], "libvirt[0].hosts[1]"],
    ["in two", [engine(first), engine(["gpu-2", first[1]])], "libvirt[1].hosts[0]"],
    ["in other words", [engine(first, second, ["gpu-3", "qemu+tls://GPU-1/system"])], "libvirt[0].hosts[2]"],
  ])("are never one under two names: %s", (_, engines, place) => {
    const said = refusalOf(() => check(...engines));
    expect(said).toBe(
      `${place}.uri in lessor.yaml must not point to the same host as libvirt[0].hosts[0].uri: ` +
        "its resources would be rented twice.",
    );
  });
});
