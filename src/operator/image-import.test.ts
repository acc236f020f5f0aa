import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { failure } from "../../test/support/engine-calls.ts";
import { beginOperatorStand, type OperatorStand } from "../../test/support/operator-stand.ts";
import { type ImageImportOrder, imageImport } from "./image-import.ts";

let op: OperatorStand;
let file: string;
beforeEach(async () => {
  op = await beginOperatorStand();
  file = join(op.directory, "image.tar.gz");
  writeFileSync(file, "an image");
});

const fingerprint = createHash("sha256").update("an image").digest("hex");
const short = fingerprint.slice(0, 12);
const run = (order: Partial<ImageImportOrder> = {}) =>
  imageImport({ file, cluster: "north", alias: "debian-13", replace: false, ...order }, op.surroundings);
/** The cluster has the image already. */
const has = (type: string) => op.stand.answer(`/1.0/images/${fingerprint}`, { fingerprint, type });
const takesAliases = () => {
  const done = { answer: JSON.stringify({ type: "sync", metadata: {} }) };
  for (const method of ["POST", "PUT"]) op.stand.fake.faults.add(method, /aliases/, done, Infinity);
};

describe("image import", () => {
  it("says what was done", async () => {
    has("container");
    takesAliases();
    await run();
    expect(op.printed).toEqual([`Image ${short} already exists on north.`, "The alias debian-13 points to it."]);
    expect(op.told).toEqual([]);
  });

  it("says what a moved alias pointed to", async () => {
    has("container");
    takesAliases();
    await run({ alias: "debian-12", replace: true });
    expect(op.printed.slice(1)).toEqual([
      "The alias debian-12 was moved to it.",
      "The previous image abababababab still exists; existing machines do not need it.",
    ]);
  });

  it("notes an image that the machines of the cluster cannot be made of", async () => {
    has("virtual-machine");
    takesAliases();
    await run();
    expect(op.told).toEqual([
      "Warning: the image is of the kind virtual-machine, but north runs machines of the kind container.",
    ]);
  });

  it("refuses to move an alias unasked", async () => {
    expect(await failure(run({ alias: "debian-12" }))).toMatchObject({
      name: "OperatorError",
      message: expect.stringContaining("--replace"),
    });
    expect(op.printed).toEqual([]);
  });

  it("needs no --cluster where there is one only, and names those there are otherwise", async () => {
    has("container");
    takesAliases();
    await run({ cluster: undefined });
    expect(op.printed[0]).toMatch(/^(Imported image|Image) /);
    op.configure({}, { name: "south" });
    expect(await failure(run({ cluster: undefined }))).toMatchObject({
      message: "Specify one: --cluster north or south.",
    });
    expect(await failure(run({ cluster: "west" }))).toMatchObject({
      message: "The settings have no engine west. Engines: north, south.",
    });
  });
});

describe("image import to libvirt hosts", () => {
  /** A disk of one sector, with the mark of a partition table. */
  const disk = () => {
    const sector = Buffer.alloc(512);
    sector.writeUInt16LE(0xaa55, 510);
    writeFileSync(file, sector);
  };

  it("tells which hosts do not have it, and that it may be repeated", async () => {
    op.configureHosts({});
    disk();
    expect(await failure(run({ cluster: "metal" }))).toMatchObject({
      name: "OperatorError",
      message:
        "The import failed on 1 of 1 hosts. Fix the problem and import again; hosts that have the image are skipped.",
    });
    expect(op.told).toEqual([expect.stringMatching(/^gpu-1 failed: virsh .*\.$/)]);
    expect(op.printed).toEqual([]);
  });

  it("refuses to replace what machines live on, and files that are no disks", async () => {
    op.configureHosts();
    expect(await failure(run({ cluster: undefined, replace: true }))).toMatchObject({
      name: "OperatorError",
      message: expect.stringContaining("must never change"),
    });
    expect(await failure(run({ cluster: "metal" }))).toMatchObject({
      message: expect.stringContaining("neither qcow2"),
    });
  });

  it("is asked which, where there are clusters too", async () => {
    op.configureHosts({});
    expect(await failure(run({ cluster: undefined }))).toMatchObject({
      message: "Specify one: --cluster north or metal.",
    });
  });
});
