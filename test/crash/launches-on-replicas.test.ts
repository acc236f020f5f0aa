// Everybody at once, on several servers: 600 launches on room for 200, through three processes on one database and all
// public interfaces. Exactly 200 get through each time, all of them become active, and all can be given back.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { variants } from "../conformance/variants.ts";
import { auditCapacity } from "../support/audit.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { type CallResult, call } from "../support/http.ts";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { figure } from "./figures.ts";
import { type Customer, type Fleet, furnish, gpuType, startFleet } from "./fleet.ts";
import { atRest, whatIsWrong } from "./verdict.ts";

const hosts = extent(25, 8);
const gpusPerHost = 8;
const room = hosts * gpusPerHost;
const launches = 3 * room;
const servers = 3;
const runs = extent(20, 1);

const whenOver = afterFile();
let fresh: FreshDatabase;
let fleet: Fleet;
let customers: Customer[];
const launchedEver: string[] = [];

beforeAll(async () => {
  fresh = await freshDatabase();
  whenOver(() => fresh.close());
  fleet = await startFleet({ databaseUrl: fresh.url, servers, whenOver });
  await furnish(fleet, { hosts, gpusPerHost });
  customers = await Promise.all(["ada", "bob", "eve", "kim"].map((name) => fleet.customer(name)));
});

const successes: number[] = [];
afterAll(() =>
  figure("launches that got through", {
    reached: [...new Set(successes)].join(", "),
    toReach: room,
    of: `${successes.length} runs of ${launches} launches on room for ${room}, through ${servers} servers and ${variants.length} interfaces`,
  }),
);

/** One launch: by its number another server, interface and account than its neighbors'. */
async function launch(index: number): Promise<{ answer: CallResult; ids: unknown[] }> {
  const variant = variants[Math.floor(index / servers) % variants.length];
  const customer = customers[index % customers.length];
  if (variant === undefined || customer === undefined) throw new Error("BUG: the remainder is in the list");
  const url = `${fleet.one(index).bases[variant.name]}${variant.launch.path}`;
  const answer = await call("POST", url, { token: customer.token, body: variant.launch.body({ type: gpuType }) });
  return { answer, ids: answer.status < 300 ? variant.launch.ids(answer.body) : [] };
}

async function terminateEverything(): Promise<void> {
  for (const [index, { token }] of customers.entries()) {
    const { direct } = fleet.one(index).bases;
    const list = await call("GET", `${direct}/instance`, { token });
    const { runningInstances } = list.body as { runningInstances: { uuid: string }[] };
    const body = { instanceUuids: runningInstances.map(({ uuid }) => uuid) };
    const { status, text } = await call("POST", `${direct}/instance/terminate`, { token, body });
    expect(status, text).toBe(202);
  }
}

describe(`${launches} launches at once on room for ${room}, through ${servers} servers`, () => {
  it.each(Array.from({ length: runs }, (_, index) => index + 1))(
    "are exactly as many successes as there is room for (run %i)",
    async () => {
      const outcomes = await Promise.all(Array.from({ length: launches }, (_, index) => launch(index)));
      const good = outcomes.filter(({ answer }) => answer.status === 200 || answer.status === 202);
      const refused = outcomes.filter(({ answer }) => answer.text.includes("launch/insufficient-capacity"));
      successes.push(good.length);
      expect({ good: good.length, refused: refused.length }).toEqual({ good: room, refused: launches - room });
      await auditCapacity(fresh.db);

      const terminated = [...launchedEver];
      launchedEver.push(...outcomes.flatMap(({ ids }) => ids.map(String)));
      await atRest(fresh.db, 60);
      expect(await whatIsWrong(fresh.db, { launched: launchedEver, terminated })).toEqual([]);

      await terminateEverything();
      await atRest(fresh.db, 60);
      expect(await whatIsWrong(fresh.db, { launched: launchedEver, terminated: launchedEver })).toEqual([]);
      const free = await fresh.db.selectFrom("gpu_pools").select(["free", "total"]).execute();
      expect(free.every((pool) => pool.free === pool.total)).toBe(true);
    },
  );
});
