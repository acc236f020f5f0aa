// What programs in real guests write to the ports of their machines, up to what an account reads of it; a hostile guest
// beside an honest one, on the same host; and what a restart of libvirt or of the guest changes: nothing.

import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, inject, it } from "vitest";
import { guestValues } from "../support/service/guest-metrics.ts";
import { chartsShown, haveConsole } from "../support/service/metrics-charts.ts";
import type { Customer, Service } from "../support/service/service.ts";
import { afterFile } from "../support/when-over.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, hostsWith, nothingLeft, startService } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const whenOver = afterFile();
const [first] = lab.hosts;

let service: Service;
let ann: Customer;
let eve: Customer;
let [honest, hostile] = ["", ""];

const valuesOf = (id: string, customer: Customer, metric = "cpu_utilization") =>
  guestValues(service, id, customer, metric);

/** The guest has no udev: a port has no name of its own in /dev. */
const port =
  'for p in /sys/class/virtio-ports/*; do grep -q "^org.lessor.metrics.0$" $p/name && port=/dev/$(basename $p); done; ';

/** Runs on in the guest after the login has ended. `script`: without single quotes. */
const inBackground = (script: string) => `sudo sh -c '${port} (${script}) </dev/null >/dev/null 2>&1 &'`;

/** The agent of a guest without Python: a line a second, whose numbers rise. */
const agent = (cpu: number) => {
  const line = `{\\"v\\":1,\\"n\\":$n,\\"cpu_utilization\\":${cpu},\\"memory_size\\":1024}`;
  return inBackground(`n=$(date +%s); while :; do n=$((n+1)); echo "${line}" >$port; sleep 1; done`);
};

beforeAll(async () => {
  haveConsole();
  // Both on one host, so that one connection reads them.
  const room = { vcpus: 4, memory_gib: 4, storage_gb: 40, gpus: [] };
  const hosts = hostsWith(lab, (name) => (name === first?.name ? room : { ...room, storage_gb: 1 }));
  service = await startService(lab, { engine: { hosts }, whenOver });
  const image = { number: 1, description: "Debian 12", family: "debian", login_user: "ubuntu", default: true };
  await service.control("PUT", "/images/debian-12", { ...image, metrics: true });
  [ann, eve] = [await service.customer("ann"), await service.customer("eve")];
  const launched = await Promise.all([ann, eve].map((customer) => service.launch(customer)));
  [honest = "", hostile = ""] = launched.flat();
  await Promise.all([honest, hostile].map((id) => service.until(id, "active")));
});

it("a guest that writes to its port is read", async () => {
  await service.inside(honest, ann, agent(37));
  await expect.poll(() => valuesOf(honest, ann), { timeout: 120_000, interval: 1000 }).toContain(37);
  expect(await valuesOf(honest, ann, "memory_size")).toContain(1024);
  expect(await valuesOf(hostile, eve)).toEqual([]);
});

it("what a guest writes is a chart in its account's browser", async () => {
  const charts = await chartsShown(service, honest, ann);
  expect(charts).toContainEqual(expect.stringMatching(/^CPU: .*now 37 %/));
});

it("a guest that floods, lies and sends binary fills no memory and changes nothing of another", async () => {
  const before = service.residentMib();
  const lie = '{\\"v\\":1,\\"n\\":\\"x\\",\\"cpu_utilization\\":1e99,\\"gpus\\":[{\\"gpu_utilization\\":99}]}';
  const flood = `(yes "${lie}" & cat /dev/urandom & tr "\\\\000" a </dev/zero) >$port`;
  await service.inside(hostile, eve, inBackground(flood));
  // Each of them waits for its reader by now, or writes.
  expect(await service.inside(hostile, eve, "sleep 5; pgrep -x 'yes|cat|tr' | wc -l")).toBe("3\n");
  const seen = (await valuesOf(honest, ann)).length;
  let most = 0;
  let slowest = 0;
  for (let second = 0; second < 45; second++) {
    await sleep(1000);
    most = Math.max(most, service.residentMib());
    const began = performance.now();
    await lab.virsh(first?.name ?? "", ["domstate", `lessor-${honest}`]);
    slowest = Math.max(slowest, performance.now() - began);
  }
  process.stdout.write(`flooded for 45 s: ${before.toFixed()} MiB, then ${most.toFixed()} MiB at most; `);
  process.stdout.write(`libvirt answered within ${slowest.toFixed()} ms\n`);
  expect(most - before).toBeLessThan(64);
  const after = await valuesOf(honest, ann);
  expect(after.length).toBeGreaterThan(seen);
  expect(new Set(after)).toEqual(new Set([37]));
  expect(await valuesOf(honest, ann, "gpu_utilization")).toEqual([]);
  // A value that cannot be is none, and a GPU that is not there has none.
  expect(await valuesOf(hostile, eve)).toEqual([]);
  expect(await valuesOf(hostile, eve, "gpu_utilization")).toEqual([]);
});

it("a guest that floods is terminated as any other", async () => {
  expect(await service.inside(hostile, eve, "pgrep -x 'yes|cat|tr' | wc -l")).toBe("3\n");
  await service.change(eve, "terminate", [hostile]);
  await service.until(hostile, "terminated");
});

it("a guest is read again after its host's libvirt was killed, and after it was stopped and started", async () => {
  await lab.killDaemon(first?.name ?? "");
  await lab.startDaemon(first?.name ?? "");
  const read = async () => (await valuesOf(honest, ann)).length;
  const before = await read();
  await expect.poll(read, { timeout: 120_000, interval: 1000 }).toBeGreaterThan(before);
  await service.change(ann, "stop", [honest]);
  await service.until(honest, "stopped");
  await service.change(ann, "restart", [honest]);
  await service.until(honest, "active");
  await service.inside(honest, ann, agent(52));
  await expect.poll(() => valuesOf(honest, ann), { timeout: 120_000, interval: 1000 }).toContain(52);
});

it("nothing of it is left", async () => {
  await service.empty([ann, eve]);
  await nothingLeft(lab);
});
