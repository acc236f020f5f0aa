// The agent of the image that operators build, in real containers, up to what an account reads of it; and a guest that
// puts something else in the place of its file.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { guestValues } from "../support/service/guest-metrics.ts";
import { chartsShown, haveConsole } from "../support/service/metrics-charts.ts";
import type { Customer, Service } from "../support/service/service.ts";
import { afterFile } from "../support/when-over.ts";
import { cachedImage } from "./lab/image.ts";
import { labOf } from "./lab/lab.ts";
import { startService } from "./service.ts";

const lab = labOf(inject("lab"));
const whenOver = afterFile();
const alias = "debian-12-metrics";
const file = "/run/lessor/metrics";

let service: Service;
let ann: Customer;
let eve: Customer;
let [honest, hostile] = ["", ""];

beforeAll(async () => {
  haveConsole();
  const path = await cachedImage((line) => process.stdout.write(`${line}\n`), true);
  await lab.lxc(["image", "import", path, "--alias", alias, "--quiet"]);
  service = await startService(lab, { engine: { images: { "debian-12": { alias } } }, whenOver });
  const image = { number: 1, description: "Debian 12", family: "debian", login_user: "ubuntu", default: true };
  await service.control("PUT", "/images/debian-12", { ...image, metrics: true });
  [ann, eve] = [await service.customer("ann"), await service.customer("eve")];
  const launched = await Promise.all([ann, eve].map((customer) => service.launch(customer)));
  [honest = "", hostile = ""] = launched.flat();
  await Promise.all([honest, hostile].map((id) => service.until(id, "active")));
});

afterAll(() => lab.lxc(["image", "delete", alias]));

const valuesOf = (id: string, customer: Customer, metric = "memory_size") => guestValues(service, id, customer, metric);

it("the agent of the image is read, and its unit has all it needs", async () => {
  await expect.poll(() => valuesOf(honest, ann), { timeout: 180_000, interval: 1000 }).not.toEqual([]);
  await expect.poll(() => valuesOf(hostile, eve), { timeout: 180_000, interval: 1000 }).not.toEqual([]);
  const kib = await service.inside(honest, ann, "sed -n 's/^MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo");
  expect(await valuesOf(honest, ann)).toContain(Math.floor(Number(kib) / 1024));
  for (const metric of ["cpu_utilization", "memory_used", "disk_used", "disk_size"]) {
    expect(await valuesOf(honest, ann, metric), metric).not.toEqual([]);
  }
  const unit = "systemctl show lessor-agent --property NRestarts --property ActiveState; stat -c %A /run/lessor";
  expect(await service.inside(honest, ann, unit)).toBe("NRestarts=0\nActiveState=active\ndrwxr-xr-x\n");
});

it("what the agent reports is charts in its account's browser", async () => {
  const charts = await chartsShown(service, honest, ann);
  for (const title of ["CPU", "Memory", "Disk"])
    expect(charts).toContainEqual(expect.stringMatching(new RegExp(`^${title}: .*now `)));
});

it("a guest with something else in the place of its file fills no memory and changes nothing of another", async () => {
  await service.inside(hostile, eve, "sudo systemctl disable --now lessor-agent && sudo mkdir -p /run/lessor");
  const before = service.residentMib();
  const seen = (await valuesOf(honest, ann)).length;
  let most = 0;
  // A read that hangs is killed.
  await service.inside(hostile, eve, `sudo sh -c 'rm -f ${file}; mkfifo ${file}'`);
  const untilRead = "for i in $(seq 900); do pgrep -x head && break; sleep 0.1; done; sleep 8; pgrep -xc head || true";
  expect(await service.inside(hostile, eve, untilRead)).toMatch(/^\d+\n0\n$/);
  for (const trick of [
    `head -c 300M /dev/zero >${file}`,
    `head -c 8000 /dev/urandom >${file}`,
    `ln -sf /dev/zero ${file}`,
    `ln -sf /etc/shadow ${file}`,
    `mkdir ${file}`,
    `rmdir ${file}; mkfifo ${file}; for i in $(seq 900); do pgrep -x head && break; sleep 0.1; done`,
  ]) {
    await service.inside(hostile, eve, `sudo sh -c 'rm -f ${file} 2>/dev/null; ${trick}'`);
    for (let second = 0; second < 10; second++) {
      await sleep(1000);
      most = Math.max(most, service.residentMib());
    }
  }
  process.stdout.write(`${before.toFixed()} MiB, then ${most.toFixed()} MiB at most\n`);
  expect(most - before).toBeLessThan(64);
  const after = await valuesOf(honest, ann);
  expect(after.length).toBeGreaterThan(seen + 3);
  expect(new Set(after).size).toBe(1);
});

it("both are terminated, also with a pipe in the place of a file", async () => {
  await service.empty([ann, eve]);
});
