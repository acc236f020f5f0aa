// A lab: the control plane of an OpenStack (Zed), real but for its hosts, for tests of what runs on a real cloud.
//
// The lab is not in this process: `labOf` gives the same lab to any process that knows its slot. What began it owns it,
// and a guardian removes it when that process is gone, however it ended.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bringUp } from "../../support/lab/bring-up.ts";
import { cleanAbandonedLabs } from "../../support/lab/clean.ts";
import { installPackages, refuseMachine } from "../../support/lab/packages.ts";
import { Api, type ApiRequest, type ApiResponse, type ApiService, adminCredentials, type Credentials } from "./api.ts";
import { cloudNames, writeClouds } from "./clouds.ts";
import { writeSettings } from "./configuration/write.ts";
import { installDatabase, makeSchemas, startDatabase } from "./databases.ts";
import { type Bus, type HostLayout, hosts, type Layout, openStackLabs, urlOf } from "./layout.ts";
import { endProcess, signalProcess } from "./processes.ts";
import { aggregates, hostsAreUp, names, passwordOf, type Seed, seedCatalog, seedCloud } from "./seed.ts";
import { endService, servicesOf, startService, startServices } from "./services.ts";
import { type Kept, snapshotFile, takeSnapshot, unpackSnapshot } from "./snapshot.ts";
import { orphans, wipe } from "./wipe.ts";

/** What another process needs to get at the lab. */
export interface LabFacts {
  readonly slot: number;
}

/** Who asks: the cloud's administrator, or the member of a project who sees no hosts. */
export type Caller = "admin" | "tenant";

export interface Lab extends LabFacts {
  readonly bus: Bus;
  /** Of Keystone, with its version. */
  readonly authUrl: string;
  /** Of a service, without its version, as this machine reaches it. */
  url(service: ApiService): string;
  /** A clouds.yaml; the entries of it are called `clouds`. */
  readonly cloudsFile: string;
  readonly clouds: typeof cloudNames;
  readonly hosts: readonly HostLayout[];
  /** Aggregates of hosts by name, each with its availability zone. */
  readonly aggregates: typeof aggregates;
  /** Of the image, the networks, the project of the tenant, the smallest flavor. */
  readonly names: typeof names;
  readonly ids: Seed;
  /** What `restart` and `kill` know. */
  readonly services: readonly string[];
  /** Asks a service as it is; `path` after the version: "/servers/detail". Tells every status. */
  request(service: ApiService, path: string, request?: ApiRequest, caller?: Caller): Promise<ApiResponse>;
  /** A token that lives an hour. */
  token(caller?: Caller): Promise<string>;
  /** Ends it in order and starts it again. Returns when it is ready. */
  restart(service: string): Promise<void>;
  /** kill -9. It stays away until `start`. */
  kill(service: string): Promise<void>;
  /** Returns when it is ready. Nothing to do where it runs. */
  start(service: string): Promise<void>;
  /** Returns when Nova says of all hosts that they are up. */
  hostsAreUp(): Promise<void>;
  /** Makes all as it was at the start: services, hosts, no servers, ports, groups, volumes. */
  wipe(): Promise<void>;
  /** What tests have left, a line for each. */
  orphans(): Promise<string[]>;
}

/** The lab in that slot, which runs. */
export function labOf({ slot }: LabFacts): Lab {
  const layout = openStackLabs.layoutOf(slot);
  const { bus, ...ids }: Kept & { readonly bus: Bus } = JSON.parse(readFileSync(layout.factsFile, "utf8"));
  const services = servicesOf(layout, bus).map(({ name }) => name);
  const { tenant } = ids;
  const callers: Record<Caller, Api> = {
    admin: new Api(layout, adminCredentials),
    tenant: new Api(layout, passwordOf(tenant.userId, tenant.password, tenant.projectId)),
  };
  const start = (name: string) => startService(layout, bus, name);
  return {
    slot,
    bus,
    authUrl: `${urlOf(layout, "identity")}/v3`,
    url: (service) => urlOf(layout, service),
    cloudsFile: layout.cloudsFile,
    clouds: cloudNames,
    hosts,
    aggregates,
    names,
    ids,
    services,
    request: (service, path, request, caller = "admin") => callers[caller].request(service, path, request),
    token: (caller = "admin") => callers[caller].token(),
    restart: async (name) => {
      await endService(layout, bus, name, "SIGTERM");
      await start(name);
    },
    kill: (name) => endService(layout, bus, name, "SIGKILL"),
    start,
    hostsAreUp: () => hostsAreUp(callers.admin),
    wipe: async () => {
      for (const name of services) await start(name);
      await hostsAreUp(callers.admin);
      await wipe(callers.admin, ids);
    },
    orphans: () => orphans(callers.admin),
  };
}

export interface StartedLab {
  readonly lab: Lab;
  /** Removes all of it. Once is enough, twice does no harm. */
  stop(): Promise<void>;
}

/** The libraries, which have all of the services; the packages of the daemons would set up a machine. */
const packages = [
  ...["python3-keystone", "python3-glance", "python3-placement", "python3-nova", "python3-neutron", "python3-cinder"],
  ...["python3-pymysql", "python3-waitress", "mariadb-server-core", "mariadb-client-core", "iproute2", "zstd"],
];

export interface LabOptions {
  /** Told, line by line, what takes long. */
  readonly log: (line: string) => void;
  /** Default: "memory". */
  readonly bus?: Bus;
}

/**
 * Brings up a lab, after removing those that killed runs have left. Throws where the machine is not fit for it; then
 * nothing is left behind.
 */
export async function startLab({ log, bus = "memory" }: LabOptions): Promise<StartedLab> {
  refuseMachine({ command: "npm run test:openstack", starts: "the services of an OpenStack" });
  await installPackages(bus === "rabbit" ? [...packages, "rabbitmq-server"] : packages, log, { daemons: "none" });
  await cleanAbandonedLabs(openStackLabs, log);
  const snapshot = await snapshotFile(packages);
  const guardian = join(import.meta.dirname, "guardian.ts");
  const { layout, stop } = await bringUp(openStackLabs, guardian, async (lab) => {
    writeSettings(lab, bus);
    const api = new Api(lab, adminCredentials);
    if (await unpackSnapshot(lab, bus, snapshot)) {
      await startServices(lab, bus);
      await hostsAreUp(api);
    } else {
      log(`building ${snapshot}`);
      await build(lab, bus, snapshot);
    }
    const kept: Kept = JSON.parse(readFileSync(lab.factsFile, "utf8"));
    writeFileSync(lab.factsFile, JSON.stringify({ ...kept, bus }));
    writeClouds(lab, kept.tenant);
  });
  return { lab: labOf(layout), stop };
}

/** Brings it up from nothing and keeps it in the file. */
async function build(layout: Layout, bus: Bus, snapshot: string): Promise<void> {
  await installDatabase(layout);
  await startDatabase(layout);
  await makeSchemas(layout);
  await startService(layout, bus, "keystone");
  await seedCatalog(layout);
  await startServices(layout, bus);
  const seed = await seedCloud(layout);
  const { address, images } = layout;
  writeFileSync(layout.factsFile, JSON.stringify({ ...seed, address, images } satisfies Kept));
  // They wait where they are, since without the database each would complain and some would give up.
  const others = servicesOf(layout, bus).flatMap(({ name }) => (name === "mariadb" ? [] : [name]));
  for (const name of others) signalProcess(layout, name, "SIGSTOP");
  await endProcess(layout, "mariadb", "SIGTERM");
  await takeSnapshot(layout, snapshot);
  await startDatabase(layout);
  for (const name of others) signalProcess(layout, name, "SIGCONT");
  await hostsAreUp(new Api(layout, adminCredentials));
}

export type { ApiRequest, ApiResponse, ApiService, Credentials };
