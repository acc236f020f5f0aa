import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginBench } from "../../../test/support/fake-libvirt/bench.ts";
import { imageVolume } from "../../../test/support/fake-libvirt/stand.ts";
import { unfinishedMark } from "./labels.ts";
import {
  allocatedOf,
  deleteVolume,
  makeDisk,
  makeMemoryPool,
  makeOverlay,
  memoryPath,
  memoryPool,
  poolPath,
  putInMemory,
  readImage,
} from "./volumes.ts";

const images = "/var/lib/libvirt/images";
const busy = "internal error: pool 'lessor-run' has asynchronous jobs running.";

describe("an image", () => {
  it("is read with its path, its format and the size that a guest sees", async () => {
    const { place } = await beginBench();
    expect(await readImage(place, imageVolume, signal())).toEqual({
      path: `${images}/${imageVolume}`,
      format: "qcow2",
      bytes: 2 * 1024 ** 3,
    });
  });

  it("that is not there is refused", async () => {
    const { place } = await beginBench();
    const error = await failure(readImage(place, "other.qcow2", signal()));
    expect(error).toMatchObject({ kind: "refused", code: "image-missing" });
  });

  it("that is being brought, or whose import was broken off, is refused until it is whole", async () => {
    const { place, host } = await beginBench();
    host.storage.addVolume("default", unfinishedMark(imageVolume), { format: "raw", capacity: 512 });
    const error = await failure(readImage(place, imageVolume, signal()));
    expect(error).toMatchObject({ kind: "refused", code: "image-unfinished" });
    await deleteVolume(place, "default", unfinishedMark(imageVolume), signal());
    expect(await readImage(place, imageVolume, signal())).toMatchObject({ format: "qcow2" });
  });

  it("of a pool that is not there is no missing image", async () => {
    const { place, host } = await beginBench();
    host.storage.removePool("default");
    expect(await failure(readImage(place, imageVolume, signal()))).toMatchObject({ name: "VirshError" });
  });
});

describe("the bytes that a volume takes", () => {
  it("are what its pool allocated, and undefined where it is not there", async () => {
    const { place, host } = await beginBench();
    host.storage.addVolume("default", "data", { format: "raw", content: Buffer.alloc(512), capacity: 4096 });
    expect(await allocatedOf(place, "data", signal())).toBe(512);
    expect(await allocatedOf(place, "other", signal())).toBeUndefined();
  });
});

describe("the pool of the operator", () => {
  it("has a directory", async () => {
    const { place } = await beginBench();
    expect(await poolPath(place, signal())).toBe(images);
  });

  it.each(["logical", "rbd", "zfs"])("is refused where it has none, as one of type %s", async (type) => {
    const { place, fake } = await beginBench();
    const answer = `<pool type='${type}'><target><path>/dev/vg</path></target></pool>`;
    fake.faults.add(/pool-dumpxml/, { answer });
    const error = await failure(poolPath(place, signal()));
    expect(error).toMatchObject({ kind: "refused", code: "host-misconfigured" });
  });
});

describe("a machine's disk", () => {
  const image = { path: `${images}/${imageVolume}`, format: "qcow2" };

  it("begins as the image, has the size that was rented, and can be read by its owner only", async () => {
    const { place, host, fake } = await beginBench();
    await makeOverlay(place, "a.qcow2", image, 100e9, signal());
    expect(host.storage.files.get(`${images}/a.qcow2`)).toMatchObject({
      format: "qcow2",
      capacity: 100e9,
      backing: image,
    });
    expect(`${fake.seen(/vol-create/)[0]?.input}`).toContain("<mode>0600</mode>");
  });

  it("that is there is kept with what was written on it", async () => {
    const { place, host } = await beginBench();
    await makeOverlay(place, "a.qcow2", image, 100e9, signal());
    const file = host.storage.files.get(`${images}/a.qcow2`);
    await makeOverlay(place, "a.qcow2", image, 100e9, signal());
    expect(host.storage.files.get(`${images}/a.qcow2`)).toBe(file);
  });

  it("that was rounded up is whole", async () => {
    const { place, host } = await beginBench();
    const file = host.storage.addVolume("default", "a.qcow2", { format: "qcow2", capacity: 1_000_000_512 });
    await makeOverlay(place, "a.qcow2", image, 1e9, signal());
    expect(host.storage.files.get(`${images}/a.qcow2`)).toBe(file);
  });

  it("that was cut off while it was made is made anew", async () => {
    const { place, host } = await beginBench();
    host.storage.addVolume("default", "a.qcow2", { format: "raw", size: 0 });
    await makeOverlay(place, "a.qcow2", image, 100e9, signal());
    expect(host.storage.files.get(`${images}/a.qcow2`)).toMatchObject({ capacity: 100e9, backing: image });
  });

  it("is deleted once and for all, and that may be repeated", async () => {
    const { place, host } = await beginBench();
    await makeOverlay(place, "a.qcow2", image, 100e9, signal());
    await deleteVolume(place, "default", "a.qcow2", signal());
    await deleteVolume(place, "default", "a.qcow2", signal());
    expect(host.storage.names("default")).toEqual([imageVolume]);
  });
});

it("a file system is never made anew, whatever its size: its data is somebody's", async () => {
  const { place, host } = await beginBench();
  const file = host.storage.addVolume("default", "lessor-fs-1.img", { size: 5, content: Buffer.from("data") });
  await makeDisk(place, "lessor-fs-1.img", 1e9, signal());
  expect(host.storage.files.get(`${images}/lessor-fs-1.img`)).toBe(file);
});

describe("what is put in memory", () => {
  it("is in a pool of ours, whose directory is in memory, and which nobody lists but its owner", async () => {
    const { place, host, fake } = await beginBench();
    await putInMemory(place, "a", Buffer.from("bytes"), signal());
    expect(host.storage.read(memoryPool, "a").toString()).toBe("bytes");
    expect(host.storage.pool(memoryPool)).toMatchObject({ path: memoryPath, isPersistent: false });
    expect(`${fake.seen(/pool-create/)[0]?.input}`).toContain("<mode>0711</mode>");
    expect(memoryPath).toMatch(/^\/run\//);
  });

  it("replaces what was there, also where that was longer", async () => {
    const { place, host } = await beginBench();
    await putInMemory(place, "a", Buffer.from("something long"), signal());
    await putInMemory(place, "a", Buffer.from("short"), signal());
    expect(host.storage.read(memoryPool, "a").toString()).toBe("short");
  });

  it("replaces also a file that the pool has not seen", async () => {
    const { place, host } = await beginBench();
    await makeMemoryPool(place, signal());
    host.storage.write(`${memoryPath}/a`, { content: Buffer.from("from before") });
    await putInMemory(place, "a", Buffer.from("new"), signal());
    expect(host.storage.read(memoryPool, "a").toString()).toBe("new");
  });

  it("makes the pool again where the host was restarted", async () => {
    const { place, host } = await beginBench();
    await putInMemory(place, "a", Buffer.from("1"), signal());
    host.reboot();
    expect(host.storage.pools.has(memoryPool)).toBe(false);
    await putInMemory(place, "b", Buffer.from("2"), signal());
    expect(host.storage.names(memoryPool)).toEqual(["b"]);
  });

  it("is put there by many at once, who all make the pool", async () => {
    const { place, host } = await beginBench();
    const names = Array.from({ length: 10 }, (_, index) => `${index}`);
    await Promise.all(names.map((name) => putInMemory(place, name, Buffer.from(name), signal())));
    expect(names.map((name) => host.storage.read(memoryPool, name).toString())).toEqual(names);
  });

  it("is not put anywhere else where the pool cannot be made", async () => {
    const { place, fake } = await beginBench();
    fake.faults.add(/pool-create/, { fail: "cannot create path '/run/lessor': Permission denied" });
    expect(await failure(putInMemory(place, "a", Buffer.from("x"), signal()))).toMatchObject({ name: "VirshError" });
    expect(fake.seen(/vol-upload/)).toEqual([]);
  });
});

describe("a volume that is deleted", () => {
  it("may be gone already, with the memory of its host too", async () => {
    const { place, host } = await beginBench();
    await deleteVolume(place, memoryPool, "a", signal());
    expect(host.storage.pools.has(memoryPool)).toBe(false);
    await putInMemory(place, "a", Buffer.from("x"), signal());
    await deleteVolume(place, memoryPool, "a", signal());
    await deleteVolume(place, memoryPool, "a", signal());
    expect(host.storage.names(memoryPool)).toEqual([]);
  });

  it("is not taken for gone where the operator's pool is not there", async () => {
    const { place, host } = await beginBench();
    host.storage.removePool("default");
    expect(await failure(deleteVolume(place, "default", "a", signal()))).toMatchObject({ name: "VirshError" });
  });
});

describe("a pool that is busy", () => {
  const unseen = async () => {
    const bench = await beginBench();
    await makeMemoryPool(bench.place, signal());
    bench.host.storage.write(`${memoryPath}/a`, { content: Buffer.from("from before") });
    return bench;
  };

  it("is asked again until it is not", async () => {
    const { place, fake } = await unseen();
    fake.faults.add(/pool-refresh/, { fail: busy }, 2);
    await putInMemory(place, "a", Buffer.from("new"), signal());
    expect(fake.seen(/pool-refresh/)).toHaveLength(3);
  });

  it("is not waited for by one who gives up", async () => {
    const { place, fake } = await unseen();
    fake.faults.add(/pool-refresh/, { fail: busy }, 1000);
    const controller = new AbortController();
    const putting = failure(putInMemory(place, "a", Buffer.from("new"), controller.signal));
    await eventually(() => fake.seen(/pool-refresh/).length).toBeGreaterThan(0);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await putting).toBe(reason);
  });
});
