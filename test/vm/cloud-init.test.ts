// One rental of the image that operators build (`lessor image build debian-12 --kind virtual-machine`): firmware, boot
// loader, systemd and the real cloud-init. In emulation it takes two minutes to boot, and many more beside other work, so
// all there is to see is seen in one.

import { expect, inject, it } from "vitest";
import { direct, marketplace } from "../conformance/variants.ts";
import { envSeen, envVars, launchBy } from "../support/service/rental.ts";
import { engineOf } from "./engine-of.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, startService } from "./service.ts";
import { openTerminal } from "./terminal.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);

const volume = "debian-12.qcow2";
const size = { vcpus: 1, memory_gib: 1, storage_gb: 5, gpus: 0, price_cents_per_hour: 10 };
const command = "echo ran >> /root/ran";
const bootSeconds = 900;

it("the image that operators build, from its firmware to the end of the rental", { timeout: 1_800_000 }, async () => {
  const began = performance.now();
  const service = await startService(lab, {
    engine: { firmware: "efi", images: { "debian-12": volume } },
    reconciler: { boot_deadline_seconds: bootSeconds },
  });
  await service.control("PUT", "/instance-types/medium", size);
  const ann = await service.customer("ann");
  const fileSystem = { name: "data", region: "lab", size_gb: 1 };
  const path = `${service.urls.control}/file-systems`;
  const { data } = (await service.call("POST", path, ann.token, fileSystem)) as { data: { id: string } };
  const launched = performance.now();
  // The one by M has variables and a file system, the one by D a command.
  const medium = { instance_type_name: "medium", env_vars: envVars, file_system_names: ["data"] };
  const one = await launchBy(marketplace, service, ann, medium);
  const other = await launchBy(direct, service, ann, { productName: "medium", command });
  const shown = await service.until(one, "active", bootSeconds);
  process.stdout.write(`systemd and cloud-init: active after ${seconds(launched)} s\n`);

  expect(await service.inside(one, ann, "id -un; sudo id -un; hostname")).toMatch(
    /^ubuntu\nroot\ntraining-[0-9a-f]{8}\n$/,
  );
  expect(await service.inside(one, ann, "systemd-detect-virt; ls -d /sys/firmware/efi")).toBe(
    "qemu\n/sys/firmware/efi\n",
  );
  expect(await envSeen(service, one, ann, Object.keys(envVars))).toEqual(envVars);
  expect(await service.inside(one, ann, "findmnt -no FSTYPE /mnt/data; echo kept > /mnt/data/notes; sync")).toBe(
    "ext4\n",
  );
  const terminal = await openTerminal(await engineOf(lab, shown), shown, "shell");
  terminal.type('echo "$(hostname) $(id -un) $(stty size)"\n');
  await terminal.until(/\ntraining-[0-9a-f]{8} root 30 100\n/);
  terminal.type("exit\n");
  await expect.poll(terminal.hasEnded, { timeout: 120_000 }).toBe(true);
  // It grows to its disk, and cloud-init has nothing to complain of.
  const done = await service.inside(one, ann, "cloud-init status --wait --long; df -B1 --output=size / | tail -n 1");
  expect(done).toMatch(/^status: done$/m);
  expect(Number(done.trim().split("\n").at(-1))).toBeGreaterThan(4.2e9);

  await service.until(other, "active", bootSeconds);
  const ran = "for i in $(seq 1500); do sudo test -s /root/ran && break; sleep 0.2; done; sudo cat /root/ran";
  expect(await service.inside(other, ann, ran)).toBe("ran\n");

  await service.change(ann, "stop", [one]);
  await service.until(one, "stopped", 300);
  await service.empty([ann]);
  await service.call("DELETE", `${path}/${data.id}`, ann.token);
  await expect.poll(() => lab.leftovers(), { timeout: 120_000, interval: 200 }).toEqual([]);
  process.stdout.write(`systemd and cloud-init: all of it took ${seconds(began)} s\n`);
});

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
