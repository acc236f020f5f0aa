import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import {
  beginBench,
  contentsOf,
  type DisturbanceName,
  disturbances,
  disturbancesOn,
  disturbed,
  stepsOf,
} from "../../../test/support/fake-libvirt/bench.ts";
import { machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import type { MachineSpec } from "../engine.ts";
import { createMachine, imageOf } from "./create.ts";
import type { HostConnection } from "./host-connection.ts";
import { fileSystemVolume, machineIdIn, volumes } from "./labels.ts";
import { removeMachine } from "./remove.ts";
import { readOne } from "./xml/read.ts";

const images = "/var/lib/libvirt/images";
const fileSystem = { id: "0197a1b2-1111-7000-8000-000000000001", name: "data", sizeGb: 7, mountPoint: "/mnt/data" };

/** A machine with everything that one can have. */
async function begin() {
  const bench = await beginBench();
  bench.host.hardware.addGpu("0000:81:00.0");
  const spec = machineSpec({ ...bench.spec, guest: guestSpec({ fileSystems: [fileSystem] }) });
  const make = (place: HostConnection = bench.place) => createMachine(place, bench.inventory, spec, signal());
  return { ...bench, spec, make };
}

/** Runs it once for each command that it takes, on a bench of its own where that command meets the disturbance. */
async function atEachStep(
  name: DisturbanceName,
  check: (bench: Awaited<ReturnType<typeof begin>>, place: HostConnection, at: string) => Promise<void>,
): Promise<number> {
  const first = await begin();
  const steps = await stepsOf(first.place, first.make);
  for (let at = 0; at < steps; at++) {
    const bench = await begin();
    const disturbance = disturbancesOn(bench.host)[name];
    await check(bench, { ...bench.place, virsh: disturbed(bench.place.virsh, at, disturbance) }, `step ${at}`);
  }
  return steps;
}

/** What is there, but for what tells two benches apart. */
function comparable(bench: Awaited<ReturnType<typeof begin>>): string {
  return JSON.stringify(contentsOf(bench.host))
    .replaceAll(bench.spec.id, "ID")
    .replaceAll(bench.spec.accountId, "ACCOUNT")
    .replace(/127\.66\.1\.\d+/g, "IP")
    .replace(/52(:[0-9a-f]{2}){5}/g, "MAC");
}

describe("a create", () => {
  it("makes the disk, the file systems, the address and the domain, and says that it did", async () => {
    const { make, host, name, spec } = await begin();
    expect(await make()).toBe("made");
    const { files, domains, reservations } = contentsOf(host);
    expect(files.map(({ path, capacity }) => [path, capacity])).toEqual([
      [`${images}/debian-12.qcow2`, 2 * 1024 ** 3],
      [`${images}/${volumes.disk(spec.id)}`, 100e9],
      [`${images}/${fileSystemVolume(fileSystem.id)}`, 7e9],
    ]);
    expect(domains.map((domain) => [domain.name, domain.runs])).toEqual([[name, false]]);
    const mark = readOne(domains[0]?.xml ?? "").one("metadata", "lessor:machine");
    expect(mark?.attribute("address")).toBe(reservations[0]?.ip);
  });

  it("defines the domain last", async () => {
    const { make, fake } = await begin();
    await make();
    expect(fake.calls.at(-1)?.args[0]).toBe("define");
  });

  it("finds its own, and changes nothing", async () => {
    const { make, fake, host } = await begin();
    await make();
    const before = contentsOf(host);
    fake.calls.length = 0;
    expect(await make()).toBe("found");
    expect(contentsOf(host)).toEqual(before);
    expect(new Set(fake.calls.map(({ args }) => args[0]))).toEqual(new Set(["domstate", "dumpxml"]));
  });

  it("by two services at once makes one machine", async () => {
    const bench = await begin();
    expect(await Promise.all([bench.make(), bench.make(), bench.make()])).toContain("made");
    const { files, domains, reservations } = contentsOf(bench.host);
    expect([files.length, domains.length, reservations.length]).toEqual([3, 1, 1]);
  });

  it("after a remove makes it anew, with another disk", async () => {
    const bench = await begin();
    await bench.make();
    const before = bench.host.storage.files.get(`${images}/${volumes.disk(bench.spec.id)}`);
    await removeMachine(bench.place, bench.spec.id, signal());
    expect(await bench.make()).toBe("made");
    expect(bench.host.storage.files.get(`${images}/${volumes.disk(bench.spec.id)}`)).not.toBe(before);
  });

  it("keeps a file system that another machine has left, with its data", async () => {
    const { make, host } = await begin();
    const part = { capacity: 7e9, content: Buffer.from("data") };
    const file = host.storage.addVolume("default", fileSystemVolume(fileSystem.id), part);
    await make();
    expect(host.storage.files.get(`${images}/${fileSystemVolume(fileSystem.id)}`)).toBe(file);
  });

  it("never takes a domain of somebody else for its own, nor touches it", async () => {
    const { make, host, name, spec } = await begin();
    const theirs = `<domain type='kvm'><name>${name}</name><uuid>${spec.id}</uuid><os><type>hvm</type></os></domain>`;
    host.domains.define(theirs);
    expect(await failure(make())).toMatchObject({ kind: "unavailable", code: "not-ours" });
    const { domains, files, reservations } = contentsOf(host);
    expect(domains.map(({ xml }) => xml)).toEqual([theirs]);
    expect([files.length, reservations]).toEqual([1, []]);
  });

  it.each([
    ["whose image is not there", { image: "other" }, "image-missing"],
    ["whose image is larger than its disk", { storageGb: 2 }, "image-too-large"],
    ["whose image's name is none", { image: "../secret" }, "image-missing"],
  ])("of a machine %s is refused before anything is made", async (_what, part: Partial<MachineSpec>, code) => {
    const { place, inventory, host } = await begin();
    const before = contentsOf(host);
    const error = await failure(createMachine(place, inventory, machineSpec(part), signal()));
    expect(error).toMatchObject({ kind: "refused", code });
    expect(contentsOf(host)).toEqual(before);
  });

  it.each(["x; y", "../../etc/passwd", "", "--all", "a b"])(
    "of a machine with the id %j harms nothing else",
    async (id) => {
      const { place, inventory, host } = await begin();
      const before = contentsOf(host);
      await createMachine(place, inventory, machineSpec({ id }), signal()).catch(() => {});
      await removeMachine(place, id, signal()).catch(() => {});
      for (const file of before.files) expect(contentsOf(host).files).toContainEqual(file);
      expect(contentsOf(host).domains.filter(({ name }) => machineIdIn(name) !== undefined)).toEqual([]);
    },
  );
});

describe.each(disturbances)("a create of which any one command %s", (name) => {
  it("and which is repeated leads to the same machine as one that was not disturbed", async () => {
    const undisturbed = await begin();
    await undisturbed.make();
    const expected = comparable(undisturbed);
    const steps = await atEachStep(name, async (bench, place, at) => {
      await bench.make(place).catch(() => {});
      await bench.make();
      expect([at, comparable(bench)]).toEqual([at, expected]);
    });
    expect(steps).toBeGreaterThanOrEqual(8);
  });

  it("leaves nothing that a remove does not remove", async () => {
    await atEachStep(name, async (bench, place, at) => {
      const before = contentsOf(bench.host);
      await bench.make(place).catch(() => {});
      await removeMachine(bench.place, bench.spec.id, signal());
      const { files, ...rest } = contentsOf(bench.host);
      const others = files.filter(({ path }) => !path.endsWith(fileSystemVolume(fileSystem.id)));
      expect([at, { files: others, ...rest }]).toEqual([at, before]);
    });
  });
});

describe("a create that is given up", () => {
  it("anywhere ends with the reason, and is taken up again", async () => {
    const first = await begin();
    const steps = await stepsOf(first.place, first.make);
    for (let at = 0; at < steps; at++) {
      const bench = await begin();
      const controller = new AbortController();
      const reason = new Error("enough");
      const virsh = disturbed(bench.place.virsh, at, (command) => {
        controller.abort(reason);
        return command();
      });
      const { place, inventory, spec } = bench;
      expect(await failure(createMachine({ ...place, virsh }, inventory, spec, controller.signal))).toBe(reason);
      expect(virsh.count).toBe(at + 1);
      expect(await bench.make()).toBe("made");
    }
  });
});

describe("the image of a machine", () => {
  const settings = { images: { trixie: { volume: "debian-13-v7.qcow2", boot: undefined } } };

  it("is the volume that the settings name, or the one of its own name", async () => {
    const { settings: all } = await begin();
    expect(imageOf({ ...all, ...settings }, "trixie").volume).toBe("debian-13-v7.qcow2");
    expect(imageOf({ ...all, ...settings }, "other-1.2_x+y").volume).toBe("other-1.2_x+y.qcow2");
  });

  it.each(["../x", "a/b", "", ".hidden", "-x", "a b", "x\n", "constructor/../y"])("is never %j", async (image) => {
    const { settings: all } = await begin();
    expect(() => imageOf(all, image)).toThrow("The image is not on the host.");
  });

  it("of a name that every object has is a volume like any other", async () => {
    const { settings: all } = await begin();
    expect(imageOf(all, "constructor").volume).toBe("constructor.qcow2");
  });

  it("brings the kernel that it is booted with, out of the same pool", async () => {
    const boot = { kernel: "vmlinuz", initrd: "initrd", cmdline: "root=/dev/vda" };
    const bench = await beginBench({ images: { light: { volume: "debian-12.qcow2", boot } } });
    await createMachine(bench.place, bench.inventory, machineSpec({ ...bench.spec, image: "light" }), signal());
    const os = readOne(contentsOf(bench.host).domains[0]?.xml ?? "").one("os");
    expect(os?.one("kernel")?.text).toBe(`${images}/vmlinuz`);
    expect(os?.one("initrd")?.text).toBe(`${images}/initrd`);
  });
});
