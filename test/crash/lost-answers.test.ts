// The answer to a launch is lost: the connection is cut at some point of the exchange, often after the commit and before
// the client has heard. The client repeats with its Idempotency-Key, at the same server, at another, or at another
// after the first was killed in that moment, and hears the first answer; there is one instance.

import { sql } from "kysely";
import { beforeAll, describe, expect, it } from "vitest";
import { type VariantFacts, variants } from "../conformance/variants.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { type CallResult, call } from "../support/http.ts";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { type Cut, cuttingProxy, parsedAnswer } from "./cutting-proxy.ts";
import { figure } from "./figures.ts";
import { type Customer, type Fleet, furnish, gpuType, startFleet } from "./fleet.ts";
import { persistently, substance } from "./persistent-client.ts";
import { atRest, whatIsWrong } from "./verdict.ts";

const times = extent(200, 8);
const servers = 2;
/** How often the first server is killed when its answer is lost; it takes a second or two to start another. */
const killEvery = extent(10, 4);

const whenOver = afterFile();
let fresh: FreshDatabase;
let fleet: Fleet;
let ada: Customer;

beforeAll(async () => {
  fresh = await freshDatabase();
  whenOver(() => fresh.close());
  fleet = await startFleet({ databaseUrl: fresh.url, servers, whenOver });
  await furnish(fleet, { hosts: 16, gpusPerHost: 64 });
  ada = await fleet.customer("ada");
});

/** Most cuts are where the answer is known to the server and to nobody else. */
function randomCut(): Cut {
  const dice = Math.random();
  if (dice < 0.2) return { within: "request", share: Math.random() };
  return { within: "answer", share: dice < 0.6 ? 0 : Math.random() * 0.99 };
}

interface Outcome {
  readonly id: string;
  /** Whether the server had answered, and nobody heard. */
  readonly lost: boolean;
}

/** One launch whose answer is lost, and its repetitions. */
async function launchWithLostAnswer(variant: VariantFacts, index: number, isKilled: boolean): Promise<Outcome> {
  const first = fleet.replicas[index % servers];
  const other = fleet.replicas[(index + 1) % servers];
  if (first === undefined || other === undefined) throw new Error("BUG: the remainder is in the list");
  const key = `${variant.name}-${index}`;
  const body = variant.launch.body({ type: gpuType, name: key });
  const cut: Cut = isKilled ? { within: "answer", share: 0 } : randomCut();
  let killing: Promise<void> | undefined;
  const kill = () => {
    killing = first.kill();
  };
  const proxy = await cuttingProxy(first.bases[variant.name], cut, isKilled ? kill : undefined);
  const unheard = await call("POST", `${proxy.url}${variant.launch.path}`, {
    token: ada.token,
    body,
    // A connection of its own: the proxy is for one.
    headers: { "idempotency-key": key, connection: "close" },
  }).then(
    ({ text }) => text,
    () => undefined,
  );
  proxy.close();
  expect(unheard, "the client heard nothing").toBeUndefined();
  await killing;

  const again = async (replica: typeof first): Promise<CallResult> => {
    const url = `${replica.bases[variant.name]}${variant.launch.path}`;
    return (await persistently({ url: () => url, token: ada.token, body, key })).answer;
  };
  const replica = isKilled || index % 2 === 0 ? other : first;
  const answer = await again(replica);
  expect(answer.status, answer.text).toBe(variant.launch.status);
  const lost = parsedAnswer(await proxy.heard);
  if (lost !== undefined) {
    expect(substance(answer)).toBe(`${lost.status} ${lost.text}`);
    expect(answer.headers.get("idempotency-replayed")).toBe("true");
  }
  expect(substance(await again(other))).toBe(substance(answer));
  if (isKilled) await first.restart();
  expect(substance(await again(first))).toBe(substance(answer));
  const [id] = variant.launch.ids(answer.body);
  return { id: String(id), lost: lost !== undefined };
}

const outcomes: Outcome[] = [];

describe.each(variants)("a launch in $name whose answer is lost", (variant) => {
  it(`is answered the same when it is repeated with its key, and there is one instance (${times} times)`, async () => {
    const own: Outcome[] = [];
    let killed = 0;
    for (let index = 0; index < times; index++) {
      const isKilled = index % killEvery === killEvery - 1;
      if (isKilled) killed += 1;
      own.push(await launchWithLostAnswer(variant, index, isKilled));
    }
    outcomes.push(...own);
    await atRest(fresh.db, 60);
    const wrong = await whatIsWrong(fresh.db, { launched: outcomes.map(({ id }) => id), terminated: [] });
    const { rows: doubled } = await sql`select name from instances group by name having count(*) > 1`.execute(fresh.db);
    figure(`launches in ${variant.name} that were lost or doubled after a lost answer`, {
      reached: wrong.length + doubled.length,
      toReach: 0,
      of:
        `${times} connections cut at a random point, ${own.filter(({ lost }) => lost).length} of them after the commit; ` +
        `each repeated 3 times on ${servers} servers; the first server killed ${killed} times`,
    });
    expect(wrong).toEqual([]);
    expect(doubled).toEqual([]);
    expect(own.filter(({ lost }) => lost).length).toBeGreaterThan(times / 3);
  });
});

describe.each(variants)("a client of $name without a key", (variant) => {
  it("finds by the name it gave what it was not told of", async () => {
    const replica = fleet.one(0);
    const name = `unheard-of-${variant.name}`;
    const proxy = await cuttingProxy(replica.bases[variant.name], { within: "answer", share: 0 });
    const body = variant.launch.body({ type: gpuType, name });
    const launch = call("POST", `${proxy.url}${variant.launch.path}`, { token: ada.token, body });
    await expect(launch).rejects.toThrow();
    const lost = parsedAnswer(await proxy.heard);
    const { body: list } = await call("GET", `${replica.bases[variant.name]}${variant.list.path}`, {
      token: ada.token,
    });
    const entries = variant.list.entries(list) as Record<string, unknown>[];
    const found = entries.filter((entry) => entry.name === name).map((entry) => entry[variant.list.idField]);
    expect(found).toHaveLength(1);
    expect(lost?.text).toContain(String(found[0]));
  });
});
