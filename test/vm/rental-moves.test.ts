// A rented machine moves between two real hosts, as an operator asks for it: its renter reads by SSH what was written
// before. The service, libvirtd of both hosts and QEMU are killed meanwhile.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject, it } from "vitest";
import { launchOn } from "../support/service/hosts.ts";
import type { Shown } from "../support/service/service.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, nothingLeft, startService } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const fileMiB = 256;
/** The service starts again within this time, and the copy goes on. */
const soon = { timeout: 240_000, interval: 50 };

interface Moving extends Shown {
  readonly trouble: object | null;
  readonly move: {
    readonly from: string;
    readonly to: string;
    readonly phase: string;
    readonly copied_bytes: number;
    readonly total_bytes: number;
  } | null;
}

it("a file written before is read after, whatever is killed meanwhile, and nothing stays on the old host", async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  const id = await launchOn(service, ann, "h1");
  await service.until(id, "active");
  const write = `dd if=/dev/urandom of=written bs=1M count=${fileMiB} 2>/dev/null; sync; sha256sum < written`;
  const sum = await service.inside(id, ann, write);
  await service.change(ann, "stop", [id]);
  await service.until(id, "stopped");
  for (const host of ["h2", "h3"]) await service.control("POST", `/hosts/${host}/uncordon`);

  const moving = () => service.control<Moving>("GET", `/instances/${id}`);
  let lastTrouble = "nothing";
  const qemu = (host: string) => lab.qemuPids(host).find(({ domain }) => domain === `lessor-${id}`)?.pid;
  /** While it is copied, a part of it further than before. */
  const copiedMore = async (than: number) => {
    const copied = async () => {
      const { move, trouble } = await moving();
      // Why, if it never goes on.
      if (trouble !== null) lastTrouble = JSON.stringify(trouble);
      return move?.copied_bytes ?? Number.POSITIVE_INFINITY;
    };
    await expect
      .poll(copied, soon)
      .toBeGreaterThan(than)
      .catch((error: unknown) => {
        throw new Error(`not copied; what was wrong: ${lastTrouble}`, { cause: error });
      });
    return copied();
  };
  await service.control("POST", `/instances/${id}/move`, { host: "h2" });
  await service.control("POST", `/instances/${id}/move`, { host: "h2" });
  await copiedMore(0);
  await lab.killDaemon("h2");
  await sleep(500);
  await lab.startDaemon("h2");
  const further = await copiedMore(1);
  await service.crash();
  await lab.killDaemon("h1");
  await lab.startDaemon("h1");
  await service.change(ann, "restart", [id]);
  process.stdout.write(`${further} bytes were copied when the service was killed\n`);
  expect(qemu("h1")).toBeUndefined();

  // It starts on the new host when it is there, and its QEMU is killed at once: both copies are still there.
  await expect.poll(() => qemu("h2"), { timeout: 400_000, interval: 20 }).toBeDefined();
  const pid = qemu("h2");
  if (pid !== undefined) process.kill(pid, "SIGKILL");
  const oldDisk = (line: string) => line.startsWith("h1 ") && line.includes(`${id}.qcow2`);
  expect((await lab.leftovers()).filter(oldDisk)).toHaveLength(1);
  const runs = async () => {
    const { status, failure } = await service.show(id);
    expect(failure).toBeNull();
    if (status === "stopped") await service.change(ann, "restart", [id]);
    return status;
  };
  await expect.poll(runs, { timeout: 400_000, interval: 500 }).toBe("active");

  expect(await service.show(id)).toMatchObject({ host: "h2" });
  expect(await service.inside(id, ann, "sha256sum < written")).toBe(sum);
  await expect.poll(async () => (await moving()).move, soon).toBeNull();
  expect((await lab.leftovers()).filter((line) => line.startsWith("h1 ") && line.includes(id))).toEqual([]);
  expect(await service.inside(id, ann, "sha256sum < written")).toBe(sum);
  await service.empty([ann]);
  await nothingLeft(lab);
});
