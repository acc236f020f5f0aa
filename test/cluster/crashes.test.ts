// The service is killed, with its database, at random moments while machines are launched and terminated. Afterwards
// the cluster has what the database says, no more and no less.

import { expect, inject, it } from "vitest";
import type { Shown } from "../support/service/service.ts";
import { extent } from "../support/short.ts";
import { labOf } from "./lab/lab.ts";
import { startService } from "./service.ts";

const lab = labOf(inject("lab"));
const kills = extent(10, 3);

it(`after ${kills} kills at random moments the cluster's list is the database's list`, async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  const moments: number[] = [];
  for (let round = 0; round < kills; round++) {
    // What stands from the rounds before is terminated while the next are made. A request that is cut off by the crash
    // has either happened or not, and both are right.
    const standing = (await service.control<Shown[]>("GET", "/instances")).filter(({ status }) => status === "active");
    await service.launch(ann, { quantity: 2, env_vars: { ROUND: `${round}` } });
    if (standing.length > 0)
      await service.change(
        ann,
        "terminate",
        standing.slice(0, 2).map(({ id }) => id),
      );
    const moment = Math.round(Math.random() * 6000);
    moments.push(moment);
    await new Promise((resolve) => setTimeout(resolve, moment));
    await service.crash();
  }
  const settled = async () => {
    const shown = await service.control<Shown[]>("GET", "/instances");
    return shown
      .filter(({ status }) => status !== "active" && status !== "terminated")
      .map(({ id, progress }) => [id, progress]);
  };
  await expect.poll(settled, { timeout: 400_000, interval: 500, message: `killed at ${moments}` }).toEqual([]);
  const shown = await service.control<Shown[]>("GET", "/instances");
  const active = shown.filter(({ status }) => status === "active");
  expect(active.length, `killed at ${moments}`).toBeGreaterThan(0);
  // No launch failed because of a crash.
  expect(shown.filter(({ failure }) => failure !== null)).toEqual([]);
  expect(await onCluster()).toEqual(active.map(({ id, host }) => `${id},${host},RUNNING`).sort());
  for (const { id } of active) expect(await service.inside(id, ann, "grep -c ROUND .env")).toBe("1\n");
  await service.empty([ann]);
  expect(await onCluster()).toEqual([]);
});

/** "id,member,state" of everything there. */
async function onCluster(): Promise<string[]> {
  const lines = (await lab.lxc(["list", "--format", "csv", "--columns", "nLs"])).trim().split("\n");
  return lines
    .filter((line) => line !== "")
    .map((line) => line.replace(/^lessor-/, ""))
    .sort();
}
