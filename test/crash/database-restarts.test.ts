// PostgreSQL is killed and started again every few seconds while two servers launch and terminate thousands of
// instances for clients that repeat with an Idempotency-Key whatever was not answered. In the end there is exactly what
// the clients were told, and the servers have never ended.

import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { type VariantFacts, variants } from "../conformance/variants.ts";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { figure } from "./figures.ts";
import { type Customer, type Fleet, furnish, gpuType, startFleet } from "./fleet.ts";
import { type KillableDatabase, startKillableDatabase } from "./killable-database.ts";
import { spread } from "./percentile.ts";
import { eachOf, type Heard, persistently, substance, type Wanted } from "./persistent-client.ts";
import { atRest, countMakings, whatIsWrong } from "./verdict.ts";

const launches = extent(5000, 90);
/** Four of five are terminated again, so that room comes back and goes. */
const staysEvery = 5;
const killEveryMs = extent(5000, 2000);
/** One of each kind. */
const leastKills = 2;
/** Few, so that it takes many kills. */
const atOnce = extent(12, 4);
const servers = 2;
/** An account, or a load balancer in front, waits no longer. */
const servesAgainWithinMs = 5_000;

const whenOver = afterFile();
let database: KillableDatabase;
let fleet: Fleet;
let customers: Customer[];

beforeAll(async () => {
  database = await startKillableDatabase(whenOver);
  fleet = await startFleet({ databaseUrl: database.url, servers, whenOver });
  await furnish(fleet, { hosts: Math.ceil(launches / 64), gpusPerHost: 64 });
  await countMakings(database.db);
  customers = await Promise.all(["ada", "bob", "eve", "kim"].map((name) => fleet.customer(name)));
});

interface Story {
  readonly variant: VariantFacts;
  readonly launch: Wanted;
  readonly launched: Heard;
  readonly id: string;
  /** Undefined: it stays. */
  readonly terminate: Wanted | undefined;
  readonly terminated: Heard | undefined;
}

describe(`${launches} launches and their terminations while PostgreSQL is killed every ${killEveryMs} ms`, () => {
  it("end in exactly what the clients were told", async () => {
    const stories: Story[] = [];
    const restarts = new Restarts();
    const killing = restarts.goOn();
    try {
      await eachOf(
        asManyAsItTakes(() => restarts.count >= leastKills && stories.some(isUnclear)),
        atOnce,
        async (index) => {
          const story = await live(index);
          stories.push(story);
          // A client may ask again at any time, and hears the same.
          if (index % 7 === 0) await expectSameAgain(story);
        },
      );
    } finally {
      restarts.enough();
      await killing;
    }
    await atRest(database.db, 120);
    await eachOf(stories, atOnce, expectSameAgain);

    const launched = stories.map(({ id }) => id);
    const terminated = stories.filter((story) => story.terminated !== undefined).map(({ id }) => id);
    const wrong = await whatIsWrong(database.db, { launched, terminated });
    const heard = stories.flatMap(({ launched, terminated }) => [launched, ...(terminated ? [terminated] : [])]);
    const sum = (count: (one: Heard) => number) => heard.reduce((total, one) => total + count(one), 0);
    figure("lost, doubled or wrong after killed databases", {
      reached: wrong.length,
      toReach: 0,
      of:
        `${heard.length} launches and terminations, ${sum((one) => one.attempts)} attempts, ${sum((one) => one.unclear)} of ` +
        `them with an unknown end, ${restarts.count} kills of PostgreSQL, ${servers} servers`,
    });
    figure("a server answers again, from when PostgreSQL does", {
      reached: spread(restarts.serveAgainMs),
      toReach: `p99 under ${servesAgainWithinMs} ms`,
      of: `PostgreSQL itself was away for ${spread(restarts.awayMs)}`,
    });
    expect(wrong).toEqual([]);
    expect(fleet.replicas.every((replica) => replica.isUp)).toBe(true);
    expect(restarts.count).toBeGreaterThanOrEqual(leastKills);
    expect(sum((one) => one.unclear)).toBeGreaterThan(0);
    expect(Math.max(...restarts.serveAgainMs)).toBeLessThan(servesAgainWithinMs);
  });
});

/** At least `launches`; more where a fast machine is done with them before kills of PostgreSQL cut off enough of them. */
function* asManyAsItTakes(isEnough: () => boolean): Generator<number> {
  for (let index = 0; index < launches || !isEnough(); index++) yield index;
}

function isUnclear({ launched, terminated }: Story): boolean {
  return launched.unclear + (terminated?.unclear ?? 0) > 0;
}

/** One launch and, of most, the termination; each as often as it takes. */
async function live(index: number): Promise<Story> {
  const variant = variants[index % variants.length];
  const customer = customers[index % customers.length];
  if (variant === undefined || customer === undefined) throw new Error("BUG: the remainder is in the list");
  const wanted = (what: string, path: string, body: object): Wanted => ({
    url: (attempt) => `${fleet.one(index + attempt).bases[variant.name]}${path}`,
    token: customer.token,
    body,
    key: `${what}-${index}`,
  });
  const launch = wanted("launch", variant.launch.path, variant.launch.body({ type: gpuType, name: `n-${index}` }));
  const launched = await persistently(launch);
  expect(launched.answer.status, launched.answer.text).toBe(variant.launch.status);
  const [id] = variant.launch.ids(launched.answer.body);
  if (typeof id !== "string") throw new Error(`no id in ${launched.answer.text}`);
  const { terminate: operation } = variant.wishes;
  if (operation === undefined || index % staysEvery === 0) {
    return { variant, launch, launched, id, terminate: undefined, terminated: undefined };
  }
  // Some at once, some when they may be up.
  if (index % 3 !== 0) await sleep(Math.random() * 500);
  const terminate = wanted("terminate", operation.path, { [operation.ids]: [id] });
  const terminated = await persistently(terminate);
  expect(terminated.answer.status, terminated.answer.text).toBe(operation.status);
  return { variant, launch, launched, id, terminate, terminated };
}

async function expectSameAgain({ launch, launched, terminate, terminated }: Story): Promise<void> {
  expect(substance((await persistently(launch)).answer)).toBe(substance(launched.answer));
  if (terminate === undefined || terminated === undefined) return;
  expect(substance((await persistently(terminate)).answer)).toBe(substance(terminated.answer));
}

/** Kills the database again and again, by turns at once and in good order, and measures until everybody is back. */
class Restarts {
  readonly awayMs: number[] = [];
  readonly serveAgainMs: number[] = [];
  readonly #enough = new AbortController();

  get count(): number {
    return this.awayMs.length;
  }

  enough(): void {
    this.#enough.abort();
  }

  async goOn(): Promise<void> {
    for (;;) {
      await sleep(killEveryMs, undefined, { signal: this.#enough.signal }).catch(() => {});
      if (this.#enough.signal.aborted) return;
      const killed = await database.kill(this.count % 2 === 0 ? "SIGKILL" : "SIGINT");
      const back = await database.back();
      this.awayMs.push(back - killed);
      await Promise.all(fleet.replicas.map((_, index) => this.#servesAgain(index, back)));
    }
  }

  async #servesAgain(index: number, since: number): Promise<void> {
    while ((await fleet.replicas[index]?.readiness()) !== 200) await sleep(5);
    this.serveAgainMs.push(performance.now() - since);
  }
}
