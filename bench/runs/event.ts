// `event`: the time from the commit of an event to a reader of a stream, to a webhook's target, and to the screen of one
// account's console, with 1,000 streams open. Commits are timed by the database, arrivals by the clocks of this process and
// of the browser's page, on the same machine. Readers of all streams of an account count, so a reader that is served late
// counts too.

import { createServer, get as request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { launchChromium } from "../../test/support/chromium.ts";
import type { Bench } from "../bench.ts";
import { missingConsole } from "../browser/page.ts";
import { shown } from "../output.ts";
import type { Service } from "../service/service.ts";
import { type Figure, figureOf, percentile } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import type { Customer } from "../worlds/customers.ts";
import { cleared, settled } from "../worlds/settle.ts";
import { type Commit, commitsSince, trackCommits } from "./commits.ts";
import { openList, waitsOnScreen } from "./event-screen.ts";
import { spreadOnMain } from "./launching.ts";

/** 1,024 in all, with that of the console: as many as a token, and an account, may have open. */
const [accounts, tokensEach, streamsOfToken] = [16, 8, 8];
const everyMs = 50;

/** When an event came to somebody, in milliseconds since 1970. */
interface Arrival {
  readonly event: string;
  readonly at: number;
}

export async function event(bench: Bench): Promise<Result> {
  const missing = missingConsole();
  if (missing !== undefined) return { name: "event", missing };
  const { service, customers } = await bench.stage("main");
  await trackCommits(service);
  const those = customers.slice(0, accounts);
  await using ends = new AsyncDisposableStack();
  const streamed: Arrival[] = [];
  const [watched] = those;
  if (watched === undefined) throw new Error("BUG: a world without customers");
  const screen = ends.use(await openList(ends.use(await launchChromium()), service, watched));
  for (const customer of those) await openStreams(service, customer, customer === watched, streamed, ends);
  const delivered: Arrival[] = [];
  await receive(service, those, delivered, ends);
  const seconds = bench.effort.launchSeconds * 2;
  const rounds: Record<"streams" | "webhooks" | "screen", readonly number[]>[] = [];
  for (let round = 0; round <= bench.effort.rounds; round++) {
    streamed.length = 0;
    delivered.length = 0;
    await screen.takeRows();
    const commits = await launchCalmly(service, those, seconds);
    // The first round only warms up.
    if (round > 0) {
      const own = commits.filter(({ accountId }) => accountId === watched.accountId);
      rounds.push({
        streams: waits(streamed, commits),
        webhooks: waits(delivered, commits),
        screen: waitsOnScreen(own, await screen.takeRows()),
      });
    }
    await cleared(service, those);
  }
  const of = (kind: "streams" | "webhooks" | "screen", percent: number): Figure =>
    figureOf(rounds.map((one) => percentile(one[kind], percent)));
  return {
    name: "event",
    figures: {
      "stream, p99": of("streams", 99),
      "webhook, p99": of("webhooks", 99),
      "screen, p99": of("screen", 99),
    },
    notes: [
      `${accounts * tokensEach * streamsOfToken} streams of ${accounts} accounts, one webhook each; a launch every ${everyMs} ms; p50 ${shown(of("streams", 50).median)}, ${shown(of("webhooks", 50).median)} and ${shown(of("screen", 50).median)} ms`,
      `screen: the list of instances of one of the accounts, which has ${rounds.map(({ screen: { length } }) => length).join(", ")} changes of state in a round; no throttling`,
    ],
  };
}

/** The commits of the events of launches for some seconds. */
async function launchCalmly(
  service: Service,
  customers: readonly Customer[],
  seconds: number,
): Promise<readonly Commit[]> {
  const [before] = await service.query<{ now: string }>("select clock_timestamp()::text as now");
  const launches = spreadOnMain(customers);
  for (let sent = 0; sent < (seconds * 1000) / everyMs; sent++) {
    const { headers, path, body } = launches[sent % launches.length] ?? {};
    const token = headers?.authorization?.slice("Bearer ".length) ?? "";
    await service.call("POST", path ?? "", token, JSON.parse((body ?? "").replaceAll("{#}", `${sent}`)));
    await sleep(everyMs);
  }
  await settled(service);
  // What is on its way.
  await sleep(1000);
  return commitsSince(service, before?.now ?? "");
}

/** Milliseconds of each arrival. */
function waits(arrivals: readonly Arrival[], commits: readonly Commit[]): number[] {
  const committedAt = new Map(commits.map(({ id, at: commit }) => [id, commit]));
  const found = arrivals.flatMap(({ event, at }) => {
    const commit = committedAt.get(event);
    return commit === undefined ? [] : [at - commit];
  });
  if (found.length === 0) throw new Error("no event arrived");
  return found;
}

const now = (): number => performance.timeOrigin + performance.now();

async function openStreams(
  service: Service,
  { accountId }: Customer,
  hasConsole: boolean,
  arrivals: Arrival[],
  ends: AsyncDisposableStack,
): Promise<void> {
  for (let number = 0; number < tokensEach; number++) {
    const order = { name: `streams-${number}`, scopes: ["read"] };
    const { token } = (await service.control("POST", `/accounts/${accountId}/tokens`, order)) as { token: string }; // documented so
    const count = hasConsole && number === 0 ? streamsOfToken - 1 : streamsOfToken;
    for (let stream = 0; stream < count; stream++) await openStream(service.url, token, arrivals, ends);
  }
}

async function openStream(url: string, token: string, arrivals: Arrival[], ends: AsyncDisposableStack): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { authorization: `Bearer ${token}` };
  const sent = request(`${url}/control/v1/events/stream`, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200) return reject(new Error(`a stream was refused: ${response.statusCode}`));
    response.setEncoding("utf8");
    response.once("data", () => resolve());
    response.on("data", (text: string) => {
      for (const [, event = ""] of text.matchAll(/^data: \{"id":"([^"]+)"/gm)) arrivals.push({ event, at: now() });
    });
    response.on("error", () => {}); // its end is ours
  });
  sent.on("error", reject);
  ends.defer(() => void sent.destroy());
  await promise;
}

/** A webhook of each customer, all with one target here. */
async function receive(
  service: Service,
  customers: readonly Customer[],
  arrivals: Arrival[],
  ends: AsyncDisposableStack,
): Promise<void> {
  const target = createServer((incoming, response) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    incoming.on("end", () => {
      const at = now();
      response.writeHead(204).end();
      const { id } = JSON.parse(text) as { id: string }; // as webhooks are documented
      arrivals.push({ event: id, at });
    });
  });
  target.listen(0, "127.0.0.1");
  await new Promise((resolve) => target.once("listening", resolve));
  ends.defer(() => {
    target.closeAllConnections();
    target.close();
  });
  const { port } = target.address() as AddressInfo; // it listens on TCP
  for (const { token } of customers) {
    const made = await service.call("POST", "/control/v1/webhooks", token, { url: `http://127.0.0.1:${port}/` });
    const { id } = made as { id: string }; // documented so
    ends.defer(async () => void (await service.call("DELETE", `/control/v1/webhooks/${id}`, token)));
  }
}
