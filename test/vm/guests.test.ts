// What guests do by themselves, and what becomes of them: halting, rebooting, crashing; their terminals, and what they
// write to their console. They boot together, each is for one test or two.

import { beforeAll, describe, expect, inject, it } from "vitest";
import type { Customer, Service } from "../support/service/service.ts";
import { afterFile } from "../support/when-over.ts";
import { engineOf } from "./engine-of.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, nothingLeft, startService } from "./service.ts";
import { openTerminal } from "./terminal.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const whenOver = afterFile();

let service: Service;
let ann: Customer;
/** Two of them, on any hosts. */
let [one, other] = ["", ""];

beforeAll(async () => {
  service = await startService(lab, { whenOver });
  ann = await service.customer("ann");
  [one = "", other = ""] = await service.launch(ann, { quantity: 2, env_vars: { NAME: "a value" } });
  await Promise.all([service.until(one, "active"), service.until(other, "active")]);
});

/** Of the guest's process on its host. */
async function qemuOf(id: string): Promise<number | undefined> {
  const { host } = await service.show(id);
  return lab.qemuPids(host).find(({ domain }) => domain === `lessor-${id}`)?.pid;
}

/** How long it is from the end of the guest's process until the instance is shown stopped. */
async function shownStoppedAfter(id: string): Promise<number> {
  const { host } = await service.show(id);
  const runs = () => lab.qemuPids(host).some(({ domain }) => domain === `lessor-${id}`);
  await expect.poll(runs, { timeout: 120_000, interval: 10 }).toBe(false);
  const ended = performance.now();
  await service.until(id, "stopped", 60);
  return performance.now() - ended;
}

async function restart(id: string): Promise<void> {
  await service.change(ann, "restart", [id]);
  await service.until(id, "active");
}

describe("a terminal", () => {
  it("is a shell of root in the machine, as large as asked for, and ends when the shell is left", async () => {
    const shown = await service.show(one);
    const terminal = await openTerminal(await engineOf(lab, shown), shown, "shell");
    terminal.type('echo "$(hostname) $(id -un) $(stty size)"\n');
    await terminal.until(/\n\S+-[0-9a-f]{8} root 30 100\n/);
    // Letters of several bytes, and what a program shows that does not go on to a new line.
    terminal.type("printf '%s' Grüße; sleep 0.1; echo , $((6 * 7))\n");
    await terminal.until(/Grüße, 42\n/);
    expect(terminal.hasEnded()).toBe(false);
    terminal.type("exit\n");
    await expect.poll(terminal.hasEnded, { timeout: 120_000 }).toBe(true);
    // The next one is another shell.
    const next = await openTerminal(await engineOf(lab, shown), shown, "shell");
    next.type("echo $((6 * 7))\n");
    await next.until(/\n42\n/);
  });

  it("of the serial console is what a screen at the machine would show, and is answered by the guest", async () => {
    const shown = await service.show(other);
    const terminal = await openTerminal(await engineOf(lab, shown), shown, "console");
    terminal.type("\n");
    await terminal.until(/root@\S+-[0-9a-f]{8}:~# /);
    terminal.type("tty; echo $((6 * 7))\n");
    await terminal.until(/\/dev\/ttyS0\n42\n/);
    terminal.close();
    await expect.poll(terminal.hasEnded, { timeout: 120_000 }).toBe(true);
    expect(await service.show(other)).toMatchObject({ status: "active", health: "ok" });
  });
});

it("a guest that reboots itself stays active, and its .env is as it was ordered", async () => {
  const { ip } = await service.show(one);
  const bootId = async () => {
    const look = { key: ann.key.file, command: "cat /proc/sys/kernel/random/boot_id" };
    return (await service.ssh(one, look)).stdout;
  };
  const [before, pid] = [await bootId(), await qemuOf(one)];
  // The connection may end before the command does.
  await service.ssh(one, {
    key: ann.key.file,
    command: `echo NAME=changed > .env; echo kept > notes; sync; sudo reboot`,
  });
  const seen = new Set<string>();
  const rebooted = async () => {
    const { status, health } = await service.show(one);
    seen.add(`${status} ${health}`);
    const now = await bootId();
    return now !== "" && now !== before;
  };
  await expect.poll(rebooted, { timeout: 120_000, interval: 50 }).toBe(true);
  expect(await service.inside(one, ann, "cat .env notes")).toBe("NAME='a value'\nkept\n");
  expect(await service.show(one)).toMatchObject({ status: "active", ip });
  expect([...seen].filter((word) => !word.startsWith("active"))).toEqual([]);
  expect(await qemuOf(one), "the same process").toBe(pid);
});

it("a guest that powers itself off is shown stopped within 3 seconds, is held, and can be restarted", async () => {
  const { ip } = await service.show(other);
  const asked = performance.now();
  // The connection may end before the command does.
  await service.ssh(other, { key: ann.key.file, command: "echo kept > notes; sync; sudo poweroff" });
  const took = await shownStoppedAfter(other);
  const fromCommand = performance.now() - asked;
  process.stdout.write(
    `power-off from inside: shown stopped ${Math.round(took)} ms after the machine was off, ` +
      `${Math.round(fromCommand)} ms after the command was begun\n`,
  );
  expect(took).toBeLessThan(3000);
  expect((await service.show(other)).ip).toBe(ip);
  await restart(other);
  expect(await service.inside(other, ann, "cat .env notes")).toBe("NAME='a value'\nkept\n");
  expect((await service.show(other)).ip).toBe(ip);
});

it("a machine whose QEMU is killed is shown stopped as soon as libvirt knows, and comes back with its data", async () => {
  await service.inside(one, ann, "echo kept too > notes; sync");
  const pid = await qemuOf(one);
  if (pid === undefined) throw new Error("the machine does not run");
  process.kill(pid, "SIGKILL");
  const took = await shownStoppedAfter(one);
  process.stdout.write(`QEMU killed: shown stopped ${Math.round(took)} ms after its end\n`);
  // libvirt takes down its filters first: two to three seconds of two busy cores.
  expect(took).toBeLessThan(10_000);
  // Nobody is told that it has failed: it is there, and is billed.
  expect(await service.show(one)).toMatchObject({ status: "stopped", failure: null });
  await restart(one);
  expect(await service.inside(one, ann, "cat .env notes")).toBe("NAME='a value'\nkept too\n");
});

it("all of it is gone when they are terminated", async () => {
  await service.empty([ann]);
  await nothingLeft(lab);
});
