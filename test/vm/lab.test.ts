// The lab itself: what every other test on real virtual machines builds upon.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { makeKey } from "../support/keys.ts";
import { attempt, run } from "../support/lab/run.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { type HandMadeGuest, startGuest } from "./guest.ts";
import { vmLabOf } from "./lab/lab.ts";

const lab = vmLabOf(inject("vmLab"));
const soon = { timeout: 120_000, interval: 100 };

it("has three hosts that libvirt tells apart, each with the network, the pool and the images", async () => {
  expect(lab.hosts.map(({ name }) => name)).toEqual(["h1", "h2", "h3"]);
  for (const { name, uuid } of lab.hosts) {
    expect(await lab.virsh(name, ["capabilities"])).toContain(`<uuid>${uuid}</uuid>`);
    expect(await lab.virsh(name, ["net-info", lab.network])).toMatch(/Active: +yes/);
    const volumes = await lab.virsh(name, ["vol-list", lab.pool]);
    expect(lab.images.filter((image) => !volumes.includes(image))).toEqual([]);
  }
  expect(new Set(lab.hosts.map(({ uuid }) => uuid)).size).toBe(3);
  expect(await lab.leftovers()).toEqual([]);
});

describe("a light guest on the second host", () => {
  const directory = mkdtempSync(join(tmpdir(), "lessor-test-"));
  let guest: HandMadeGuest;
  const login = async (command: string) => lab.ssh({ ...guest.login, command });

  beforeAll(async () => {
    guest = await startGuest(lab, "h2", "lab-guest", await makeKey(directory, "guest"), directory);
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await lab.clean();
  });

  it("lets in who has the key of its seed, and nobody else", async () => {
    await expect.poll(() => login("cat /run/hook"), soon).toMatchObject({ code: 0, stdout: "i-lab-guest\n" });
    const other = await makeKey(await temporaryDirectory(), "other");
    const refused = await lab.ssh({ ...guest.login, key: other.file, command: "true" });
    expect(refused).toMatchObject({ code: 255, stderr: expect.stringContaining("Permission denied") });
  });

  it("runs a script of its seed once, finds its disks by their serials, and has a kernel of its own", async () => {
    await expect.poll(() => login("cat /var/script"), soon).toMatchObject({ code: 0, stdout: "ran\n" });
    const { stdout } = await login("readlink -f /dev/disk/by-id/virtio-root; uname -r");
    expect(stdout).toBe(`/dev/vda\n${stdout.split("\n")[1]}\n`);
    expect(stdout).not.toContain(await run("uname", ["-r"]));
  });

  it("runs on while its host's daemon is killed, which manages it again", async () => {
    const [{ pid } = { pid: 0 }] = lab.qemuPids("h2");
    await lab.killDaemon("h2");
    await expect(lab.virsh("h2", ["list"])).rejects.toThrow(/Connection refused/);
    expect(lab.qemuPids("h2")).toEqual([{ domain: "lab-guest", pid }]);
    expect(await login("true")).toMatchObject({ code: 0 });
    await lab.startDaemon("h2");
    expect(await lab.virsh("h2", ["domstate", "lab-guest"])).toContain("running");
  });

  it("is out of reach while its host's cable is cut", async () => {
    await lab.cutHost("h2");
    // One process for the short deadline: the lab's own waits longer.
    const cut = await attempt("virsh", ["--connect", guest.uri, "list"], { timeoutSeconds: 1 });
    expect(cut.code).not.toBe(0);
    await lab.mendHost("h2");
    await expect.poll(() => login("true"), soon).toMatchObject({ code: 0 });
  });

  it("reboots with what was written, and does not run the script again", async () => {
    await login("echo kept >/var/kept; sync; reboot");
    await expect.poll(() => login("true"), soon).toMatchObject({ code: 255 });
    await expect.poll(() => login("cat /var/kept /var/script"), soon).toMatchObject({ code: 0, stdout: "kept\nran\n" });
  });

  it("obeys the power button", async () => {
    await lab.virsh("h2", ["shutdown", "lab-guest", "--mode", "acpi"]);
    await expect.poll(() => lab.virsh("h2", ["domstate", "lab-guest"]), soon).toContain("shut off");
  });

  it("is gone after a cleaning, with all that belongs to it", async () => {
    expect(await lab.leftovers()).toEqual([
      "h2 domain lab-guest",
      "h2 file /var/lib/libvirt/images/lab-guest.iso",
      "h2 file /var/lib/libvirt/images/lab-guest.log",
      "h2 file /var/lib/libvirt/images/lab-guest.qcow2",
      expect.stringContaining("h2 reservation <host"),
    ]);
    await lab.clean();
    expect(await lab.leftovers()).toEqual([]);
    expect(await lab.virsh("h2", ["vol-list", lab.pool])).toContain(lab.light.image);
  });
});

it("leaves nothing of a lab whose owner is killed", async () => {
  const owner = spawn(process.execPath, [join(import.meta.dirname, "lab/by-hand.ts")], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let slot: number | undefined;
  for await (const line of createInterface(owner.stdout)) {
    const told = /in slot (\d+)$/.exec(line)?.[1];
    if (told !== undefined) {
      slot = Number(told);
      break;
    }
  }
  if (slot === undefined) throw new Error("The other lab did not come up");
  const other = vmLabOf({ slot });
  const [first] = other.hosts;
  if (first === undefined) throw new Error("BUG: a lab without hosts");
  const namespaces = other.hosts.map(({ namespace }) => `/run/netns/${namespace}`);
  expect(namespaces.filter((path) => existsSync(path))).toHaveLength(3);
  expect(slot).not.toBe(lab.slot);
  const ended = once(owner, "exit");
  owner.kill("SIGKILL");
  await ended;
  const left = async () => [
    ...namespaces.filter((path) => existsSync(path)),
    ...[`/var/lib/lessor-vm-lab/lessorvm${slot}`].filter((path) => existsSync(path)),
    ...(await run("ip", ["-o", "link"])).split("\n").filter((line) => line.includes(`lessorvm${slot}br`)),
    ...(await run("ip", ["route"])).split("\n").filter((line) => line.includes(first.guestSubnet)),
  ];
  await expect.poll(left, soon).toEqual([]);
});
