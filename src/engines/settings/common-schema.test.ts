import { describe } from "vitest";
import { stringify } from "yaml";
import { holdRules, type SettingRule } from "../../../test/support/setting-rules.ts";
import { parseConfigFile } from "../../config/file.ts";

/** Engines that need nothing but these settings. */
const least = {
  incus: { urls: ["unix:///run/incus.socket"], region: "us-east-1", network: "lxdbr0" },
  libvirt: { hosts: [{ name: "gpu-1", region: "us-east-1", uri: "qemu:///system" }] },
};

const rules: readonly SettingRule[] = [
  {
    path: "name",
    takes: ["n", "North-2", "7up", "a".repeat(40), "simulated-2"],
    refuses: ["", "a".repeat(41), "-north", "no_rth", "no rth", "nörth", "north\n", 4711, true],
    says: 'a name of 1 to 40 letters, digits and "-"',
  },
  { path: "gpu_models", takes: [{}], refuses: ["hunter2", ["hunter2"]], says: "a map from PCI vendor and device" },
  {
    path: "gpu_models.10de:2331",
    takes: [{ model: "h100_pcie", memory_gib: 80 }],
    refuses: ["hunter2", 4711],
    says: "a map of model, memory_gib",
  },
  {
    path: "reserved",
    takes: [{}, { vcpus: 0, memory_gib: 8, storage_gb: 50 }],
    refuses: [4711, "hunter2"],
    says: "a map of vcpus, memory_gib, storage_gb",
  },
  { path: "reserved.vcpus", takes: [0, 1_000_000], refuses: [-1, 1.5, 1_000_001, "4711"], says: "an integer from 0" },
  { path: "reserved.memory_gib", takes: [0, 512], refuses: [-1, 1.5, "4711"], says: "an integer from 0" },
  { path: "reserved.storage_gb", takes: [0, 512], refuses: [-1, 1.5, "4711"], says: "an integer from 0" },
  {
    path: "cpu_ratio",
    takes: [0.1, 1, 2.5, 32],
    refuses: [0, 0.09, 32.5, "4711", -4],
    says: "a number from 0.1 to 32",
  },
  { path: "ssh_probe", takes: [{}, { port: 22 }], refuses: ["hunter2", ["hunter2"]], says: "a map of command, port" },
  {
    path: "ssh_probe.command",
    takes: [["nc", "{ip}", "22"]],
    refuses: [[], "nc hunter2 {ip}", Array(65).fill("hunter2")],
    says: "a list of 1 to 64 words",
  },
  {
    path: "ssh_probe.command[0]",
    takes: [],
    refuses: ["", 4711, { ip: null }, "hunt\0er2"],
    says: "a word of the command",
  },
  { path: "ssh_probe.port", takes: [1, 65_535], refuses: [0, 65_536, "4711"], says: "an integer from 1 to 65535" },
  {
    path: "management_networks",
    takes: [[], ["10.0.0.0/24"]],
    refuses: ["hunter2", Array(21).fill("10.0.0.7"), { hunter2: null }],
    says: "a list of at most 20 addresses and networks",
  },
  { path: "stop_grace_seconds", takes: [1, 1.5, 600], refuses: [0, 601, "4711"], says: "a number of seconds from 1" },
];

describe.each(["incus", "libvirt"] as const)("what every engine has, in %s", (kind) => {
  const parse = (settings: Readonly<Record<string, unknown>>) =>
    parseConfigFile(stringify({ [kind]: [{ name: "north", ...least[kind], ...settings }] }), "lessor.yaml");
  holdRules(kind, parse, rules);
});
