// QEMU, libvirtd and the service are killed at random moments while machines are launched and terminated. Afterwards the
// hosts have what the database says, no more and no less, and nobody has lost anything.
//
// LESSOR_TEST_SEED=… runs what failed again, as far as the moments are concerned.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject, it } from "vitest";
import { anySeed, type Random, seeded } from "../support/random.ts";
import type { Service, Shown } from "../support/service/service.ts";
import { extent } from "../support/short.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, hostsWith, startService } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const kills = extent(8, 4);

it(`after ${kills} kills at random moments the hosts have what the database says, and nothing is lost`, async () => {
  const random = seeded(anySeed());
  const told: string[] = [];
  process.stdout.write(`kills by LESSOR_TEST_SEED=${random.seed}\n`);
  // There is room while one of them is away.
  const hosts = hostsWith(lab, { vcpus: 5, memory_gib: 5, storage_gb: 40, gpus: [] });
  const service = await startService(lab, { engine: { hosts } });
  const ann = await service.customer("ann");
  const listed = () => service.control<Shown[]>("GET", "/instances");
  for (let round = 0; round < kills; round++) {
    // What stands from the rounds before is terminated while the next one is made.
    const standing = (await listed()).filter(({ status }) => status === "active" || status === "stopped");
    const [launched = ""] = await service.launch(ann, { env_vars: { ROUND: `${round}` } });
    if (standing.length > 2)
      await service.change(
        ann,
        "terminate",
        standing.slice(0, 2).map(({ id }) => id),
      );
    const moment = random.below(5000);
    await sleep(moment);
    // Each kind in turn, so that none is left out.
    const killed = await kill(["lessor", "libvirtd", "qemu"][round % 3] ?? "", service, random);
    told.push(`${moment} ms into the launch of ${launched}: ${killed}`);
  }
  const story = `seed ${random.seed}\n${told.join("\n")}\n`;
  process.stdout.write(story);
  const underWay = async () =>
    (await listed())
      .filter(({ status, health }) => !["active", "stopped", "terminated"].includes(status) || health === "unreachable")
      .map(({ id, status, progress, health }) => [id, status, health, progress]);
  await expect.poll(underWay, { timeout: 400_000, interval: 200, message: story }).toEqual([]);

  // Nobody's launch failed because of it, and the hosts say the same as the database.
  const shown = await listed();
  expect(
    shown.filter(({ failure }) => failure !== null),
    story,
  ).toEqual([]);
  const standing = shown.filter(({ status }) => status !== "terminated");
  expect(standing.length, story).toBeGreaterThan(0);
  const expected = standing.map(
    ({ id, host, status }) => `${host} ${id} ${status === "active" ? "running" : "shut off"}`,
  );
  expect(await onHosts(), story).toEqual(expected.sort());

  // Who was stopped by a kill comes back, and every machine is whole.
  const stopped = standing.filter(({ status }) => status === "stopped").map(({ id }) => id);
  if (stopped.length > 0) await service.change(ann, "restart", stopped);
  for (const { id, ip } of standing) {
    expect(await service.until(id, "active")).toMatchObject(stopped.includes(id) ? {} : { ip });
    expect(await service.inside(id, ann, "grep -c ROUND .env; hostname"), story).toMatch(/^1\nsmall-[0-9a-f]{8}\n$/);
  }
  await service.empty([ann]);
  // Proofs too: of one that was cut off the service clears away what is left once it is surely over.
  await expect.poll(() => lab.leftovers(), { timeout: 120_000, interval: 1000, message: story }).toEqual([]);
});

/** By a guest of its own the service proves, when it starts and when a daemon is back, that a host runs machines. */
function isProof(name: string): boolean {
  return name.includes("lessor-proof-");
}

/** Kills one, and brings what does not come back by itself; gives what it was. */
async function kill(kind: string, service: Service, random: Random): Promise<string> {
  if (kind === "lessor") {
    await service.crash();
    return "lessor";
  }
  const { name: host } = random.one(lab.hosts);
  if (kind === "libvirtd") {
    await lab.killDaemon(host);
    await sleep(random.below(2000));
    await lab.startDaemon(host);
    return `libvirtd of ${host}`;
  }
  const running = lab.hosts.flatMap(({ name }) => lab.qemuPids(name)).filter(({ domain }) => !isProof(domain));
  if (running.length === 0) return "no QEMU, for there was none";
  const { domain, pid } = random.one(running);
  process.kill(pid, "SIGKILL");
  return `QEMU of ${domain}`;
}

/** "host id state" of every machine there. */
async function onHosts(): Promise<string[]> {
  const lists = lab.hosts.map(async ({ name }) => {
    const ids = [...(await lab.virsh(name, ["list", "--all", "--name"])).matchAll(/^lessor-(?!proof-)(\S+)$/gm)];
    return Promise.all(
      ids.map(async ([domain, id]) => `${name} ${id} ${(await lab.virsh(name, ["domstate", domain])).trim()}`),
    );
  });
  return (await Promise.all(lists)).flat().sort();
}
