// kill -9 of the real program right before and right after each request that changes the cloud, in a life of an instance on
// OpenStack: another program takes over, and then the cloud has what the instance says, and the bill is its lifetime.
// openstack-steps.test.ts does the same inside one process, at reads and steps too; this shows that it may. On the fake
// cloud, whose requests are counted. LESSOR_TEST_ONLY is a regular expression for the titles of the kills.

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { deleteFileSystem } from "../../src/rental/file-systems/file-systems.ts";
import type { InstanceAction, State } from "../../src/rules/lifecycle.ts";
import { booksDisagree } from "../support/books.ts";
import { gpuClass } from "../support/fake-openstack/hosts.ts";
import { type Lessor, spawnEntry } from "../support/lessor.ts";
import { spansDisagree } from "../support/lifetimes.ts";
import { anySeed, seeded } from "../support/random.ts";
import { isShort } from "../support/short.ts";
import { Stage } from "../support/stage.ts";
import { storiesDisagree } from "../support/stories.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { makeWorld } from "../support/world.ts";
import { figure } from "./figures.ts";
import { cloudDisagreesOnOne } from "./openstack/cloud-disagrees.ts";
import { type Cut, Cutting, cutsAt } from "./openstack/cutting.ts";
import { asNew, beginCloud, type Cloud, furnish } from "./openstack/life.ts";

/** So many programs, databases and clouds at once. */
const LANES = 2;

/** So many kills in a short run. */
const SHORT = 3;

const entry = resolve(import.meta.dirname, "steps/program.ts");

interface Lane {
  readonly stage: Stage;
  readonly cloud: Cloud;
  /** The settings of the programs. */
  readonly file: string;
}

/** After the launch; undefined: nothing. */
const phases: readonly (readonly [action: InstanceAction | undefined, ends: State])[] = [
  [undefined, "active"],
  ["stop", "stopped"],
  ["restart", "active"],
  ["terminate", "terminated"],
];

it("a program killed at any change of the cloud leaves nothing behind that another does not put right", async () => {
  const random = seeded(anySeed());
  const first = await openLane();
  const undisturbed = await live(first, undefined);
  expect(undisturbed.wrong).toEqual([]);
  const only = new RegExp(process.env.LESSOR_TEST_ONLY ?? "");
  const all = cutsAt(undisturbed.passed).filter(({ request, when }) => !/ GET /.test(request) && when !== "late");
  const kills = (isShort ? random.shuffled(all).slice(0, SHORT) : all).filter((one) => only.test(titleOf(one)));
  const queue = [...kills];
  const wrong: string[] = [];
  const missed: string[] = [];
  const work = async (open: () => Promise<Lane>) => {
    let lane: Lane | undefined;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      lane ??= await open();
      const title = titleOf(next);
      const lived = await live(lane, next).catch((error: unknown) => broken(error));
      wrong.push(...lived.wrong.map((line) => `${title}: ${line}`));
      if (!lived.died) missed.push(title);
      // What is wrong once would be found again with every kill that follows.
      if (lived.wrong.length > 0) lane = undefined;
    }
  };
  await Promise.all([work(async () => first), ...Array.from({ length: LANES - 1 }, () => work(openLane))]);
  figure("requests to OpenStack at which the program was killed", {
    reached: kills.length - missed.length,
    toReach: isShort ? "some" : all.length,
    of: `seed ${random.seed}`,
  });
  figure("lost, doubled, left over or wrongly billed after them", { reached: wrong.length, toReach: 0 });
  expect(wrong).toEqual([]);
  expect(missed).toEqual([]);
});

/** One that could not be lived to its end is wrong, and does not keep the others from theirs. */
function broken(error: unknown): Awaited<ReturnType<typeof live>> {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { passed: [], died: true, wrong: [words] };
}

function titleOf({ request, when }: Cut): string {
  return `${when} ${request}`;
}

async function openLane(): Promise<Lane> {
  const stage = new Stage(await makeWorld());
  await stage.empty();
  const cloud = await beginCloud();
  await furnish(stage, cloud);
  const directory = await temporaryDirectory();
  const { fake, credential, door } = cloud;
  const auth = {
    auth_url: fake.authUrl,
    application_credential_id: credential.id,
    application_credential_secret: credential.secret,
  };
  // JSON is YAML.
  await writeFile(join(directory, "clouds.yaml"), JSON.stringify({ clouds: { fake: { auth } } }), { mode: 0o600 });
  const settings = {
    openstack: [
      {
        ...{ name: "cloud", clouds_file: "clouds.yaml", cloud: "fake", flavors: "created", poll_seconds: 1 },
        regions: { north: { network: "rent", floating_network: "public" } },
        gpus: { [gpuClass]: { model: "h200_sxm5", memory_gib: 141 } },
        images: { "debian-12": { name: "Debian 12" } },
        ssh_probe: { port: door.port },
        management_networks: ["127.0.0.0/8"],
      },
    ],
    reconciler: { lease_seconds: 1 },
  };
  const file = join(directory, "lessor.yaml");
  await writeFile(file, JSON.stringify(settings));
  return { stage, cloud, file };
}

/** A whole life with a program, and from its death on with another. */
async function live({ stage, cloud, file }: Lane, kill: Cut | undefined) {
  const { world, db } = stage;
  asNew(cloud);
  const start = async () =>
    spawnEntry(entry, await temporaryDirectory(), {
      DATABASE_URL: world.url,
      LESSOR_ENCRYPTION_KEY: "07".repeat(32), // as the world's
      LESSOR_CONFIG: file,
      LESSOR_DEMO: "0",
      LESSOR_LOG_LEVEL: "warn",
    });
  let program: Lessor | undefined;
  const cutting = new Cutting(cloud.fake, kill, () => void program?.process.kill("SIGKILL"));
  const principal = await world.account();
  const fileSystem = await world.fileSystem(principal, { sizeGb: 10 });
  const order = { instanceType: "small", fileSystemNames: [fileSystem.name], envVars: { WORD: "a secret" } };
  const { id } = await world.launchOne(principal, order).catch(async (error: unknown) => {
    const hosts = await db.selectFrom("hosts").select(["name", "mode", "available", "free_vcpus"]).execute();
    throw new Error(`no launch on ${JSON.stringify(hosts)}`, { cause: error });
  });
  program = await start();

  /** By the program that lives. */
  const until = async (isThere: () => Promise<boolean>): Promise<boolean> => {
    for (const end = performance.now() + 180_000; performance.now() < end; await pause(20)) {
      if (await isThere()) return true;
      if (program?.process.signalCode === "SIGKILL") program = await start();
      else if (typeof program?.process.exitCode === "number") break;
    }
    return false;
  };
  const wrong: string[] = [];
  const rest = async (state: State, fileSystemId: string | undefined) => {
    let found = ["it was never looked at"];
    const isThere = async () => {
      const row = await stage.row(id);
      if (row.state !== state || row.next_look_at !== null) return false;
      found = cloudDisagreesOnOne(cloud, { ...row, fileSystemId }, true);
      return found.length === 0;
    };
    if (await until(isThere)) return true;
    const { state: now, progress, failure_code } = await stage.row(id);
    wrong.push(`it is ${now} (${progress}, ${failure_code}) and not ${state}: ${found}\n${program?.output()}`);
    return false;
  };
  const play = async () => {
    for (const [action, ends] of phases) {
      if (action !== undefined) await world.change(principal, action, [id]);
      if (!(await rest(ends, fileSystem.id))) return;
    }
    await world.tx((tx) => deleteFileSystem(tx, principal, fileSystem.id));
    await rest("terminated", undefined);
  };
  await play();
  const removed = async () => (await sql`select from removed_file_systems`.execute(db)).rows.length === 0;
  if (!(await until(removed))) wrong.push("a removal of a file system has no end");
  if (program.process.signalCode === null && program.process.exitCode === null) await program.end("SIGTERM");
  else if (program.process.exitCode === null) await once(program.process, "exit").catch(() => {});
  cloud.fake.requests.length = 0;
  const books = await Promise.all([booksDisagree(db), spansDisagree(db), storiesDisagree(db)]);
  return { passed: cutting.passed, died: cutting.isCut, wrong: [...wrong, ...books.flat()] };
}
