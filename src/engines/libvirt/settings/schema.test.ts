import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { holdRules, refusalOf, type SettingRule } from "../../../../test/support/setting-rules.ts";
import { parseConfigFile } from "../../../config/file.ts";

/** One engine that has these settings on top of the few it needs; undefined removes one. */
function fileWith(settings: Readonly<Record<string, unknown>>): string {
  return stringify({ libvirt: [{ name: "metal", hosts: [host], ...settings }] });
}

const host = { name: "gpu-1", region: "us-east", uri: "qemu:///system" };
const gpu = { address: "0000:41:00.0", model: "H100", memory_gib: 80 };
const parse = (settings: Readonly<Record<string, unknown>>) => parseConfigFile(fileWith(settings), "lessor.yaml");
const refusal = (settings: Readonly<Record<string, unknown>>) => refusalOf(() => parse(settings));

const volumes = {
  takes: ["debian-12.qcow2", "a", ".x", "Debian 12 (light)", "ö".repeat(200), "a,b=c&d"],
  refuses: [
    "",
    ".",
    "../../..",
    "-hunter2",
    "hunter/2",
    " hunter2",
    "hunter2 ",
    "hunt\ner2",
    "hunt\0er2",
    "hunt\x9ber2",
    4711,
  ],
  says: '1 to 200 characters, without "/" and control characters',
};

const rules: readonly SettingRule[] = [
  { path: "hosts", takes: [], refuses: [[], "hunter2", 4711, { hunter2: host }], says: "a list of 1 to 10000 hosts" },
  { path: "hosts[0]", takes: [], refuses: ["hunter2", null, ["hunter2"]], says: "a map of name, region, uri," },
  ...["name", "region"].map((key) => ({
    path: `hosts[0].${key}`,
    takes: ["gpu-1", "7", "gpu_1.example.com", "a".repeat(64)],
    refuses: ["", "-hunter2", "hunter 2", "hunter/2", "a".repeat(65), 4711],
    says: "a name of 1 to 64",
  })),
  { path: "hosts[0].uri", takes: ["qemu:///system"], refuses: [4711, ["hunter2"]], says: "a URI such as qemu+ssh://" },
  ...["accelerator", "hosts[0].accelerator"].map((path) => ({
    path,
    takes: ["kvm", "emulated"],
    refuses: ["tcg", "KVM", "qemu", "", true],
    says: "kvm or emulated",
  })),
  {
    path: "hosts[0].declared",
    takes: [{}],
    refuses: ["hunter2", ["hunter2"]],
    says: "a map of vcpus, memory_gib, storage_gb, gpus",
  },
  ...["vcpus", "memory_gib", "storage_gb"].map((key) => ({
    path: `hosts[0].declared.${key}`,
    takes: [1, 512, 1_000_000],
    refuses: [0, -1, 1.5, 1_000_000_001, "4711"],
    says: "an integer from 1",
  })),
  {
    path: "hosts[0].declared.gpus",
    takes: [[]],
    refuses: ["hunter2", 4711, Array(65).fill(gpu)],
    says: "a list of at most 64 GPUs",
  },
  {
    path: "hosts[0].declared.gpus[0]",
    takes: [gpu, { ...gpu, numa_node: 3 }],
    refuses: ["hunter2", null],
    says: "a map of address, model, memory_gib, numa_node",
  },
  {
    path: "hosts[0].declared.gpus[0].address",
    takes: ["0000:41:00.0", "41:00.0", "FFFF:fF:1f.7"],
    refuses: ["", "17:00", "0000:41:20.0", "0000:41:00.8", "00000000:41:00.0", "gpu:41:00.0", "0000:41:00.0\n", 4711],
    says: 'a PCI address such as "0000:41:00.0"',
  },
  {
    path: "hosts[0].declared.gpus[0].model",
    takes: ["H100", "NVIDIA H100 80GB"],
    refuses: ["", " hunter2", "hunter2\t", "h".repeat(65), 4711],
    says: "the model's name in the catalog",
  },
  {
    path: "hosts[0].declared.gpus[0].memory_gib",
    takes: [1, 10_000],
    refuses: [0, 10_001, 0.5, "4711"],
    says: "an integer from 1 to 10000",
  },
  {
    path: "hosts[0].declared.gpus[0].numa_node",
    takes: [0, 1023],
    refuses: [-1, 1024, 0.5, "4711"],
    says: "an integer from 0 to 1023",
  },
  { path: "pool", ...volumes },
  { path: "network", ...volumes },
  { path: "firmware", takes: ["efi", "bios"], refuses: ["uefi", "EFI", true], says: "efi or bios" },
  {
    path: "images",
    takes: [{}],
    refuses: ["hunter2", ["hunter2"]],
    says: "a map from an image's name in the catalog",
  },
  { path: "images.debian-12", ...volumes, refuses: [...volumes.refuses, ["hunter2"], true] },
  ...["volume", "kernel", "initrd"].map((key) => ({ path: `images.light.${key}`, ...volumes })),
  {
    path: "images.light.cmdline",
    takes: ["console=ttyS0 root=/dev/vda", "x", "a".repeat(2047)],
    refuses: ["", "hunter2\nx", "hunter2\r", "hunt\0er2", "hünter2", "hunter2".repeat(300), 4711],
    says: "a kernel command line: one line",
  },
  {
    path: "pin_from_vcpus",
    takes: [1, 16, 1_000_000],
    refuses: [0, 1.5, "4711"],
    says: "an integer from 1 to 1000000",
  },
  { path: "huge_pages", takes: ["2MiB", "1GiB"], refuses: ["1gib", "1G", 1, true, "2M"], says: "2MiB or 1GiB" },
];

holdRules("libvirt", parse, rules, {
  "hosts[0]": host,
  "hosts[0].declared.gpus[0]": gpu,
  "images.light": { volume: "l" },
});

describe("a setting of an engine that is missing", () => {
  it.each([
    ["name", { name: undefined }, "libvirt[0].name in lessor.yaml is required: a name of 1 to 40"],
    ["hosts", { hosts: undefined }, "libvirt[0].hosts in lessor.yaml is required: a list of 1 to 10000 hosts"],
    ["a host's URI", { hosts: [{ ...host, uri: null }] }, "libvirt[0].hosts[0].uri in lessor.yaml is required: a URI"],
    [
      "a host's region",
      { hosts: [host, { name: "x", uri: "y" }] },
      "libvirt[0].hosts[1].region in lessor.yaml is required: a name of 1 to 64",
    ],
    [
      "a GPU's memory",
      { hosts: [{ ...host, declared: { gpus: [{ address: "41:00.0", model: "H100" }] } }] },
      "libvirt[0].hosts[0].declared.gpus[0].memory_gib in lessor.yaml is required: an integer from 1",
    ],
    [
      "the volume of an image that is a map",
      { images: { light: { kernel: "k" } } },
      "libvirt[0].images.light.volume in lessor.yaml is required: the name of a volume of the pool",
    ],
    ["everything in a map", { images: { light: {} } }, "libvirt[0].images.light.volume in lessor.yaml is required: "],
  ])("is named: %s", (_, settings, message) => {
    expect(refusal(settings)).toContain(message);
  });

  it("is no matter where it has a default: a key without a value counts as not set, at any depth", () => {
    const settings = {
      pool: null,
      hosts: [{ ...host, declared: { gpus: null, vcpus: 2 } }],
      images: { x: null, y: { volume: "z", kernel: null } },
    };
    expect(parse(settings).libvirt?.[0]).toEqual({
      name: "metal",
      hosts: [{ ...host, declared: { vcpus: 2 } }],
      images: { y: { volume: "z" } },
    });
  });
});

describe("a key that an engine does not have", () => {
  it.each([
    [{ netwrok: "x" }, '"libvirt[0].netwrok". Did you mean libvirt[0].network?'],
    [{ colour: null }, '"libvirt[0].colour". Known settings: name, hosts, accelerator,'],
    [{ urls: [] }, '"libvirt[0].urls".'],
    [{ hosts: [{ ...host, url: "x" }] }, '"libvirt[0].hosts[0].url". Did you mean libvirt[0].hosts[0].uri?'],
    [
      { hosts: [{ ...host, declared: { cpus: 1 } }] },
      '"libvirt[0].hosts[0].declared.cpus". Did you mean libvirt[0].hosts[0].declared.vcpus?',
    ],
    [
      { hosts: [{ ...host, declared: { gpus: [{ adress: "x" }] } }] },
      '"libvirt[0].hosts[0].declared.gpus[0].adress". Did you mean libvirt[0].hosts[0].declared.gpus[0].address?',
    ],
    [
      { images: { light: { volume: "x", kernal: "y" } } },
      '"libvirt[0].images.light.kernal". Did you mean libvirt[0].images.light.kernel?',
    ],
  ])("is refused with a correction: %j", (settings, message) => {
    expect(refusal(settings)).toContain(`lessor.yaml has an unknown setting ${message}`);
  });

  it("is refused with the rule where keys are free", () => {
    expect(refusal({ images: { "a/b": "x" } })).toContain(
      "libvirt[0].images['a/b'] in lessor.yaml: each key of libvirt[0].images must be a name of 1 to 64",
    );
  });
});

describe("the list of engines", () => {
  it("may be empty or without a value", () => {
    expect(parseConfigFile("libvirt: []", "lessor.yaml")).toEqual({ libvirt: [] });
    expect(parseConfigFile("libvirt:", "lessor.yaml")).toEqual({});
  });

  it.each(["libvirt: { name: metal }", "libvirt: hunter2", "libvirt: 4711"])(
    "is refused as anything else: %s",
    (text) => {
      expect(refusalOf(() => parseConfigFile(text, "lessor.yaml"))).toBe(
        "libvirt in lessor.yaml must be a list of engines, each a map.",
      );
    },
  );
});
