// Lessor, nova-api, the conductor and computes are killed at random moments while instances are launched and terminated.
// Afterwards the cloud has what the database says, no more and no less, and no customer has lost anything.
//
// LESSOR_TEST_SEED=… runs what failed again, as far as the moments are concerned.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { anySeed, seeded } from "../support/random.ts";
import type { Shown } from "../support/service/service.ts";
import { madeIn, startService } from "./ground.ts";
import { type StartedLab, startLab } from "./lab/lab.ts";

/** For each round what is killed in it. */
const victims = ["lessor", "nova-api", "nova-conductor", "nova-compute-gpu1", "nova-compute-gpu2"] as const;
const kills = 10;

let started: StartedLab;

beforeAll(async () => {
  started = await startLab({ bus: "rabbit", log: (line) => process.stderr.write(`lab: ${line}\n`) });
});
afterAll(() => started?.stop());

it(`after ${kills} kills at random moments the cloud has what the database says, and nothing is lost`, async () => {
  const { lab } = started;
  const random = seeded(anySeed());
  process.stdout.write(`kills by LESSOR_TEST_SEED=${random.seed}\n`);
  const service = await startService(lab, "visible");
  const ann = await service.customer("ann");
  const listed = () => service.control<Shown[]>("GET", "/instances");
  // As a program of a customer does: while no host is known to be up, there is no capacity.
  const launch = async () => {
    for (const end = performance.now() + 120_000; ; await sleep(500)) {
      try {
        return await service.launch(ann);
      } catch (error) {
        if (performance.now() > end || !String(error).includes("insufficient-capacity")) throw error;
      }
    }
  };
  const told: string[] = [];
  for (let round = 0; round < kills; round++) {
    const standing = (await listed()).filter(({ status }) => status === "active" || status === "stopped");
    const [launched = ""] = await launch();
    if (standing.length > 2) {
      const [first, second] = standing.map(({ id }) => id);
      await service.change(
        ann,
        "terminate",
        [first, second].filter((id) => id !== undefined),
      );
    }
    const moment = random.below(6000);
    await sleep(moment);
    const victim = victims[round % victims.length] ?? "lessor";
    told.push(`${moment} ms into the launch of ${launched}: ${victim}`);
    if (victim === "lessor") await service.crash();
    else {
      await lab.kill(victim);
      await sleep(random.below(2000));
      await lab.start(victim);
    }
  }
  const story = `seed ${random.seed}\n${told.join("\n")}\n`;
  process.stdout.write(story);
  await lab.hostsAreUp();
  const settled = { timeout: 280_000, interval: 500, message: story };
  const changing = async () =>
    (await listed())
      .filter(({ status, health }) => !["active", "stopped", "terminated"].includes(status) || health === "unreachable")
      .map(({ id, status, progress, health }) => [id, status, health, progress]);
  await expect.poll(changing, settled).toEqual([]);

  const shown = await listed();
  const failed = shown.filter(({ failure }) => failure !== null);
  expect(failed, story).toEqual([]);
  const standing = shown.filter(({ status }) => status !== "terminated").map(({ id }) => `lessor-${id}`);
  expect(standing.length, story).toBeGreaterThan(0);
  await expect.poll(() => madeIn(lab), settled).toEqual({ servers: standing.sort(), ports: standing.sort() });
  await service.empty([ann]);
  await expect.poll(() => madeIn(lab), settled).toEqual({ servers: [], ports: [] });
}, 900_000);
