// SIGTERM under load: no request is cut, no launch is lost. The real program, with clients that launch and read until
// nobody listens any more:
//
// - `keeping`: keep their connection.
// - `heeding`: make a new connection each time, as long as the server says it is ready, as load balancers do.
// - `careless`: make new connections to the end. The kernel takes connections for us; one that it took in the very moment
//   in which we stop listening is reset before we have seen it. That cannot be helped, and must have had no effect.

import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { ExactClient, type Outcome } from "../support/exact-client.ts";
import { type Lessor, startLessor } from "../support/lessor.ts";
import { startedOnce } from "../support/started-once.ts";

const clientsOfEachKind = 4;
const drainDelaySeconds = 1;

interface Cut {
  readonly at: number;
  readonly why: string;
  readonly send: string;
}

interface Launch {
  readonly key: string;
  readonly outcome: Outcome;
}

const place = "Marketplace (variant M)";
const order = { instance_type_name: "gpu_1x_a6000", region_name: "any", ssh_key_names: [], quantity: 1 };

const kinds = ["keeping", "heeding", "careless"] as const;
type Kind = (typeof kinds)[number];

/** Sends again and again until nobody listens, or `enough` says so. Gives when (performance.now) and why it was cut. */
async function load(kind: Kind, send: (client: ExactClient) => Promise<Outcome>, enough = () => false): Promise<Cut[]> {
  const client = new ExactClient({ keepAlive: kind === "keeping" });
  const cut: Cut[] = [];
  while (!enough()) {
    const outcome = await send(client);
    if (outcome.kind === "cut") cut.push({ at: performance.now(), why: outcome.why, send: send.name });
    if (outcome.kind === "refused") break;
  }
  client.close();
  return cut;
}

function idOf({ outcome }: Launch): string | undefined {
  if (outcome.kind !== "answered" || outcome.status !== 200) return undefined;
  const { data } = JSON.parse(outcome.text) as { data: { uuid: string } }; // as the document says
  return data.uuid;
}

async function listed(lessor: Lessor, token: string): Promise<{ id: string; status: string }[]> {
  const answer = await fetch(`${lessor.shown(place)}/instances`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { data: { id: string; status: string }[] }).data;
}

it("a server that is stopped under load cuts no request and loses no launch", async () => {
  const { directory, customerToken: token } = await startedOnce();
  const settings = join(directory, "settings.yaml");
  writeFileSync(settings, `drain_delay_seconds: ${drainDelaySeconds}\nsimulated: { boot_seconds: [0.2, 3] }\n`);
  const env = { LESSOR_CONFIG: settings, LESSOR_LOG_LEVEL: "warn" };
  const lessor = await startLessor(directory, env);
  const authorization = { authorization: `Bearer ${token}` };
  const base = lessor.shown(place) ?? "";

  const launches: Launch[] = [];
  const reads: Outcome[] = [];
  const readiness: Outcome[] = [];
  const launch = async (client: ExactClient): Promise<Outcome> => {
    const key = randomUUID();
    const headers = { ...authorization, "idempotency-key": key };
    const outcome = await client.send(`${base}/instance-operations/launch`, { method: "POST", headers, body: order });
    launches.push({ key, outcome });
    // So that there is room until the end.
    await sleep(60);
    return outcome;
  };
  const read = async (client: ExactClient): Promise<Outcome> => {
    const outcome = await client.send(`${base}/instance-types`, { headers: authorization });
    reads.push(outcome);
    return outcome;
  };
  const look = async (client: ExactClient): Promise<Outcome> => {
    const outcome = await client.send(new URL("/readyz", base).href);
    readiness.push(outcome);
    await sleep(20);
    return outcome;
  };
  const toldToStop = () => readiness.some((one) => one.kind === "answered" && one.status === 503);
  const cuts = kinds.map(async (kind) => {
    const enough = kind === "heeding" ? toldToStop : () => false;
    const clients = Array.from({ length: clientsOfEachKind }, () => [
      load(kind, launch, enough),
      load(kind, read, enough),
    ]);
    return [kind, (await Promise.all(clients.flat())).flat()] as const;
  });
  const looking = load("careless", look);

  await expect.poll(() => Math.min(launches.length / 2, reads.length), { timeout: 30_000 }).toBeGreaterThan(30);
  const began = performance.now();
  const code = await lessor.end("SIGTERM");
  const seconds = (performance.now() - began) / 1000;
  await looking;
  const sinceSignal = ({ at, ...cut }: Cut) => ({ ...cut, ms: Math.round(at - began) });
  const cutOf = Object.fromEntries((await Promise.all(cuts)).map(([kind, cut]) => [kind, cut.map(sinceSignal)]));

  expect(code, lessor.output()).toBe(0);
  expect(seconds).toBeLessThan(10 + drainDelaySeconds);
  expect(cutOf).toMatchObject({ keeping: [], heeding: [] });
  // Each can meet that moment once.
  expect(cutOf.careless?.length).toBeLessThanOrEqual(2 * clientsOfEachKind);

  // Not ready first, while everything was still served.
  const statuses = readiness.map((one) => (one.kind === "answered" ? one.status : one.kind));
  expect(statuses.slice(0, statuses.indexOf(503)).every((status) => status === 200)).toBe(true);
  expect(statuses).toContain(503);
  const answered = reads.filter((one) => one.kind === "answered");
  expect(answered.filter(({ status }) => status !== 200)).toEqual([]);

  const acknowledged = launches.flatMap((one) => idOf(one) ?? []);
  expect(acknowledged.length).toBeGreaterThan(20);
  const again = await startLessor(directory, env);
  await expect
    .poll(async () => new Set((await listed(again, token)).map(({ status }) => status)), {
      timeout: 60_000,
      interval: 100,
    })
    .toEqual(new Set(["active"]));
  expect((await listed(again, token)).map(({ id }) => id).sort()).toEqual(acknowledged.sort());

  const some = launches.filter((one) => idOf(one) !== undefined).slice(-5);
  const client = new ExactClient({ keepAlive: true });
  for (const one of some) {
    const headers = { ...authorization, "idempotency-key": one.key };
    const url = `${again.shown(place)}/instance-operations/launch`;
    const outcome = await client.send(url, { method: "POST", headers, body: order });
    expect(idOf({ key: one.key, outcome })).toBe(idOf(one));
  }
  client.close();
}, 180_000);
