import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import {
  beginBench,
  contentsOf,
  disturbances,
  disturbancesOn,
  disturbed,
  stepsOf,
} from "../../../test/support/fake-libvirt/bench.ts";
import { machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import { createMachine } from "./create.ts";
import { fileSystemVolume, volumes } from "./labels.ts";
import { cutPower, removeFileSystemOn, removeMachine } from "./remove.ts";
import { startMachine } from "./start.ts";
import { memoryPath, memoryPool, putInMemory } from "./volumes.ts";

const fileSystem = { id: "0197a1b2-1111-7000-8000-000000000001", name: "data", sizeGb: 7, mountPoint: "/mnt/data" };

/** A machine that runs, with all that it leaves on a host; and what was there before it, and stays when it goes. */
async function begin() {
  const bench = await beginBench();
  const { place, inventory, host } = bench;
  const spec = machineSpec({ ...bench.spec, guest: guestSpec({ fileSystems: [fileSystem] }) });
  await putInMemory(place, volumes.seed(machineSpec().id), Buffer.from("another's"), signal());
  host.storage.addVolume("default", fileSystemVolume(fileSystem.id), { capacity: 7e9 });
  const before = contentsOf(host);
  await createMachine(place, inventory, spec, signal());
  await startMachine(place, inventory, spec, signal());
  await eventually(() => bench.fake.world.guest(bench.name).isUp).toBe(true);
  return { ...bench, spec, before, remove: (way = place) => removeMachine(way, spec.id, signal()) };
}

describe("a remove", () => {
  it("takes the power away without asking, and leaves nothing but file systems", async () => {
    const { remove, fake, host, before } = await begin();
    await remove();
    expect(contentsOf(host)).toEqual(before);
    expect(fake.seen(/shutdown/)).toEqual([]);
  });

  it("of a machine that is off, of one that was never started, and of nothing, succeeds", async () => {
    const { remove, place, inventory, host, name, before } = await begin();
    host.domains.destroy(name);
    await remove();
    await remove();
    const another = machineSpec();
    await createMachine(place, inventory, another, signal());
    await removeMachine(place, another.id, signal());
    expect(contentsOf(host)).toEqual(before);
  });

  it("undefines the domain only when all else is gone, with what would keep it", async () => {
    const { remove, fake } = await begin();
    fake.calls.length = 0;
    await remove();
    const words = fake.calls.map(({ args }) => args[0]);
    expect(words.indexOf("undefine")).toBeGreaterThan(words.lastIndexOf("vol-delete"));
    expect(words.indexOf("undefine")).toBeGreaterThan(words.lastIndexOf("net-update"));
    expect(words.indexOf("undefine")).toBeGreaterThan(words.lastIndexOf("nwfilter-undefine"));
    expect(fake.seen(/^h1 undefine/)[0]?.args).toEqual(
      expect.arrayContaining(["--nvram", "--managed-save", "--snapshots-metadata", "--checkpoints-metadata"]),
    );
  });

  it("by two services at once leaves nothing", async () => {
    const { remove, host, before } = await begin();
    await Promise.all([remove(), remove(), remove()]);
    expect(contentsOf(host)).toEqual(before);
  });

  it("leaves nothing that runs where a start came between", async () => {
    const { remove, place, host, name, before } = await begin();
    host.domains.destroy(name);
    const counted = await stepsOf(place, async () => {});
    expect(counted).toBe(0);
    // The start that another service was at is done just before the definition goes. Its disk was still there for it.
    const { virsh } = place;
    const disk = host.storage.files.get(`/var/lib/libvirt/images/${name}.qcow2`);
    const meanwhile = {
      ...disturbed(virsh, -1, (command) => command()),
      call: async (...[args, options]: Parameters<typeof virsh.call>) => {
        if (args[0] === "undefine" && disk !== undefined) {
          host.filters.define(`<filter name='${name}'/>`);
          host.storage.files.set(`/var/lib/libvirt/images/${name}.qcow2`, disk);
          for (const part of ["seed.iso", "secrets"]) host.storage.write(`${memoryPath}/${name}.${part}`, {});
          host.domains.start(name);
        }
        return virsh.call(args, options);
      },
    };
    await remove({ ...place, virsh: meanwhile });
    expect(contentsOf(host).domains).toEqual(before.domains);
  });

  it("of a machine on a host that was restarted, whose memory is gone, succeeds", async () => {
    const { remove, host } = await begin();
    host.reboot();
    await remove();
    expect(contentsOf(host).domains).toEqual([]);
    expect(contentsOf(host).reservations).toEqual([]);
    expect(host.storage.pools.has(memoryPool)).toBe(false);
  });

  it("never touches a domain of somebody else, nor a disk that may be his", async () => {
    const { remove, host, name } = await begin();
    const xml = host.domains.get(name).defined?.xml ?? "";
    host.domains.destroy(name);
    host.domains.define(xml.replace('installation="installation-1"', 'installation="other"'));
    const before = contentsOf(host);
    expect(await failure(remove())).toMatchObject({ kind: "unavailable", code: "not-ours" });
    expect(contentsOf(host)).toEqual(before);
  });

  it("leaves what has a similar name", async () => {
    const { remove, host, name } = await begin();
    const similar = [`${name}-copy.qcow2`, `my-${name}.qcow2`, `${name}.qcow2.bak`];
    for (const one of similar) host.storage.addVolume("default", one);
    await remove();
    expect(host.storage.names("default")).toEqual(expect.arrayContaining(similar));
  });
});

describe.each(disturbances)("a remove of which any one command %s", (name) => {
  it("is found again until nothing is left, and repeated leaves nothing", async () => {
    const first = await begin();
    const steps = await stepsOf(first.place, first.remove);
    expect(steps).toBeGreaterThanOrEqual(8);
    for (let at = 0; at < steps; at++) {
      const { remove, place, host, before, name: domain } = await begin();
      const outcome = await remove({
        ...place,
        virsh: disturbed(place.virsh, at, disturbancesOn(host)[name]),
      }).then(
        () => "removed",
        () => "failed",
      );
      const files = before.files.filter(
        ({ path }) => name !== "comes after the host was restarted" || !path.startsWith("/run/"),
      );
      // What went wrong is found again by the list of domains, or has left nothing to find.
      if (host.domains.find(domain) === undefined) {
        const left = contentsOf(host).files.filter(({ path }) => path.includes(domain));
        expect([at, left, contentsOf(host).reservations]).toEqual([at, [], before.reservations]);
      }
      // One that says that it is done has done it.
      if (outcome === "removed") expect([at, contentsOf(host)]).toEqual([at, { ...before, files }]);
      await remove();
      expect([at, contentsOf(host)]).toEqual([at, { ...before, files }]);
    }
  });
});

describe("cutting the power", () => {
  it("of what does not run, or is not there, has nothing to do", async () => {
    const { place, spec, host, name } = await begin();
    await cutPower(place, spec.id, signal());
    expect(host.domains.state(name)).toBe("shut off (destroyed)");
    await cutPower(place, spec.id, signal());
    await cutPower(place, machineSpec().id, signal());
  });

  it("that the host cannot do is an error", async () => {
    const { place, spec, fake } = await begin();
    fake.faults.add(/destroy/, { fail: "Failed to terminate process 7 with SIGKILL: Device or resource busy" });
    expect(await failure(cutPower(place, spec.id, signal()))).toMatchObject({ name: "VirshError" });
  });
});

it("a file system is removed alone, once and for all, and that may be repeated", async () => {
  const { place, host, remove } = await begin();
  await remove();
  await removeFileSystemOn(place, fileSystem.id, signal());
  await removeFileSystemOn(place, fileSystem.id, signal());
  expect(host.storage.names("default")).toEqual(["debian-12.qcow2"]);
});
