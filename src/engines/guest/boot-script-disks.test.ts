import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Boot, type BootOptions, BootTrial } from "../../../test/support/guest/boot-trial.ts";
import { powerCuts } from "../../../test/support/guest/power-cuts.ts";
import { sampleGuest } from "../../../test/support/guest/sample-guest.ts";
import type { GuestSpec } from "../engine.ts";
import { bootScript } from "./boot-script.ts";
import { fileSystemSerial, secretsDisk } from "./disks.ts";
import { envFile } from "./env-file.ts";

const trials: BootTrial[] = [];
afterEach(() => {
  for (const trial of trials.splice(0)) trial.remove();
});

const data = { id: "0190a5de-1111-7222-8333-444455556666", name: "data", sizeGb: 1, mountPoint: "/mnt/data" };
const models = {
  id: "0190a5de-2222-7222-8333-444455556666",
  name: "models.v2",
  sizeGb: 1,
  mountPoint: "/home/renter/work/models.v2",
};
const secrets = { envVars: { TOKEN: "it's\na secret\n" }, password: "123456789012345" };

/** A guest with its disks: the secrets', and one that was never used for each file system. */
function newGuest(changes: Partial<GuestSpec> = {}): BootTrial {
  const guest = new BootTrial(changes);
  trials.push(guest);
  plugIn(guest, "lessor-secrets", secretsDisk(guest.guest).toString());
  for (const { id } of guest.guest.fileSystems) plugIn(guest, fileSystemSerial(id), "");
  guest.fakeProgram("blkid", '[ -s "$2" ] || exit 2');
  guest.fakeProgram("mkfs.ext4", 'for disk; do :; done; echo ext4 >"$disk"');
  guest.fakeProgram("mount", 'echo "$2" >>"$LESSOR_ROOT/mounted"');
  return guest;
}

function plugIn(guest: BootTrial, serial: string, content: string): void {
  guest.write(`dev/disk/by-id/virtio-${serial}`, content);
}

const boot = (guest: BootTrial, options: BootOptions = {}): Boot =>
  guest.boot("sh", { delivery: "disks", patienceSeconds: 0, ...options });
const madeBy = ({ calls }: Boot) => calls.filter((call) => /^(mkfs|mount )/.test(call));

describe("secrets that come by a disk", () => {
  it("are used at once, and are nowhere on the guest's own disk afterwards", () => {
    const guest = newGuest(secrets);
    expect(boot(guest)).toMatchObject({ status: 0, output: expect.stringContaining("lessor: ready") });
    expect(guest.read("home/renter/.env")).toBe(envFile(secrets.envVars));
    expect(guest.read("chpasswd")).toBe(`renter:${secrets.password}\n`);
    expect(existsSync(join(guest.root, "run/lessor-secrets"))).toBe(false);
    expect(guest.read("etc/shadow")).not.toContain(secrets.password);
  });

  it("are read anew at every boot", () => {
    const guest = newGuest(secrets);
    boot(guest);
    plugIn(guest, "lessor-secrets", secretsDisk({ ...guest.guest, envVars: { TOKEN: "new" } }).toString());
    boot(guest);
    expect(guest.read("home/renter/.env")).toBe(envFile({ TOKEN: "new" }));
  });

  it("are found without udev too, by the kernel's own word", () => {
    const guest = newGuest(secrets);
    guest.write("dev/vdb", guest.read("dev/disk/by-id/virtio-lessor-secrets"));
    rmSync(join(guest.root, "dev/disk"), { recursive: true });
    guest.write("sys/block/vda/serial", "something else\n");
    expect(boot(guest)).toMatchObject({ status: 1, output: expect.stringContaining("secrets: failed") });
    guest.write("sys/block/vdb/serial", "lessor-secrets");
    expect(boot(guest).status).toBe(0);
    expect(guest.read("home/renter/.env")).toBe(envFile(secrets.envVars));
  });

  it("that are not whole are not used, and the keys are there all the same", () => {
    const guest = newGuest(secrets);
    plugIn(
      guest,
      "lessor-secrets",
      secretsDisk(guest.guest)
        .toString()
        .replace(/lessor_secrets='complete'\n$/, ""),
    );
    expect(boot(guest)).toMatchObject({ status: 1, output: expect.stringContaining("secrets: failed") });
    expect(guest.has("home/renter/.env")).toBe(false);
    expect(guest.read("home/renter/.ssh/authorized_keys")).toBe(sampleGuest.sshKeys.map((key) => `${key}\n`).join(""));
  });
});

describe("a file system that comes by a disk", () => {
  const fileSystems = [data, models];
  const serials = fileSystems.map(({ id }) => `/dev/disk/by-id/virtio-${fileSystemSerial(id)}`);

  it("is made where nothing is on its disk, mounted at its mount point, and handed over", () => {
    const guest = newGuest({ fileSystems });
    const first = boot(guest);
    expect(first.status).toBe(0);
    expect(madeBy(first)).toEqual([
      `mkfs.ext4 -q -m 0 ${serials[0]}`,
      `mount ${serials[0]} /mnt/data`,
      `mkfs.ext4 -q -m 0 ${serials[1]}`,
      `mount ${serials[1]} /home/renter/work/models.v2`,
    ]);
    expect(first.calls).toEqual(
      expect.arrayContaining([
        "chown 1000:1000 /mnt/data",
        "chown 1000:1000 /home/renter/work",
        "chown 1000:1000 /home/renter/work/models.v2",
      ]),
    );
  });

  it("is never made anew once it holds anything", () => {
    const guest = newGuest({ fileSystems: [data] });
    boot(guest);
    guest.write("mounted", "");
    expect(madeBy(boot(guest))).toEqual([`mount ${serials[0]} /mnt/data`]);
  });

  it.each([
    ["an error of the disk", 4],
    ["something that is not sure", 8],
    ["a blkid that is not there", 127],
  ])("is never made over %s", (_, code) => {
    const guest = newGuest({ fileSystems: [data] });
    guest.fakeProgram("blkid", `exit ${code}`);
    expect(madeBy(boot(guest)).filter((call) => call.startsWith("mkfs"))).toEqual([]);
  });

  it("whose disk is missing keeps neither the others nor the guest from starting", () => {
    const guest = newGuest({ fileSystems });
    rmSync(join(guest.root, `${serials[0]}`));
    const result = boot(guest);
    expect(result).toMatchObject({ status: 1, output: expect.stringContaining("file-system /mnt/data: failed") });
    expect(madeBy(result)).toContain(`mount ${serials[1]} /home/renter/work/models.v2`);
    expect(result.output).toContain("lessor: ssh-keys: done");
  });

  it("survives a power cut at each step of the first boot", () => {
    const steps = boot(newGuest({ fileSystems: [data] })).calls.length;
    expect(steps).toBeGreaterThan(10);
    for (const cutAt of powerCuts(steps)) {
      const guest = newGuest({ fileSystems: [data] });
      expect(boot(guest, { cutAt }).status, `cut at ${cutAt}`).toBeNull();
      guest.write("mounted", "");
      expect(boot(guest).status).toBe(0);
      expect(guest.read("mounted").trim()).toBe(join(guest.root, "mnt/data"));
      guest.remove();
    }
  });

  it("that is mounted already is left as it is", () => {
    const guest = newGuest({ fileSystems: [data] });
    mkdirSync(join(guest.root, "mnt/data"), { recursive: true });
    guest.write("mounted", join(guest.root, "mnt/data"));
    expect(madeBy(boot(guest))).toEqual([]);
  });
});

describe("the script", () => {
  it("knows of disks only where there are some", () => {
    expect(bootScript({ ...sampleGuest, fileSystems: [data] }, "file")).toContain(
      "secrets_disk=''\nfile_system_disks=''\nshell_console=''\n",
    );
    expect(bootScript({ ...sampleGuest, fileSystems: [data] }, "disks")).toContain(
      `file_system_disks='/mnt/data:${fileSystemSerial(data.id)}'`,
    );
  });

  it("offers no shell where there is no console for it", () => {
    const result = boot(newGuest());
    expect(result.calls.filter((call) => /^(setsid|systemd-run)/.test(call))).toEqual([]);
    expect(result.output).toContain("lessor: shell: done");
  });

  it("starts what takes files at every boot, by systemd where that is", () => {
    const guest = newGuest();
    guest.fakeProgram("systemd-run", "");
    mkdirSync(join(guest.root, "run/systemd/system"), { recursive: true });
    const taker = /^systemd-run .*--unit=lessor-files .*\/var\/lib\/lessor\/files$/;
    for (const result of [boot(guest), boot(guest)]) {
      expect(result.calls.filter((call) => taker.test(call))).toHaveLength(1);
      expect(result.output).toContain("lessor: files: done");
    }
    expect(guest.read("var/lib/lessor/files")).toBe(readFileSync(new URL("file-taker.sh", import.meta.url), "utf8"));
  });
});

it("a disk that cannot be read is not taken for an empty one: nothing is made on it, and it is tried again at the next boot", () => {
  const guest = newGuest({ fileSystems: [data] });
  const disk = `dev/disk/by-id/virtio-${fileSystemSerial(data.id)}`;
  guest.write(disk, "somebody's data");
  // As blkid says it of a disk with an error, without a word.
  guest.fakeProgram("blkid", "exit 2");
  guest.fakeProgram("head", '[ "$1" = -c ] && exit 1; exec head "$@"');
  expect(madeBy(boot(guest)).filter((call) => call.startsWith("mkfs"))).toEqual([]);
  guest.fakeProgram("head", 'exec head "$@"');
  guest.fakeProgram("tail", '[ "$1" = -c ] && exit 1; exec tail "$@"');
  expect(madeBy(boot(guest)).filter((call) => call.startsWith("mkfs"))).toEqual([]);
  expect(guest.read(disk)).toBe("somebody's data");
});
