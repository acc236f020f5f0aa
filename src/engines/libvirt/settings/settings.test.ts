import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { refusalOf } from "../../../../test/support/setting-rules.ts";
import { parseConfigFile } from "../../../config/file.ts";
import { LibvirtEngineSchema } from "./schema.ts";
import { type LibvirtSettings, resolveLibvirt } from "./settings.ts";

const engines = (text: string) => resolveLibvirt(parseConfigFile(text, "lessor.yaml").libvirt, "lessor.yaml");

/** One engine that needs nothing but these lines. */
const least = "name: metal\nhosts: [{ name: gpu-1, region: us-east, uri: 'qemu:///system' }]\n";

function engine(text: string): LibvirtSettings {
  const [one] = engines(`libvirt:\n  - ${text.trim().replaceAll("\n", "\n    ")}`);
  if (one === undefined) throw new Error("there is no engine");
  return one;
}

const discovered = { vcpus: undefined, memoryGib: undefined, storageGb: undefined, gpus: undefined };

describe("a file that says nothing of libvirt", () => {
  it.each(["", "libvirt:", "libvirt: []"])("has no such engine: %j", (text) => {
    expect(engines(text)).toEqual([]);
  });
});

describe("an engine", () => {
  it("needs a name and hosts; the rest has defaults", () => {
    expect(engine(least)).toEqual({
      name: "metal",
      hosts: [{ name: "gpu-1", region: "us-east", uri: "qemu:///system", accelerator: "kvm", declared: discovered }],
      pool: "default",
      network: "default",
      firmware: "efi",
      images: {},
      gpuModels: {},
      reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
      cpuRatio: 1,
      pinFromVcpus: 16,
      hugePages: undefined,
      sshProbe: { kind: "tcp", port: 22 },
      stopGraceSeconds: 30,
      managementNetworks: [],
    });
  });

  it("may set everything", () => {
    const text = `
name: metal
hosts:
  - name: gpu-1
    region: us-east
    uri: qemu+tls://gpu-1/system
    accelerator: kvm
    declared:
      vcpus: 64
      memory_gib: 512
      storage_gb: 4000
      gpus: [ { address: "0000:41:00.0", model: H100, memory_gib: 80, numa_node: 1 } ]
  - { name: gpu-2, region: us-west, uri: qemu+ssh://root@gpu-2/system }
accelerator: emulated
pool: fast
network: rent
firmware: bios
images:
  debian-12: debian-12.qcow2
  plain: { volume: plain.qcow2 }
  light: { volume: light.qcow2, kernel: light-vmlinuz, initrd: light-initrd, cmdline: "console=ttyS0 root=/dev/vda" }
gpu_models: { "10DE:2331": { model: H100, memory_gib: 80 } }
reserved: { vcpus: 2, memory_gib: 8, storage_gb: 50 }
cpu_ratio: 1.5
pin_from_vcpus: 8
huge_pages: 1GiB
ssh_probe: { command: ["ssh", "-W", "{ip}:{port}", "probe@{host}"], port: 2222 }
stop_grace_seconds: 60
management_networks: [10.0.0.0/24, 192.0.2.7]
`;
    expect(engine(text)).toEqual({
      name: "metal",
      hosts: [
        {
          name: "gpu-1",
          region: "us-east",
          uri: "qemu+tls://gpu-1/system",
          accelerator: "kvm",
          declared: {
            vcpus: 64,
            memoryGib: 512,
            storageGb: 4000,
            gpus: [{ address: "0000:41:00.0", model: "H100", memoryGib: 80, numaNode: 1 }],
          },
        },
        {
          name: "gpu-2",
          region: "us-west",
          uri: "qemu+ssh://root@gpu-2/system?no_tty=1",
          accelerator: "emulated",
          declared: discovered,
        },
      ],
      pool: "fast",
      network: "rent",
      firmware: "bios",
      images: {
        "debian-12": { volume: "debian-12.qcow2", boot: undefined },
        plain: { volume: "plain.qcow2", boot: undefined },
        light: {
          volume: "light.qcow2",
          boot: { kernel: "light-vmlinuz", initrd: "light-initrd", cmdline: "console=ttyS0 root=/dev/vda" },
        },
      },
      gpuModels: { "10de:2331": { model: "H100", memoryGib: 80 } },
      reserved: { vcpus: 2, memoryGib: 8, storageGb: 50 },
      cpuRatio: 1.5,
      pinFromVcpus: 8,
      hugePages: "1GiB",
      sshProbe: { kind: "command", command: ["ssh", "-W", "{ip}:{port}", "probe@{host}"], port: 2222 },
      stopGraceSeconds: 60,
      managementNetworks: ["10.0.0.0/24", "192.0.2.7/32"],
    });
  });

  it("has no image that it does not name, whatever its name is", () => {
    const { images } = engine(`${least}images: { constructor: x.qcow2 }`);
    expect(images.constructor).toEqual({ volume: "x.qcow2", boot: undefined });
    expect(images.toString).toBeUndefined();
  });

  it.each([
    "{ volume: v, kernel: hunter2 }",
    "{ volume: v, kernel: hunter2, initrd: i }",
    "{ volume: v, cmdline: hunter2 }",
  ])("boots an image by a kernel of its own only with all that belongs to it: %s", (image) => {
    expect(refusalOf(() => engine(`${least}images: { light: ${image} }`))).toBe(
      "libvirt[0].images.light in lessor.yaml must have all of kernel, initrd and cmdline, or none of them.",
    );
  });

  it.each([
    [
      least.replace("qemu:///system", "qemu+ssh://root:hunter2@x/system"),
      "libvirt[0].hosts[0].uri in lessor.yaml must",
    ],
    [`${least}ssh_probe: { command: [hunter2] }`, "libvirt[0].ssh_probe.command in lessor.yaml must contain {ip}"],
    [
      `${least}images: { debian-12: hunter2/x }`,
      "libvirt[0].images.debian-12 in lessor.yaml must be the name of a volume",
    ],
  ])("is refused by the name of the setting, and no value is repeated: %s", (text, message) => {
    const said = refusalOf(() => engine(text));
    expect(said).toContain(message);
    expect(said).not.toMatch(/hunter2|us-east|metal/);
  });
});

describe("several engines", () => {
  const item = (name: string, uri: string) =>
    `  - { name: ${name}, hosts: [{ name: ${name}-1, region: us-east, uri: "${uri}" }] }\n`;

  it("are in the order of the file", () => {
    const text = `libvirt:\n${item("metal", "qemu:///system")}${item("glass", "qemu+tls://glass/system")}`;
    expect(engines(text).map(({ name }) => name)).toEqual(["metal", "glass"]);
  });

  it("never share a host, which both would rent out", () => {
    const text = `libvirt:\n${item("metal", "qemu+tls://x/system")}${item("glass", "qemu+ssh://x/system")}`;
    expect(refusalOf(() => engines(text))).toContain(
      "libvirt[1].hosts[0].uri in lessor.yaml must not point to the same host as libvirt[0].hosts[0].uri",
    );
  });
});

describe("docs/reference/settings-libvirt.md", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../../docs/reference/settings-libvirt.md"), "utf8");
  const section = page.split("\n## ").find((one) => one.startsWith("libvirt hosts\n")) ?? "";
  const keys = Object.keys(LibvirtEngineSchema.properties);
  const example = /```yaml\n(libvirt:\n[\s\S]*?)```/.exec(section)?.[1] ?? "";

  it("has an example that works, with everything", () => {
    expect(engines(example)).toMatchObject([{ name: "metal", hosts: [{ name: "gpu-1" }, { name: "gpu-2" }] }]);
    expect(keys.filter((key) => !new RegExp(`^ {2}(  |- )${key}:`, "m").test(example))).toEqual([]);
  });

  it("says what each setting means, and its default as it is", () => {
    const rows = section.split("\n").filter((line) => line.startsWith("| `"));
    const told = rows.map((row) => row.split("|")[1] ?? "").join(" ");
    const ofHosts = Object.keys(LibvirtEngineSchema.properties.hosts.items.properties).map((key) => `hosts[].${key}`);
    expect([...keys, ...ofHosts].filter((key) => !told.includes(`\`${key}\``))).toEqual([]);

    const { pool, network, firmware, pinFromVcpus, stopGraceSeconds, cpuRatio } = engine(least);
    const defaultOf = (key: string) =>
      rows
        .find((row) => row.startsWith(`| \`${key}\``))
        ?.split("|")[2]
        ?.trim();
    expect(["pool", "network", "firmware"].map(defaultOf)).toEqual(
      [pool, network, firmware].map((one) => `\`${one}\``),
    );
    expect(["pin_from_vcpus", "stop_grace_seconds", "cpu_ratio"].map(defaultOf)).toEqual(
      [pinFromVcpus, stopGraceSeconds, cpuRatio].map(String),
    );
  });

  it("shows URIs that may be, with everything that may follow them", () => {
    const rows = section.split("\n").filter((line) => line.startsWith("| `qemu"));
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      const uri = (/`(qemu[^`]+)`/.exec(row)?.[1] ?? "").replace("//address/", "//10.0.0.1/");
      const after = [...(row.split("|")[3] ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
      const values: Readonly<Record<string, string>> = {
        proxy: "proxy=auto",
        mode: "mode=auto",
        "no_tty=1": "no_tty=1",
      };
      const query = after.map((key) => values[key] ?? `${key}=/x`).join("&");
      expect(engine(least.replace("qemu:///system", `${uri}?${query}`)).hosts).toHaveLength(1);
    }
  });
});
