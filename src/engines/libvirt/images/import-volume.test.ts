import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { failure } from "../../../../test/support/engine-calls.ts";
import { imageVolume } from "../../../../test/support/fake-libvirt/stand.ts";
import { beginLibvirtCheckStand, type LibvirtCheckStand } from "../../../../test/support/libvirt-check-stand.ts";
import { qcow2Head } from "../../../../test/support/qcow2-head.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { checkerMark } from "../../check/test-instance-label.ts";
import { type HostImport, importVolume, type VolumeImport } from "./import-volume.ts";

let stand: LibvirtCheckStand;
let file: string;
beforeEach(async () => {
  stand = await beginLibvirtCheckStand();
  file = join(await temporaryDirectory(), "image.qcow2");
  writeFileSync(file, image(1));
});

/** Of some samples' length; `kind` is in the middle of it. */
function image(kind: number): Buffer {
  return Buffer.concat([qcow2Head({}), Buffer.alloc(300_000, kind), Buffer.alloc(100_000)]);
}

const volume = "debian-13.qcow2";
const mark = `lessor-importing.${volume}`;
const names = (host: string) => stand.host(host).storage.names("default");

interface Part extends Partial<VolumeImport> {
  readonly upload?: (path: string) => Buffer | Promise<Buffer>;
  readonly signal?: AbortSignal;
}

async function run({ upload = readFileSync, signal = AbortSignal.timeout(10_000), ...part }: Part = {}) {
  const told: HostImport[] = [];
  const order: VolumeImport = {
    settings: stand.settings,
    file,
    alias: "debian-13",
    replace: false,
    onProgress: () => {},
    onHost: (outcome) => told.push(outcome),
    connect: stand.takingFiles(upload),
    ...part,
  };
  const outcomes = await importVolume(order, signal);
  expect(told).toEqual(outcomes);
  return Object.fromEntries(outcomes.map(({ host, outcome }) => [host, outcome]));
}
const everywhere = <T>(outcome: T) => ({ h1: outcome, h2: outcome, h3: outcome });

describe("an image", () => {
  it("comes to every host byte for byte, and nothing else is left there", async () => {
    expect(await run()).toEqual(everywhere("sent"));
    for (const host of ["h1", "h2", "h3"]) {
      expect(stand.host(host).storage.read("default", volume).equals(image(1))).toBe(true);
      expect(names(host)).toEqual([imageVolume, volume]);
    }
  });

  it("that is there already is left as it is", async () => {
    await run();
    const before = stand.stand.fake.calls.length;
    expect(await run()).toEqual(everywhere("was there"));
    const later = stand.stand.fake.calls.slice(before).map(({ args }) => args[0]);
    expect(later.filter((command) => /vol-(create|delete|upload)/.test(command ?? ""))).toEqual([]);
  });

  it("goes by the name that the settings give it", async () => {
    const images = { "debian-13": { volume: "trixie.img", boot: undefined } };
    await run({ settings: { ...stand.settings, images } });
    expect(names("h1")).toContain("trixie.img");
  });

  it("is told as it goes, host by host", async () => {
    const told: string[] = [];
    await run({ onProgress: (host, done) => told.push(`${host} ${done}`) });
    expect(told).toEqual(["h1 0", "h2 0", "h3 0"]);
  });
});

describe("an image that would change what machines live on", () => {
  it("is refused before anything is sent to any host", async () => {
    await run({ settings: { ...stand.settings, hosts: stand.settings.hosts.slice(2) } });
    writeFileSync(file, image(2));
    expect(await failure(run())).toMatchObject({
      name: "ImportError",
      message: expect.stringMatching(
        /Another image named debian-13\.qcow2 exists on h3.*Use an alias other than debian-13/s,
      ),
    });
    expect(names("h1")).toEqual([imageVolume]);
    expect(stand.host("h3").storage.read("default", volume).equals(image(1))).toBe(true);
  });

  it("is refused with --replace, because nothing may be replaced", async () => {
    expect(await failure(run({ replace: true }))).toMatchObject({
      message: expect.stringMatching(/must never change/),
    });
  });
});

describe("an import that goes wrong", () => {
  it("at one host leaves nothing half there, and goes on with the others", async () => {
    let asked = 0;
    const upload = (path: string) => {
      if (++asked === 1) throw new Error("cannot send data: Connection reset by peer");
      return readFileSync(path);
    };
    expect(await run({ upload })).toEqual({
      ...everywhere("sent"),
      h1: { failed: expect.stringMatching(/Connection reset/) },
    });
    expect(names("h1")).toEqual([imageVolume]);
  });

  it("because the host does not respond, or has no room, is told", async () => {
    stand.host("h2").stopDaemon();
    stand.host("h3").storage.capacityBytes = 300_000;
    const outcomes = await run();
    expect(outcomes.h1).toBe("sent");
    expect(outcomes.h2).toMatchObject({ failed: expect.stringMatching(/Connection refused/) });
    expect(outcomes.h3).toEqual({ failed: "its pool has no room for it" });
  });

  it("because the file changed meanwhile leaves nothing there", async () => {
    const upload = () => image(3);
    expect((await run({ upload })).h1).toEqual({
      failed: expect.stringMatching(/might have changed during the import/),
    });
    expect(names("h1")).toEqual([imageVolume]);
  });

  it("by an interruption leaves nothing half there, also where libvirt holds on to it for a moment", async () => {
    const interrupt = new AbortController();
    stand.stand.fake.faults.add(/^h1 vol-delete .*debian-13/, { fail: "volume 'debian-13.qcow2' is still in use." });
    const upload = () => {
      interrupt.abort(new Error("interrupted"));
      throw interrupt.signal.reason;
    };
    await expect(run({ upload, signal: interrupt.signal })).rejects.toThrow("interrupted");
    expect(names("h1")).toEqual([imageVolume]);
    expect(names("h2")).toEqual([imageVolume]);
  });
});

describe("what an import that was killed has left", () => {
  const leave = (content: string) => {
    const { storage } = stand.host("h1");
    storage.addVolume("default", volume, { content: Buffer.from("half"), size: 400_112 });
    storage.addVolume("default", mark, { content: Buffer.from(content) });
  };

  it("is removed, and the image sent anew", async () => {
    leave("scribbled\n\n");
    expect(await run()).toEqual(everywhere("sent"));
    expect(names("h1")).toEqual([imageVolume, volume]);
    expect(stand.host("h1").storage.read("default", volume).equals(image(1))).toBe(true);
  });

  it("is left alone where that import still runs", async () => {
    leave(`${checkerMark(Date.now() + 60_000)}\n\n`);
    expect((await run()).h1).toEqual({ failed: expect.stringMatching(/another import of it is in progress/) });
    expect(names("h1")).toContain(mark);
  });

  it("is left alone where machines live on it", async () => {
    leave("scribbled\n");
    const { storage } = stand.host("h1");
    const backing = { path: `/var/lib/libvirt/images/${volume}`, format: "qcow2" };
    storage.addVolume("default", "lessor-x.qcow2", { format: "qcow2", capacity: 1000, backing });
    expect((await run()).h1).toEqual({
      failed: expect.stringMatching(/machines use its incomplete image: lessor-x\.qcow2/),
    });
    expect(names("h1")).toContain(volume);
  });

  it("never is another import's whole image, which came first by a moment", async () => {
    const { storage } = stand.host("h1");
    const upload = (path: string) => readFileSync(path);
    stand.stand.fake.faults.add(/^h1 vol-upload --pool default lessor-importing/, { answer: "" });
    const connect = (uri: string) => {
      const virsh = stand.takingFiles(upload)(uri);
      return {
        ...virsh,
        call: async (...given: Parameters<typeof virsh.call>) => {
          const answer = await virsh.call(...given);
          const [args] = given;
          if (uri === stand.host("h1").uri && args[0] === "vol-upload" && args[3] === mark) {
            storage.addVolume("default", volume, { content: image(1), format: "qcow2", capacity: 1024 ** 3 });
          }
          return answer;
        },
      };
    };
    expect((await run({ connect })).h1).toEqual({ failed: expect.stringMatching(/exists already/) });
    expect(storage.read("default", volume).equals(image(1))).toBe(true);
    expect(names("h1")).toEqual([imageVolume, volume]);
  });
});
