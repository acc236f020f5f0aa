// A spot instance that is evicted, with a real guest: what is in the guest while the notice runs, that it is shut down, and
// that the launch it was evicted for gets its place. The same on a cluster and on virtual machines.

import { expect } from "vitest";
import { preemptionFile, preemptionText } from "../../../src/rules/spot.ts";
import type { Service } from "./service.ts";

interface Launch {
  /** Once it is placed. */
  readonly instance_ids: readonly string[];
}

interface Evictable {
  readonly id: string;
  readonly evict_at: string | null;
}

/** Long enough for a guest in emulation to be told, and to shut down. */
export const noticeSeconds = 75;

/** `places`: of the instance type, which has a spot price, as many as there are. The service gives notice of `noticeSeconds`. */
export async function evictOne(service: Service, instanceType: string, places: number): Promise<void> {
  const [ann, bob] = [await service.customer("ann"), await service.customer("bob")];
  const url = `${service.urls.control}/instances`;
  const order = { instance_type: instanceType, region: "lab", ssh_key_names: ["key"] };
  const cheap = { ...order, spot: true, quantity: places };
  const { data: spot } = (await service.call("POST", url, ann.token, cheap)) as { data: { id: string }[] };
  for (const { id } of spot) await service.until(id, "active");

  const until = new Date(Date.now() + 3_600_000).toISOString();
  const waits = await service.call("POST", url, bob.token, { ...order, wait: { until } });
  const { launch } = (waits as { data: { launch: { id: string } } }).data;
  const noticed = async () => {
    const all = await service.control<Evictable[]>("GET", "/instances");
    return all.find((one) => one.evict_at !== null);
  };
  await expect.poll(noticed, { timeout: 30_000, interval: 200 }).toBeDefined();
  const { id = "", evict_at: at = null } = (await noticed()) ?? {};
  const told = () => service.ssh(id, { key: ann.key.file, command: `cat ${preemptionFile}` });
  await expect
    .poll(async () => (await told()).stdout, { timeout: 30_000, interval: 500 })
    .toBe(preemptionText(new Date(at ?? 0)));
  expect(await service.inside(id, ann, `stat -c %a ${preemptionFile}`)).toBe("644\n");

  // Thirty seconds before its end its guest shuts down, as for a stop.
  expect(Date.parse(at ?? "") - Date.now()).toBeGreaterThan(30_000);
  await service.until(id, "stopped", 90);
  expect(Date.now()).toBeLessThan(Date.parse(at ?? ""));
  expect(await service.until(id, "terminated", 120)).toMatchObject({ ended_by: "preempted" });
  const placed = async () => {
    const answer = await service.call("GET", `${service.urls.control}/launches/${launch.id}`, bob.token);
    return (answer as { data: Launch }).data.instance_ids[0];
  };
  await expect.poll(placed, { timeout: 60_000, interval: 200 }).toBeDefined();
  await service.until((await placed()) ?? "", "active");
  await service.empty([ann, bob]);
}
