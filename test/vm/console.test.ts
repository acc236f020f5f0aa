// What one guest writes where its host reads: to its console, and to the beginning of its file system's disk.

import { expect, inject, it } from "vitest";
import { fileSystemSerial } from "../../src/engines/guest/disks.ts";
import { LibvirtEngine } from "../../src/engines/libvirt/engine.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, labSettings, machineOn } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const soon = () => AbortSignal.timeout(120_000);

it("a console is heard from the kernel on, and a disk that looks like another one's overlay misleads nobody", async () => {
  const engine = new LibvirtEngine(labSettings(lab), crypto.randomUUID());
  const fileSystem = { id: crypto.randomUUID(), name: "data", sizeGb: 1, mountPoint: "/mnt/data" };
  const plain = machineOn("h1");
  const spec = { ...plain, guest: { ...plain.guest, fileSystems: [fileSystem] } };
  await engine.create(spec, soon());
  await engine.start(spec, soon());
  const log = () => engine.consoleLog(spec, soon());
  await expect.poll(log, { timeout: 120_000, interval: 200 }).toMatch(/Linux version[\s\S]*lessor: ready/);
  expect(await log()).toContain("lessor: file-system /mnt/data: done");

  // An overlay's header, whose backing file is a name of the host.
  const header = "QFI\\373\\0\\0\\0\\2\\0\\0\\0\\0\\0\\0\\0\\110\\0\\0\\0\\20\\0\\0\\0\\20";
  const disk = `/dev/disk/by-id/virtio-${fileSystemSerial(fileSystem.id)}`;
  const terminal = await engine.openTerminal(spec, { kind: "shell", columns: 200, rows: 50 }, soon());
  let shown = "";
  terminal.onData((data) => {
    shown += Buffer.from(data).toString();
  });
  const write = `umount /mnt/data; printf '${header}' | dd of=${disk} conv=notrunc,fsync`;
  const path = `printf /run/fifo-of-the-host | dd of=${disk} bs=1 seek=72 conv=notrunc,fsync`;
  terminal.write(Buffer.from(`${write}; ${path}; echo written-$((6 * 7))\n`));
  await expect.poll(() => shown, { timeout: 120_000 }).toContain("written-42");
  terminal.close();
  await lab.virsh("h1", ["pool-refresh", "lessor"]);
  const volume = await lab.virsh("h1", ["vol-dumpxml", "--pool", "lessor", `lessor-fs-${fileSystem.id}.img`]);
  expect(volume).toContain("<format type='qcow2'/>");
  expect(volume).not.toMatch(/backingStore|fifo-of-the-host/);

  await engine.remove(spec, soon());
  expect(await log().catch((error: { code: string }) => error.code)).toBe("no-such-machine");
  await engine.removeFileSystem({ id: fileSystem.id, host: "h1" }, soon());
  await engine.close();
  expect(await lab.leftovers()).toEqual([]);
});
