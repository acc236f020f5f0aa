// Runs full resyncs of a cloud on the database of a service, and its parts by themselves, and reports how long each took,
// how many requests it made, and the longest block of the event loop in it. Run as: resync-program.ts <database url>
// <settings as JSON> <times>

import { monitorEventLoopDelay } from "node:perf_hooks";
import { connect } from "../../../src/database/connect.ts";
import { OpenStackEngine } from "../../../src/engines/openstack/engine.ts";
import { resolveOpenStack } from "../../../src/engines/openstack/settings/settings.ts";
import { createLog } from "../../../src/log.ts";
import { startReconciler } from "../../../src/reconciler/reconciler.ts";
import { KeyRing } from "../../../src/secrets/key-ring.ts";
import { installationOf } from "../../../src/startup/installation.ts";
import { type ApiRequest, observeRequests } from "../../service/api-requests.ts";

export interface Timed {
  readonly seconds: number;
  readonly blockedMs: number;
  readonly requests: readonly ApiRequest[];
}

export interface ResyncReport {
  readonly resync: Timed;
  /** What a resync calls of the engine. */
  readonly hosts: Timed;
  readonly list: Timed;
  /** The polls of changes meanwhile. */
  readonly polls: readonly ApiRequest[];
}

type CloudItem = NonNullable<Parameters<typeof resolveOpenStack>[0]>[number];

/** The interval of the monitor, in milliseconds: shorter delays are no block. */
const RESOLUTION_MS = 1;

/** A resync asks for changes by pages. */
const isPoll = ({ query }: ApiRequest) =>
  query === "?limit=1" || (query.includes("changes-since=") && !query.includes("limit="));

async function measure(databaseUrl: string, settings: CloudItem, times: number): Promise<ResyncReport[]> {
  const requests: ApiRequest[] = [];
  observeRequests((request) => requests.push(request));
  const db = connect({ url: databaseUrl });
  const [one] = resolveOpenStack([settings], { name: "lessor.yaml", directory: process.cwd() });
  if (one === undefined) throw new Error("BUG: no cloud");
  const engine = new OpenStackEngine(one, await installationOf(db));
  const reconciler = await startReconciler({
    db,
    databaseUrl,
    engines: new Map([[engine.name, engine]]),
    // Decrypts nothing: nothing is launched.
    keyRing: new KeyRing([Buffer.alloc(32, 7)]),
    settings: {
      concurrency: 1,
      leaseSeconds: 5,
      bootDeadlineSeconds: 600,
      sweepSeconds: 3600,
      limitCheckSeconds: 3600,
    },
    log: createLog("silent"),
  });
  const timed = async (work: () => Promise<unknown>): Promise<Timed> => {
    const from = requests.length;
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    const begun = performance.now();
    await work();
    const seconds = (performance.now() - begun) / 1000;
    delay.disable();
    const sent = requests.slice(from).filter((request) => !isPoll(request));
    return { seconds, blockedMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS), requests: sent };
  };
  const { signal } = new AbortController();
  // The first one is also the reconciler's own.
  await reconciler.sweepNow();
  await reconciler.sweepNow();
  const reports: ResyncReport[] = [];
  for (let i = 0; i < times; i++) {
    const from = requests.length;
    const resync = await timed(() => reconciler.sweepNow());
    const hosts = await timed(() => engine.hosts(signal));
    const list = await timed(() => engine.list(signal));
    reports.push({ resync, hosts, list, polls: requests.slice(from).filter(isPoll) });
  }
  await reconciler.stop();
  await engine.close();
  await db.destroy();
  return reports;
}

const [databaseUrl, settings, times] = process.argv.slice(2);
if (databaseUrl !== undefined && settings !== undefined) {
  process.stdout.write(JSON.stringify(await measure(databaseUrl, JSON.parse(settings), Number(times))));
}
