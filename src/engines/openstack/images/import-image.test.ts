import { createHash } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { eventually, failure } from "../../../../test/support/engine-calls.ts";
import { qcow2Head } from "../../../../test/support/qcow2-head.ts";
import { beginCloud, type SmallCloud } from "../../../../test/support/small-cloud.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { ImportError } from "../../images/import-error.ts";
import type { OpenStackSettings } from "../settings/settings.ts";
import { importAndReport } from "./import-and-report.ts";
import { type ImportOrder, importImage } from "./import-image.ts";

// More than one chunk, not the same all over, and with the mark of a boot sector.
const content = Buffer.concat(Array.from({ length: 32 }, (_, index) => Buffer.alloc(102_400, `part ${index}`)));
content.write("\x55\xaa", 510, "latin1");
const sha512 = createHash("sha512").update(content).digest("hex");
const md5 = createHash("md5").update(content).digest("hex");

type GlanceImage = { id: string; name: string; status: string; [property: string]: unknown };

let cloud: SmallCloud;
let images: GlanceImage[];
let settings: OpenStackSettings;
let file: string;
beforeEach(async () => {
  cloud = await beginCloud();
  images = glanceOf(cloud);
  file = join(await temporaryDirectory(), "disk.img");
  writeFileSync(file, content);
  settings = {
    name: "cloud",
    access: cloud.access(),
    regions: [regionOf("north", undefined)],
    gpus: {},
    flavors: "created",
    images: {},
    hostPrefix: "",
    pollSeconds: 10,
    gpuModels: {},
    reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
    cpuRatio: 1,
    sshProbe: { kind: "tcp", port: 22 },
    stopGraceSeconds: 30,
    managementNetworks: [],
  };
});

const regionOf = (region: string, cloudRegion: string | undefined) => {
  const none = { floatingNetwork: undefined, availabilityZone: undefined, aggregate: undefined };
  return {
    region,
    cloudRegion,
    network: "n",
    ...none,
    volumeType: undefined,
    notifications: undefined,
    pools: undefined,
  };
};

/** The images of a Glance that this cloud has from now on. */
function glanceOf(cloud: SmallCloud): GlanceImage[] {
  const images: GlanceImage[] = [];
  let made = 0;
  const idIn = (path: string) => path.split("/")[4] ?? "";
  const find = (path: string) => images.find(({ id }) => id === idIn(path));
  const missing = { status: 404, body: "<html><body>No image found</body></html>" };
  cloud.answer("GET", /^\/image\/v2\/images$/, ({ query }) => ({
    body: { images: images.filter(({ name }) => name === query.get("name")) },
  }));
  cloud.answer("POST", /^\/image\/v2\/images$/, ({ body }) => {
    made += 1;
    const now = new Date().toISOString();
    const times = { created_at: now, updated_at: now };
    const image = { ...JSON.parse(`${body}`), ...times, id: `id-${made}-of-it`, status: "queued" };
    images.push(image);
    return { status: 201, body: image };
  });
  cloud.answer("PUT", /\/file$/, ({ path, body }) => {
    const image = find(path);
    const os_hash_value = createHash("sha512").update(body).digest("hex");
    Object.assign(image ?? {}, { status: "active", os_hash_algo: "sha512", os_hash_value, size: body.length });
    return image === undefined ? missing : { status: 204 };
  });
  cloud.answer("GET", /\/images\/[^/]+$/, ({ path }) => {
    const image = find(path);
    return image === undefined ? missing : { body: image };
  });
  cloud.answer("PATCH", /\/images\/[^/]+$/, ({ path, body }) => {
    const [change] = JSON.parse(`${body}`);
    return { body: Object.assign(find(path) ?? {}, { name: change.value }) };
  });
  cloud.answer("DELETE", /\/images\/[^/]+$/, ({ path }) => {
    images.splice(0, images.length, ...images.filter(({ id }) => id !== idIn(path)));
    return { status: 204 };
  });
  return images;
}

const run = (part: Partial<ImportOrder> = {}, signal = AbortSignal.timeout(10_000)) =>
  importImage({ settings, file, alias: "debian-12", replace: false, onProgress: () => {}, ...part }, signal);
const changes = () =>
  cloud.seen.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path.slice(9)}`);
const same = { os_hash_algo: "sha512", os_hash_value: sha512 };
const another = { os_hash_algo: "sha512", os_hash_value: "ab".repeat(64) };

describe("importing an image", () => {
  it("creates it with its format, and sends the file byte by byte with its length", async () => {
    const id = "id-1-of-it";
    expect(await run()).toEqual([{ region: undefined, id, name: "debian-12", sent: true, former: [] }]);
    const [create, upload] = cloud.seen.filter(({ method }) => method !== "GET");
    expect(JSON.parse(`${create?.body}`)).toEqual({
      name: "debian-12",
      disk_format: "raw",
      container_format: "bare",
      min_disk: 1,
      lessor_import: sha512,
    });
    expect(upload?.path).toBe(`/image/v2/images/${id}/file`);
    expect(upload?.body.equals(content)).toBe(true);
    expect(upload?.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": `${content.length}`,
    });
  });

  it("knows qcow2 from its beginning, and the size of its disk", async () => {
    writeFileSync(file, qcow2Head({ diskBytes: 5 * 1024 ** 3 + 1 }));
    await run();
    expect(images[0]).toMatchObject({ disk_format: "qcow2", min_disk: 6 });
  });

  it("uses the name that the settings have for it", async () => {
    await run({ settings: { ...settings, images: { "debian-12": { kind: "name", name: "Debian 12" } } } });
    expect(images[0]?.name).toBe("Debian 12");
  });

  it("tells how far it is", async () => {
    const told: [string, number, number][] = [];
    await run({ onProgress: (...progress) => told.push(progress) });
    for (const at of ["reading", "sending"]) {
      expect(told.findLast(([one]) => one === at)).toEqual([at, content.length, content.length]);
    }
  });

  it.each([same, { os_hash_algo: "sha256", os_hash_value: "cd", checksum: md5 }])(
    "sends nothing that is there already: %j",
    async (hashes) => {
      images.push({ id: "there", name: "debian-12", status: "active", ...hashes });
      expect(await run()).toMatchObject([{ id: "there", sent: false, former: [] }]);
      expect(changes()).toEqual([]);
    },
  );

  it("goes to each region of the cloud once", async () => {
    cloud.catalog.push({
      type: "image",
      endpoints: [{ interface: "public", region: "Two", url: `${cloud.url}/image` }],
    });
    const regions = [regionOf("a", "One"), regionOf("b", "Two"), regionOf("c", "Two")];
    expect(await run({ settings: { ...settings, regions } })).toMatchObject([{ region: "One" }, { region: "Two" }]);
  });
});

describe("what an interrupted import left", () => {
  it.each(["queued", "saving", "killed"])("is removed and done again: an image that is %s", async (status) => {
    const updated_at = new Date(Date.now() - 7_200_000).toISOString();
    images.push({ id: "left", name: "debian-12", status, lessor_import: sha512, updated_at });
    expect(await run()).toMatchObject([{ sent: true }]);
    expect(changes()[0]).toBe("DELETE /images/left");
    expect(images.map(({ status }) => status)).toEqual(["active"]);
  });

  it("is not what another program uploads", async () => {
    images.push({ id: "other", name: "debian-12", status: "saving" });
    await run();
    expect(images.map(({ id }) => id)).toContain("other");
  });
});

describe("another import of the name", () => {
  const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

  it.each([
    ["queued", 10],
    ["saving", 3000],
  ])("that is %s since %i s is left alone, and nothing is sent", async (status, seconds) => {
    images.push({ id: "other", name: "debian-12", status, lessor_import: sha512, updated_at: secondsAgo(seconds) });
    expect(await failure(run())).toMatchObject({
      name: "ImportError",
      message: `Another import of debian-12 is in progress: its image other is ${status}. Import again when it has ended, or delete that image if it was interrupted.`,
    });
    expect(changes()).toEqual([]);
  });

  it.each([
    ["queued", 70],
    ["saving", 3700],
  ])("that is %s since %i s by the clock of Glance was interrupted, and is removed", async (status, seconds) => {
    cloud.clockSkew = -7200;
    images.push({
      id: "left",
      name: "debian-12",
      status,
      lessor_import: sha512,
      updated_at: secondsAgo(seconds + 7200),
    });
    await run();
    expect(images.map(({ status }) => status)).toEqual(["active"]);
  });

  it("that began before it at the same time makes it give up its own image", async () => {
    const created_at = secondsAgo(0);
    cloud.answer("POST", /images$/, ({ body }) => {
      const image = { ...JSON.parse(`${body}`), id: "id-2-of-it", status: "queued", created_at };
      images.push({ id: "id-1-of-it", name: "debian-12", status: "queued", lessor_import: "ab", created_at }, image);
      return { status: 201, body: image };
    });
    expect(await failure(run())).toMatchObject({ message: expect.stringContaining("image id-1-of-it is queued") });
    expect(images.map(({ id }) => id)).toEqual(["id-1-of-it"]);
    expect(changes()).toEqual(["POST /images", "DELETE /images/id-2-of-it"]);
  });

  it("of two at once, neither loses what it sent", async () => {
    const both = await Promise.allSettled([run(), run()]);
    const made = both.flatMap((one) => (one.status === "fulfilled" ? one.value.map(({ id }) => id) : []));
    expect(made.length).toBeGreaterThan(0);
    for (const id of made) expect(images.find((one) => one.id === id)?.status).toBe("active");
    expect(images.filter(({ status }) => status !== "active")).toEqual([]);
  });
});

describe("another image of the name", () => {
  beforeEach(() => void images.push({ id: "01234567-89ab", name: "debian-12", status: "active", ...another }));

  it("is not replaced unasked, and nothing is sent", async () => {
    expect(await failure(run())).toMatchObject({
      name: "ImportError",
      message:
        "The cloud has another image with the name debian-12. Use another name, or put that image aside with --replace.",
    });
    expect(changes()).toEqual([]);
  });

  it("gets another name when that is asked for, after the new image is there", async () => {
    const former = [{ id: "01234567-89ab", name: "debian-12-01234567" }];
    expect(await run({ replace: true })).toMatchObject([{ sent: true, former }]);
    expect(changes().at(-1)).toBe("PATCH /images/01234567-89ab");
    expect(cloud.seen.at(-1)?.headers["content-type"]).toBe("application/openstack-images-v2.1-json-patch");
    expect(images.filter(({ name }) => name === "debian-12").length).toBe(1);
  });

  it("that may not be changed is named in the error, and the new image stays", async () => {
    cloud.answer("PATCH", /images/, { status: 403, body: "<html><body>Not yours.</body></html>" });
    expect(await failure(run({ replace: true }))).toMatchObject({
      name: "ImportError",
      message: "The new image is in Glance, but the former image 01234567-89ab keeps its name: Not yours.",
    });
    expect(images.length).toBe(2);
  });
});

describe("an import that cannot be", () => {
  it.each([
    ["a file that is not there", () => `${file}-not`, /cannot be read: ENOENT/],
    ["a directory", () => join(file, ".."), /cannot be read: it is not a file/],
  ])("because of %s is refused before anything is asked", async (_, path, message) => {
    const error = await failure(run({ file: path() }));
    expect(error).toBeInstanceOf(ImportError);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(cloud.requests).toEqual([]);
  });

  it("because the settings have an id for the image is refused before anything is asked", async () => {
    const images = { "debian-12": { kind: "id", id: "x" } } as const;
    expect(await failure(run({ settings: { ...settings, images } }))).toBeInstanceOf(ImportError);
    expect(cloud.requests).toEqual([]);
  });

  it("because Glance rejects the file says why", async () => {
    cloud.answer("PUT", /file$/, { status: 413, body: { message: "Quota exceeded.<br />" } });
    expect(await failure(run())).toMatchObject({
      name: "ImportError",
      message: "Glance rejected the file: Quota exceeded.",
    });
  });

  it("because the connection broke says that it can be repeated", async () => {
    cloud.answer("PUT", /file$/, { instead: "drop" });
    expect(await failure(run())).toMatchObject({
      name: "ImportError",
      message: expect.stringMatching(/does not respond .*Try again; completed steps are skipped\.$/),
    });
  });

  it("because the file changes meanwhile leaves no image", async () => {
    cloud.answer("PUT", /file$/, ({ path }) => {
      const image = images.find(({ id }) => path.includes(id));
      Object.assign(image ?? {}, { status: "active", ...another });
      return { status: 204 };
    });
    expect(await failure(run())).toMatchObject({
      name: "ImportError",
      message: expect.stringContaining("The file might have changed during the import; try again."),
    });
    expect(images).toEqual([]);
  });

  it("because the file is shorter than it was ends, and is not taken for the image", async () => {
    const cut = (at: string, done: number) => {
      if (at === "reading" && done === content.length) writeFileSync(file, content.subarray(0, 1024));
    };
    expect(await failure(run({ onProgress: cut }))).toBeInstanceOf(ImportError);
    expect(images.filter(({ status }) => status === "active")).toEqual([]);
  });

  it("ends with the reason of its signal", async () => {
    cloud.answer("PUT", /file$/, { instead: "silence" });
    const interrupt = new AbortController();
    const running = failure(run({}, interrupt.signal));
    await eventually(() => changes().length).toBe(2);
    interrupt.abort(new Error("interrupted"));
    expect(await running).toMatchObject({ message: "interrupted" });
    expect(images).toEqual([]);
  });
});

it("the operator is told what is where, and what was put aside", async () => {
  const lines: string[] = [];
  const report = { print: (line: string) => void lines.push(line), tell: () => {}, progress: () => {} };
  const order = { file, alias: "debian-12", replace: true, report };
  await importAndReport(settings, order, AbortSignal.timeout(10_000));
  await importAndReport(settings, order, AbortSignal.timeout(10_000));
  appendFileSync(file, Buffer.alloc(512));
  await importAndReport(settings, order, AbortSignal.timeout(10_000));
  expect(lines).toEqual([
    "Imported image id-1-of-it to cloud.",
    "Use it in the catalog as debian-12.",
    "Image id-1-of-it already exists on cloud.",
    "Use it in the catalog as debian-12.",
    "Imported image id-2-of-it to cloud.",
    "The previous image id-1-of-it is now called debian-12-id-1-of-; it had the name debian-12.",
    "Use it in the catalog as debian-12.",
  ]);
});
