// Runs full resyncs of a cloud on the database of a service, and its parts by themselves, and reports how long each took,
// how many requests it made, and the longest block of the event loop in it. Run as: resync-program.ts <database url>
// <settings as JSON> <times>

import { connect } from "../../../src/database/connect.ts";
import { OpenStackEngine } from "../../../src/engines/openstack/engine.ts";
import { resolveOpenStack } from "../../../src/engines/openstack/settings/settings.ts";
import { installationOf } from "../../../src/startup/installation.ts";
import { type ApiRequest, observeRequests } from "../../service/api-requests.ts";
import { startResyncs, type Timed, timed } from "../../service/resync.ts";

export interface Requesting extends Timed {
  readonly requests: readonly ApiRequest[];
}

export interface ResyncReport {
  readonly resync: Requesting;
  /** What a resync calls of the engine. */
  readonly hosts: Requesting;
  readonly list: Requesting;
  /** The polls of changes meanwhile. */
  readonly polls: readonly ApiRequest[];
}

type CloudItem = NonNullable<Parameters<typeof resolveOpenStack>[0]>[number];

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
  const reconciler = startResyncs(db, databaseUrl, engine);
  const observed = async (work: () => Promise<unknown>): Promise<Requesting> => {
    const from = requests.length;
    const took = await timed(work);
    return { ...took, requests: requests.slice(from).filter((request) => !isPoll(request)) };
  };
  const { signal } = new AbortController();
  // The first one is also the reconciler's own.
  await reconciler.sweepNow();
  await reconciler.sweepNow();
  const reports: ResyncReport[] = [];
  for (let i = 0; i < times; i++) {
    const from = requests.length;
    const resync = await observed(() => reconciler.sweepNow());
    const hosts = await observed(() => engine.hosts(signal));
    const list = await observed(() => engine.list(signal));
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
