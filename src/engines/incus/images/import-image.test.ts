import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { failure } from "../../../../test/support/engine-calls.ts";
import type { FakeIncus } from "../../../../test/support/fake-incus/fake-incus.ts";
import { beginFake, settingsFor } from "../../../../test/support/fake-incus/stand.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { ImportError } from "../../images/import-error.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { type Imported, type ImportOrder, importImage } from "./import-image.ts";

// More than one chunk, and not the same all over.
const content = Buffer.concat(Array.from({ length: 40 }, (_, index) => Buffer.alloc(100_000, `part ${index}`)));
const fingerprint = createHash("sha256").update(content).digest("hex");
const another = "ab".repeat(32);
const imagePath = new RegExp(`^/1.0/images/${fingerprint}$`);
const aliasPath = /^\/1\.0\/images\/aliases\/debian-12$/;

let fake: FakeIncus;
let settings: IncusSettings;
let file: string;
beforeEach(async () => {
  const directory = await temporaryDirectory();
  fake = await beginFake();
  fake.world.addMember("m1");
  const path = await fake.listenUnix(join(directory, "socket"));
  settings = settingsFor({ endpoints: [{ kind: "unix", path }] });
  file = join(directory, "image é.tar.gz");
  writeFileSync(file, content);
});

const answer = (method: string, path: RegExp, metadata: unknown, times = Number.POSITIVE_INFINITY) =>
  fake.faults.add(method, path, { answer: JSON.stringify({ type: "sync", metadata }) }, times);
const missing = (path: RegExp) => fake.faults.add("GET", path, { fail: { status: 404, error: "not found" } });

/** A cluster without the image, which takes it. */
function takes(): void {
  answer("GET", imagePath, { type: "container" });
  missing(imagePath);
  answer("POST", /^\/1\.0\/images$/, {});
  answer("POST", /^\/1\.0\/images\/aliases$/, {});
  answer("PUT", aliasPath, {});
}

const run = (part: Partial<ImportOrder> = {}, signal = AbortSignal.timeout(10_000)) =>
  importImage({ settings, file, alias: "debian-12", replace: false, onProgress: () => {}, ...part }, signal);
const changes = () =>
  fake.requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);

describe("importing an image", () => {
  it("sends the file byte by byte with its name and length, and makes the alias", async () => {
    takes();
    const done: Imported = { fingerprint, sent: true, kind: "container", alias: "made", former: undefined };
    expect(await run()).toEqual(done);
    const [sent] = fake.seen("POST", /^\/1\.0\/images$/);
    expect(sent?.body.equals(content)).toBe(true);
    expect(sent?.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": `${content.length}`,
      "x-lxd-filename": "image _.tar.gz",
      "x-incus-filename": "image _.tar.gz",
    });
    expect(JSON.parse(fake.seen("POST", /aliases$/)[0]?.body.toString() ?? "")).toMatchObject({
      name: "debian-12",
      target: fingerprint,
    });
  });

  it("waits for the end of what the cluster does with it, and tells why that failed", async () => {
    takes();
    fake.faults.add("POST", /^\/1\.0\/images$/, {
      answer: JSON.stringify({ type: "async", operation: "/1.0/operations/1", metadata: {} }),
    });
    answer("GET", /operations\/1\/wait$/, { status_code: 400, err: "Metadata tarball is missing metadata.yaml" });
    const error = await failure(run());
    expect(error).toBeInstanceOf(ImportError);
    expect(error).toMatchObject({
      message: "The cluster rejected the file: Metadata tarball is missing metadata.yaml.",
    });
    expect(changes()).toEqual(["POST /1.0/images"]);
  });

  it("tells how far it is", async () => {
    takes();
    const told: [string, number, number][] = [];
    await run({ onProgress: (...progress) => told.push(progress) });
    expect(new Set(told.map(([at]) => at))).toEqual(new Set(["reading", "sending"]));
    for (const at of ["reading", "sending"]) {
      expect(told.findLast(([one]) => one === at)).toEqual([at, content.length, content.length]);
    }
  });

  it("sends nothing that is there already, and leaves an alias that points there", async () => {
    answer("GET", imagePath, { type: "virtual-machine" });
    answer("GET", aliasPath, { target: fingerprint });
    const found: Imported = {
      fingerprint,
      sent: false,
      kind: "virtual-machine",
      alias: "as it was",
      former: undefined,
    };
    expect(await run()).toEqual(found);
    expect(changes()).toEqual([]);
  });
});

describe("an alias that points to another image", () => {
  it("is not moved unasked, and nothing is sent", async () => {
    takes();
    answer("GET", aliasPath, { target: another });
    expect(await failure(run())).toMatchObject({
      name: "ImportError",
      message:
        "The alias debian-12 points to another image (abababababab). Use another alias, or move this one with --replace.",
    });
    expect(changes()).toEqual([]);
  });

  it("is moved when that is asked for, after the image is there; the former image stays", async () => {
    takes();
    answer("GET", aliasPath, { target: another });
    expect(await run({ replace: true })).toMatchObject({ sent: true, alias: "moved", former: another });
    expect(changes()).toEqual(["POST /1.0/images", "PUT /1.0/images/aliases/debian-12"]);
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
    expect(fake.requests).toEqual([]);
  });

  it("because of a pipe is refused at once, and nobody waits for what may come through it", async () => {
    const pipe = `${file}-pipe`;
    execFileSync("mkfifo", [pipe]);
    const told: unknown[] = [];
    const error = await failure(run({ file: pipe, onProgress: (...progress) => told.push(progress) }));
    expect(error).toBeInstanceOf(ImportError);
    expect(error).toMatchObject({ message: `${pipe} cannot be read: it is not a file.` });
    expect([fake.requests, told]).toEqual([[], []]);
  });

  it("because of an empty file is refused", async () => {
    writeFileSync(file, "");
    expect(await failure(run())).toMatchObject({ message: `${file} cannot be read: it is empty.` });
  });

  it("because the connection broke says that it can be repeated", async () => {
    takes();
    fake.faults.add("POST", /^\/1\.0\/images$/, { drop: "after" });
    expect(await failure(run())).toMatchObject({
      name: "ImportError",
      message: expect.stringMatching(/does not respond .*Try again; completed steps are skipped\.$/),
    });
  });

  it("ends with the reason of its signal", async () => {
    takes();
    fake.faults.add("POST", /^\/1\.0\/images$/, { silence: true });
    const interrupt = new AbortController();
    const running = failure(run({}, interrupt.signal));
    await expect.poll(() => fake.seen("POST", /images$/).length).toBe(1);
    interrupt.abort(new Error("interrupted"));
    expect(await running).toMatchObject({ message: "interrupted" });
  });
});
