import { beforeEach, describe, expect, it } from "vitest";
import { beginLibvirtCheckStand, info, type LibvirtCheckStand } from "../../../../test/support/libvirt-check-stand.ts";
import { checkPool } from "./pool.ts";

let stand: LibvirtCheckStand;
beforeEach(async () => {
  stand = await beginLibvirtCheckStand();
});
const at = "virsh -c qemu+tcp://127.66.1.2/system";

describe("the storage pool", () => {
  it("is fine with its room", async () => {
    expect(await stand.run(checkPool)).toEqual([
      expect.stringMatching(/^ok pool on h1: default, dir at \/var\/lib\/libvirt\/images: \d+ GB free of 4000$/),
    ]);
  });

  it("that does not exist is told how to make it", async () => {
    stand.refuse("pool-info default", "failed to get pool 'default'; Storage pool not found: no storage pool");
    expect(await stand.run(checkPool)).toEqual([
      `problem pool on h1: the pool default does not exist -> ${at} pool-define-as default dir --target /var/lib/libvirt/images ` +
        `&& ${at} pool-build default && ${at} pool-start default && ${at} pool-autostart default; or correct pool`,
    ]);
  });

  it("that is off, or will be after the next start, is told how to switch it on", async () => {
    stand.answer("pool-info default", info.pool({ State: "inactive" }));
    expect(await stand.run(checkPool)).toEqual([
      `problem pool on h1: default is not active -> ${at} pool-start default`,
    ]);
    stand.answer("pool-info default", info.pool({ Autostart: "no" }));
    expect((await stand.run(checkPool))[0]).toBe(
      `warning pool on h1: default does not start with the host -> ${at} pool-autostart default`,
    );
    stand.answer("pool-info default", info.pool({ Persistent: "no", Autostart: "no" }));
    expect((await stand.run(checkPool))[0]).toMatch(
      /^warning pool on h1: default will not exist after .*pool-define pool\.xml/,
    );
  });

  it("whose volumes are no files is refused", async () => {
    stand.answer("pool-dumpxml default", "<pool type='logical'><target><path>/dev/vg</path></target></pool>");
    expect(await stand.run(checkPool)).toEqual([
      expect.stringMatching(/^problem pool on h1: default is of type logical, .* -> use a pool of type dir, fs, netfs/),
    ]);
  });

  it.each([
    [10, "warning"],
    [1, "problem"],
  ])("with %d GB left is a %s", async (gb, verdict) => {
    stand.host("h1").storage.capacityBytes = (gb + 0.5) * 1000 ** 3;
    expect((await stand.run(checkPool))[0]).toMatch(
      new RegExp(`^${verdict} pool on h1: default has only ${gb} GB free`),
    );
  });
});
