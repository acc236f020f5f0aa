import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { failure } from "../../../test/support/engine-calls.ts";
import { machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import { fakeProgram, standInIso, usePath } from "../../../test/support/stand-in.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { EngineError } from "../engine.ts";
import { userDataFor } from "../guest/user-data.ts";
import { isoPrograms, seedFiles, seedImage } from "./seed.ts";

const mac = "52:00:00:00:00:01";

describe("the files of the seed", () => {
  it("name the machine, its network card, and what the guest does", () => {
    const spec = machineSpec();
    expect(seedFiles(spec, mac)).toEqual({
      "meta-data": `instance-id: ${spec.id}\nlocal-hostname: "training-1"\n`,
      "user-data": userDataFor(spec.guest, "disks"),
      "network-config": `{"version":2,"ethernets":{"lessor0":{"match":{"macaddress":"${mac}"},"dhcp4":true}}}\n`,
    });
  });

  it("hold no secret", () => {
    const guest = guestSpec({
      password: "secret-1",
      jupyterToken: "secret-2",
      command: "secret-3",
      envVars: { A: "secret-4" },
    });
    expect(JSON.stringify(seedFiles(machineSpec({ guest }), mac))).not.toMatch(/secret-\d/);
  });
});

describe("the image of the seed", () => {
  it("holds the files, byte for byte, under the name that cloud-init looks for", async () => {
    await standInIso();
    const guest = guestSpec({ userData: "#cloud-config\n# ü '\"$(id)\n", sshKeys: ["ssh-ed25519 AAAA $(id)"] });
    const spec = machineSpec({ guest });
    const files = Object.entries(seedFiles(spec, mac)).map(([name, text]) => `file ${name}\n${text}`);
    expect((await seedImage(spec, mac)).toString()).toBe(["volume cidata\n", ...files].join(""));
  });

  it("lies on our disk only while it is made, also where that fails", async () => {
    const directory = await temporaryDirectory();
    const before = process.env.TMPDIR;
    await standInIso();
    process.env.TMPDIR = directory;
    try {
      await seedImage(machineSpec(), mac);
      expect(await readdir(directory)).toEqual([]);
      process.env.PATH = "/nowhere";
      await failure(seedImage(machineSpec(), mac));
      expect(await readdir(directory)).toEqual([]);
    } finally {
      process.env.TMPDIR = before;
      if (before === undefined) delete process.env.TMPDIR;
    }
  });

  it.each(isoPrograms)("is made by %s where that is the one that is installed", async (program) => {
    const directory = await fakeProgram({
      [program]: `while [ "$1" != -output ]; do shift; done; echo "by \${0##*/}" >"$2"`,
    });
    await usePath(directory);
    expect((await seedImage(machineSpec(), mac)).toString()).toBe(`by ${program}\n`);
  });

  it("cannot be made where nothing is installed, and the log is told what is missing", async () => {
    await usePath(await temporaryDirectory());
    const error = await failure(seedImage(machineSpec(), mac));
    if (!(error instanceof EngineError)) throw new Error("it is no EngineError");
    expect(error).toMatchObject({ kind: "unavailable", code: "seed-failed" });
    expect(String(error.cause)).toContain(isoPrograms.join(", "));
  });

  it("is not made by another program when the first fails, and the log is told why", async () => {
    await fakeProgram({ genisoimage: "echo 'no space left' >&2; exit 5", xorrisofs: "exit 0" });
    const error = await failure(seedImage(machineSpec(), mac));
    if (!(error instanceof EngineError)) throw new Error("it is no EngineError");
    expect(error).toMatchObject({ kind: "unavailable", code: "seed-failed" });
    expect(error.message).not.toMatch(/genisoimage|no space/);
    expect(String(error.cause)).toContain("genisoimage: no space left");
  });
});
