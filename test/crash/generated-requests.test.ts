// A hundred thousand requests to each interface, generated from its own document: valid ones, near ones, ones with a
// broken field, at the bounds, hostile in body, header, path and method. None makes a 5xx, every answer is one that the
// document knows, nothing of another account changes or shows, and in the end all books agree.
//
// LESSOR_TEST_SEED=<number> repeats a run; a request that went wrong is printed as a line for a shell.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Vocabulary } from "../conformance/arbitrary-requests.ts";
import { Client, expectManners } from "../conformance/client.ts";
import { publishedOperations } from "../conformance/published.ts";
import { auditCapacity } from "../support/audit.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import type { CallResult } from "../support/http.ts";
import { expectDocumented } from "../support/openapi.ts";
import { fc } from "../support/properties.ts";
import { anySeed } from "../support/random.ts";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { figure } from "./figures.ts";
import { type Fleet, operatorToken, startFleet } from "./fleet.ts";
import { eachOf } from "./persistent-client.ts";
import { wireRequests } from "./requests/arbitrary-wire-requests.ts";
import { digestOf, makeTwoAccounts, secretWord, type TwoAccounts, tidy } from "./requests/two-accounts.ts";
import { curlLine, Sender, type WireRequest } from "./requests/wire-request.ts";
import { atRest } from "./verdict.ts";

const perInterface = extent(100_000, 500);
/** So many are made and sent, then the world is tidied up. */
const part = extent(1_000, 250);
const connections = 24;
const seed = anySeed();
/** More are not told. */
const enough = 20;

/** A terminated instance is soon off the lists, which would be long otherwise. */
const settings = { limits: { terminated_visible_seconds: 1 } };

interface Sending {
  readonly requests: fc.Arbitrary<WireRequest>;
  /** Whether Eve's objects may be seen: by an operator only. */
  readonly seesAll: boolean;
}

describe.each(["marketplace", "direct", "reference", "control"] as const)("requests generated for %s", (name) => {
  const whenOver = afterFile();
  let fresh: FreshDatabase;
  let fleet: Fleet;
  let accounts: TwoAccounts;
  let client: Client;

  beforeAll(async () => {
    fresh = await freshDatabase();
    whenOver(() => fresh.close());
    fleet = await startFleet({ databaseUrl: fresh.url, servers: 1, settings, whenOver });
    accounts = await makeTwoAccounts(fleet, fresh.db);
    client = await Client.open(fleet.one(0).bases);
  });

  /** As Ada, who tries Eve's identifiers too; and, where there is something for operators, as one who does not know them. */
  function sendings(): Sending[] {
    const operations = publishedOperations(client, name);
    const everything = new Vocabulary(() => [...accounts.words, ...accounts.evesWords]);
    const own = new Vocabulary(() => accounts.words);
    const asAda = { requests: wireRequests(operations, everything, accounts.ada.token), seesAll: false };
    if (name !== "control") return [asAda];
    const asOperator = { requests: wireRequests(operations, own, operatorToken), seesAll: true };
    // Most of this interface is refused to Ada.
    return [asOperator, asAda, asOperator];
  }

  it(`never make a 5xx or an answer that the document does not know, and touch nobody else's (${perInterface}, seed ${seed})`, async () => {
    const base = fleet.one(0).bases[name];
    const sender = new Sender(base, connections);
    const before = await digestOf(fresh.db, accounts.eve);
    const wrong: string[] = [];
    const statuses = new Map<number, number>();
    const begun = performance.now();
    const ways = sendings();
    let sent = 0;
    for (let round = 0; sent < perInterface && wrong.length < enough; round++) {
      const way = ways[round % ways.length];
      if (way === undefined) throw new Error("BUG: the remainder is in the list");
      const batch = fc.sample(way.requests, { numRuns: Math.min(part, perInterface - sent), seed: seed + round });
      await eachOf(batch, connections, async (request) => {
        const problem = await sender.send(request).then(
          (answer) => {
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            return problemOf(request, answer, way);
          },
          (error: unknown) => `no answer: ${error}`,
        );
        if (problem !== undefined) wrong.push(`${problem}\n    ${curlLine(base, request)}`);
      });
      sent += batch.length;
      await tidy(fleet, fresh.db, accounts);
    }
    const seconds = (performance.now() - begun) / 1000;
    await sender.close();
    const shares = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    figure(`answers of ${name} that are wrong (5xx, not as documented, another account's)`, {
      reached: wrong.length,
      toReach: 0,
      of: `${sent} generated requests in ${Math.round(seconds)} s, seed ${seed}; ${shares.join(", ")}`,
    });
    expect(wrong.slice(0, enough).join("\n")).toBe("");
    await atRest(fresh.db, 60);
    expect(await digestOf(fresh.db, accounts.eve), "what is Eve's").toBe(before);
    await auditCapacity(fresh.db);
    const good = [...statuses].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0);
    expect(good, "requests that got through").toBeGreaterThan(sent / 20);
  });

  function problemOf(request: WireRequest, answer: CallResult, { seesAll }: Sending): string | undefined {
    const what = `${request.method} ${request.path.slice(0, 200)}`;
    if (answer.status >= 500) return `${what}: ${answer.status} ${answer.text}`;
    if (!seesAll && answer.text.includes(secretWord))
      return `${what} shows what is Eve's: ${answer.text.slice(0, 500)}`;
    try {
      if (request.documented) {
        expectDocumented(client.documents[name], request.method, request.path, answer.status, answer.body);
      } else if (request.method !== "OPTIONS") expect(answer.status, what).toBeGreaterThanOrEqual(400);
      expectManners(what, answer);
    } catch (error) {
      return error instanceof Error ? `${answer.status} ${error.message.slice(0, 1000)}` : String(error);
    }
    return undefined;
  }

  // What the server said of its own defects helps whoever reads the failure.
  afterAll(() => {
    const lines = fleet?.replicas[0]?.output.split("\n") ?? [];
    const defects = lines.filter((line) => line.includes('"request failed"')).slice(0, 5);
    const lastWords = fleet?.replicas[0]?.isUp === false ? ["the server has ended:", ...lines.slice(-30)] : [];
    if (defects.length + lastWords.length > 0) process.stderr.write(`${[...defects, ...lastWords].join("\n")}\n`);
  });
});
