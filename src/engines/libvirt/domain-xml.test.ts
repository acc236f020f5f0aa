import { describe, expect, it } from "vitest";
import { machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import { fc } from "../../../test/support/properties.ts";
import type { MachineSpec } from "../engine.ts";
import { filesPort } from "../guest/files.ts";
import { type DomainPlan, domainXml, metricsChannel, shellAlias } from "./domain-xml.ts";
import { readOne } from "./xml/read.ts";

const id = "0197a1b2-0000-7000-8000-000000000001";
const account = "0197a1b2-0000-7000-8000-0000000000aa";

function machine(part: Partial<MachineSpec> = {}): MachineSpec {
  return machineSpec({ id, accountId: account, ...part });
}

function planned(part: Partial<DomainPlan> = {}): DomainPlan {
  return {
    installation: "installation-1",
    engine: "lab",
    accelerator: "kvm",
    firmware: "efi",
    architecture: "x86_64",
    poolPath: "/var/lib/libvirt/images",
    memoryPath: "/run/lessor",
    network: "default",
    mac: "52:00:00:00:00:01",
    address: "10.0.0.7",
    boot: undefined,
    pinned: undefined,
    hugePages: undefined,
    devices: [],
    ...part,
  };
}

function made(spec: Partial<MachineSpec> = {}, plan: Partial<DomainPlan> = {}) {
  const text = domainXml(machine(spec), planned(plan));
  /** The text of the elements at the end of that path. */
  const piece = (name: string) => text.match(new RegExp(`<${name}(?: [^>]*)?(?:/>|>.*?</${name}>)`, "g")) ?? [];
  return { text, root: readOne(text), piece };
}

describe("a domain", () => {
  it("is, in an ordinary case, exactly this", () => {
    const volume = "/var/lib/libvirt/images/lessor-0197a1b2-0000-7000-8000-000000000001.qcow2";
    const memory = "/run/lessor/lessor-0197a1b2-0000-7000-8000-000000000001";
    const expected = [
      `<domain type="kvm"><name>lessor-${id}</name><uuid>${id}</uuid>`,
      `<metadata><lessor:machine xmlns:lessor="urn:lessor:machine:1" installation="installation-1" engine="lab" `,
      `instance="${id}" account="${account}" generation="1" address="10.0.0.7"/></metadata>`,
      `<memory unit="GiB">16</memory><vcpu placement="static">4</vcpu>`,
      `<os firmware="efi"><type arch="x86_64" machine="q35">hvm</type><firmware><feature enabled="no" name="secure-boot"/></firmware><boot dev="hd"/></os>`,
      "<features><acpi/><apic/></features>",
      `<cpu mode="host-passthrough" migratable="off"><topology sockets="1" dies="1" cores="4" threads="1"/>`,
      `<maxphysaddr mode="passthrough"/></cpu>`,
      `<clock offset="utc"/><on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot>`,
      "<on_crash>destroy</on_crash><devices>",
      `<disk type="file" device="disk"><driver name="qemu" type="qcow2" discard="unmap"/><source file="${volume}"/>`,
      `<target dev="vda" bus="virtio"/><serial>lessor-root</serial></disk>`,
      `<disk type="file" device="disk"><driver name="qemu" type="raw"/><source file="${memory}.seed.iso"/>`,
      `<target dev="vdb" bus="virtio"/><readonly/><serial>lessor-seed</serial></disk>`,
      `<disk type="file" device="disk"><driver name="qemu" type="raw"/><source file="${memory}.secrets"/>`,
      `<target dev="vdc" bus="virtio"/><readonly/><serial>lessor-secrets</serial></disk>`,
      `<interface type="network"><mac address="52:00:00:00:00:01"/><source network="default"/><port isolated="yes"/>`,
      `<model type="virtio"/><filterref filter="lessor-0197a1b2-0000-7000-8000-000000000001">`,
      `<parameter name="IP" value="10.0.0.7"/></filterref>`,
      `</interface><serial type="pty"><target port="0"/></serial>`,
      `<console type="pty"><target type="serial" port="0"/></console>`,
      `<console type="pty"><target type="virtio" port="1"/><alias name="ua-lessor-shell"/></console>`,
      `<controller type="usb" model="none"/><memballoon model="none"/>`,
      `<rng model="virtio"><backend model="random">/dev/urandom</backend></rng><panic model="isa"/>`,
      "</devices></domain>",
    ].join("");
    expect(made().text).toBe(expected);
  });

  it("holds nothing that the guest alone may know, nor anything else a customer wrote", () => {
    const secret = fc.string({ minLength: 6 }).map((text) => `secret<${text}>`);
    fc.assert(
      fc.property(secret, secret, secret, secret, (password, jupyterToken, command, value) => {
        const guest = guestSpec({
          password,
          jupyterToken,
          command,
          userData: command,
          hostname: "secret-host",
          sshKeys: [`ssh-ed25519 secret ${value}`],
          envVars: { SECRET: value },
          fileSystems: [{ id, name: "secret-name", sizeGb: 1, mountPoint: "/secret-place" }],
        });
        expect(made({ guest }).text.replaceAll("lessor-secrets", "").replaceAll(".secrets", "")).not.toContain(
          "secret",
        );
      }),
    );
  });

  it("keeps hostile names of the operator's for text", () => {
    const hostile = `<x a="'">&amp;]]>`;
    const { root } = made({}, { network: hostile, poolPath: `/${hostile}`, installation: hostile, engine: hostile });
    expect(root.one("devices", "interface", "source")?.attribute("network")).toBe(hostile);
    expect(root.one("devices", "disk", "source")?.attribute("file")).toBe(`/${hostile}/lessor-${id}.qcow2`);
    expect(root.one("metadata", "lessor:machine")?.attribute("installation")).toBe(hostile);
  });
});

describe("GPUs", () => {
  const address = (index: number) => `0000:${(0x18 + index * 0x11).toString(16)}:00.0`;

  it.each([1, 2, 4, 8])("of a number of %i are as many managed devices, at their addresses", (count) => {
    const devices = Array.from({ length: count }, (_, index) => address(index));
    const { piece } = made({ gpuAddresses: devices }, { devices });
    expect(piece("hostdev")).toEqual(
      devices.map(
        (one) =>
          `<hostdev mode="subsystem" type="pci" managed="yes"><source>` +
          `<address domain="0x0000" bus="0x${one.slice(5, 7)}" slot="0x00" function="0x0"/></source></hostdev>`,
      ),
    );
  });

  it("come with what cannot be separated from them, and with wide or odd addresses", () => {
    const { root } = made({}, { devices: ["0000:01:00.0", "0000:01:00.1", "00010000:ff:1f.7"] });
    const parts = root
      .all("devices", "hostdev", "source", "address")
      .map((one) => ["domain", "bus", "slot", "function"].map((name) => one.attribute(name)).join(" "));
    expect(parts).toEqual(["0x0000 0x01 0x00 0x0", "0x0000 0x01 0x00 0x1", "0x00010000 0xff 0x1f 0x7"]);
  });

  it("are none where there are none", () => {
    expect(made().piece("hostdev")).toEqual([]);
  });

  it.each(["", "81:00.0", "0000:81:00.8", "0000:81:20.0", "0000:81:00.0 ", "0000:8G:00.0", "0000:81:00.0\n"])(
    "at %j, which nobody checked, are a bug",
    (device) => {
      expect(() => made({}, { devices: [device] })).toThrow("BUG: a PCI address that was never checked");
    },
  );
});

describe("where it runs on the host", () => {
  it("is wherever there is room, unless it is pinned", () => {
    const { piece } = made();
    expect([piece("vcpu"), piece("numatune")]).toEqual([[`<vcpu placement="static">4</vcpu>`], []]);
  });

  it("is on the CPUs of one node, with its memory there", () => {
    const { piece } = made({}, { pinned: { node: 1, cpus: [32, 33, 96, 97] } });
    expect(piece("vcpu")).toEqual([`<vcpu placement="static" cpuset="32,33,96,97">4</vcpu>`]);
    expect(piece("numatune")).toEqual([`<numatune><memory mode="strict" nodeset="1"/></numatune>`]);
  });

  it.each([
    ["2MiB", `<page size="2" unit="MiB"/>`],
    ["1GiB", `<page size="1" unit="GiB"/>`],
  ] as const)("is in huge pages of %s where the operator says so", (hugePages, page) => {
    expect(made({}, { hugePages }).piece("memoryBacking")).toEqual([
      `<memoryBacking><hugepages>${page}</hugepages></memoryBacking>`,
    ]);
    expect(made().piece("memoryBacking")).toEqual([]);
  });
});

describe("the machine that the guest sees", () => {
  it("is a virtual board of its own on ARM, without what only a PC has", () => {
    const { piece, text } = made({}, { architecture: "aarch64" });
    expect(piece("os")).toEqual([
      `<os firmware="efi"><type arch="aarch64" machine="virt">hvm</type><firmware><feature enabled="no" name="secure-boot"/></firmware><boot dev="hd"/></os>`,
    ]);
    expect(piece("features")).toEqual(["<features><acpi/><gic/></features>"]);
    expect(text).not.toMatch(/apic|isa|maxphysaddr|iommu/);
  });

  it("has more than 255 processors with an interrupt controller that can count them", () => {
    const many = made({ vcpus: 256 });
    expect(many.piece("ioapic")).toEqual([`<ioapic driver="qemu"/>`]);
    expect(many.piece("iommu")).toEqual([`<iommu model="intel"><driver intremap="on" eim="on"/></iommu>`]);
    const few = made({ vcpus: 255 });
    expect([few.piece("ioapic"), few.piece("iommu")]).toEqual([[], []]);
    expect(made({ vcpus: 256 }, { architecture: "aarch64" }).text).not.toMatch(/ioapic|iommu/);
  });

  it("is emulated where the host has nothing better, with a processor that emulation has", () => {
    const { root, piece } = made({}, { accelerator: "emulated" });
    expect(root.attribute("type")).toBe("qemu");
    expect(piece("cpu")).toEqual([`<cpu><topology sockets="1" dies="1" cores="4" threads="1"/></cpu>`]);
    expect(made({}, { accelerator: "emulated", architecture: "aarch64" }).piece("cpu")).toEqual([]);
  });

  it("boots by the firmware that the operator chose", () => {
    expect(made({}, { firmware: "bios" }).piece("os")).toEqual([
      `<os><type arch="x86_64" machine="q35">hvm</type><boot dev="hd"/></os>`,
    ]);
  });

  it("boots a kernel of the host's where the image has none of its own, without other firmware", () => {
    const boot = { kernel: "/p/vmlinuz", initrd: "/p/initrd", cmdline: `root=/dev/vda console=ttyS0 "a&b"` };
    expect(made({}, { boot }).piece("os")).toEqual([
      `<os><type arch="x86_64" machine="q35">hvm</type><kernel>/p/vmlinuz</kernel><initrd>/p/initrd</initrd>` +
        "<cmdline>root=/dev/vda console=ttyS0 &quot;a&amp;b&quot;</cmdline></os>",
    ]);
  });
});

describe("disks", () => {
  it("of file systems follow its own, known by serial numbers, and can be written", () => {
    const one = { id: "0197a1b2-1111-7000-8000-000000000001", name: "data", sizeGb: 1, mountPoint: "/mnt/data" };
    const { root } = made({ guest: guestSpec({ fileSystems: [one] }) });
    const last = root.all("devices", "disk")[3];
    expect(last?.one("source")?.attribute("file")).toBe(`/var/lib/libvirt/images/lessor-fs-${one.id}.img`);
    expect(last?.one("serial")?.text).toBe("0197a1b2111170008000");
    expect(last?.one("readonly")).toBeUndefined();
    expect(last?.one("driver")?.attribute("discard")).toBe("unmap");
  });

  it("have names of their own, however many there are", () => {
    const fileSystems = Array.from({ length: 60 }, (_, index) => {
      return { id: crypto.randomUUID(), name: `fs${index}`, sizeGb: 1, mountPoint: `/mnt/fs${index}` };
    });
    const { root } = made({ guest: guestSpec({ fileSystems }) });
    const names = root.all("devices", "disk", "target").map((target) => target.attribute("dev") ?? "");
    expect(new Set(names).size).toBe(63);
    expect(names.slice(0, 3)).toEqual(["vda", "vdb", "vdc"]);
    expect(names.slice(25, 28)).toEqual(["vdz", "vdaa", "vdab"]);
    expect(names.slice(51, 54)).toEqual(["vdaz", "vdba", "vdbb"]);
  });

  it("of what has no UUID for an id are a bug", () => {
    const guest = guestSpec({ fileSystems: [{ id: "data", name: "data", sizeGb: 1, mountPoint: "/mnt/data" }] });
    expect(() => made({ guest })).toThrow("BUG:");
  });
});

it("the shell's console has the alias that sessions are opened on", () => {
  const { root } = made();
  const aliases = root.all("devices", "console", "alias").map((alias) => alias.attribute("name"));
  expect(aliases).toEqual([shellAlias]);
  // libvirt keeps only aliases of users that begin so.
  expect(shellAlias).toMatch(/^ua-/);
});

it("the channels are there only for an image with the agent, and for a guest that takes files", () => {
  expect(made().text).not.toContain("channel");
  expect(made({ hasMetrics: false, takesFiles: false }).text).not.toContain("channel");
  const channel = (name: string) =>
    `<channel type="unix"><source mode="bind"/><target type="virtio" name="${name}"/></channel>`;
  expect(made({ hasMetrics: true }).piece("channel")).toEqual([channel(metricsChannel)]);
  expect(made({ takesFiles: true }).piece("channel")).toEqual([channel(filesPort)]);
  expect(made({ hasMetrics: true, takesFiles: true }).piece("channel")).toEqual(
    [metricsChannel, filesPort].map(channel),
  );
});
