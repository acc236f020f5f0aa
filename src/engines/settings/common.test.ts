import { describe, expect, it } from "vitest";
import { refusalOf } from "../../../test/support/setting-rules.ts";
import { settingIn } from "../../settings/setting-path.ts";
import { resolveCommon } from "./common.ts";
import type { CommonFileSettings } from "./common-schema.ts";

const called = (...path: readonly (string | number)[]) => settingIn(["libvirt", 0, ...path], "lessor.yaml");
const parts = (settings: CommonFileSettings) => resolveCommon(settings, called);

describe("what every engine has", () => {
  it("has defaults", () => {
    expect(parts({})).toEqual({
      gpuModels: {},
      reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
      cpuRatio: 1,
      sshProbe: { kind: "tcp", port: 22 },
      stopGraceSeconds: 30,
      managementNetworks: [],
    });
  });

  it("keeps the rest of what is reserved at nothing", () => {
    expect(parts({ reserved: { vcpus: 4 } }).reserved).toEqual({ vcpus: 4, memoryGib: 0, storageGb: 0 });
  });
});

describe("the operator's networks", () => {
  it("are in CIDR notation, an address being a network of its own", () => {
    const { managementNetworks } = parts({ management_networks: ["10.0.0.0/24", "10.0.0.7", "2001:db8::1"] });
    expect(managementNetworks).toEqual(["10.0.0.0/24", "10.0.0.7/32", "2001:db8::1/128"]);
  });

  it.each(["hunter2", "10.0.0.0/33", "10.0.0"])("are never %j", (wrong) => {
    const said = refusalOf(() => parts({ management_networks: [wrong] }));
    expect(said).toContain("libvirt[0].management_networks[0] in lessor.yaml must be an address such as 10.0.0.7");
    expect(said).not.toContain("hunter2");
  });
});

describe("GPU models", () => {
  const h100 = { model: "hunter2", memory_gib: 80 };

  it("are found by vendor and device in lower case", () => {
    expect(parts({ gpu_models: { "10DE:2331": h100 } }).gpuModels).toEqual({
      "10de:2331": { model: "hunter2", memoryGib: 80 },
    });
  });

  it("are only those that were named, whatever is asked for", () => {
    const { gpuModels } = parts({});
    expect([gpuModels.constructor, gpuModels.toString]).toEqual([undefined, undefined]);
  });

  it("are each there once", () => {
    const said = refusalOf(() => parts({ gpu_models: { "10DE:2331": h100, "10de:2331": h100 } }));
    expect(said).toContain("libvirt[0].gpu_models in lessor.yaml must have each device once");
    expect(said).not.toContain("hunter2");
  });
});

describe("the SSH probe", () => {
  it("may be over TCP on another port", () => {
    expect(parts({ ssh_probe: { port: 2222 } }).sshProbe).toEqual({ kind: "tcp", port: 2222 });
  });

  it.each([
    [["nc", "{ip}", "22"]],
    [["/usr/bin/probe-{ip}"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
    [["sh", "-c", "{ sleep 1; } | nc ${HOST} {ip} {port}"]],
    [["ssh", "-W", "{ip}:{port}", "probe@{host}"]],
  ])("may be a command with the address anywhere in it: %j", (command) => {
    expect(parts({ ssh_probe: { command } }).sshProbe).toEqual({ kind: "command", command, port: 22 });
  });

  it.each([
    [["hunter2"]],
    [["hunter2", "{port}"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
    [["hunter2", "${ip}"]],
    [["{ip}", "{hunter2}"]],
  ])("is refused as a command that asks for nobody, or for something unknown: %j", (command) => {
    const said = refusalOf(() => parts({ ssh_probe: { command } }));
    expect(said).toContain("libvirt[0].ssh_probe.command in lessor.yaml must contain {ip}");
    expect(said).toContain("but no other text in braces.");
    expect(said).not.toContain("hunter2");
  });
});
