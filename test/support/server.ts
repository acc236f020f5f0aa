// The whole service in this process, composed as src/server.ts composes it (simulated engine, the reconciler, HTTP), on a
// fresh database and free ports. For tests of the service from the outside; who needs no machines that really come up
// takes http.ts or control.ts, who needs a process of its own takes lessor.ts.
//
//   const server = await startServer();                       // in beforeAll; server.close() in afterAll
//   const token = await server.customerToken("acme");
//   await fetch(`${server.url}/api/v1/instance`, { headers: { authorization: `Bearer ${token}` } });
//   await server.reconciler.idle();                           // instead of sleeping: all that was due is done
//
// Machines boot and halt in some milliseconds, and no sweep comes by itself (`server.reconciler.sweepNow()`), and
// no look at spend limits and lifetimes after the first.

import { type Config, loadConfig } from "../../src/config.ts";
import { type Database, inTransaction } from "../../src/database/connect.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { createSimulatedEngine, type SimulatedEngine } from "../../src/engines/simulated/index.ts";
import type { SimulatedDurations } from "../../src/engines/simulated/settings.ts";
import { createHttp } from "../../src/http/server.ts";
import { createLog } from "../../src/log.ts";
import { type Reconciler, type ReconcilerSettings, startReconciler } from "../../src/reconciler/index.ts";
import { createAccount, createToken, findAccount } from "../../src/rental/accounts/index.ts";
import { CapacityCache } from "../../src/rental/capacity/cache.ts";
import type { Scope, Service } from "../../src/rental/service.ts";
import { KeyRing } from "../../src/secrets/key-ring.ts";
import { freshDatabase } from "./database.ts";
import { forOneAddress } from "./limits.ts";

export interface ServerOptions {
  /** Over the defaults. */
  readonly config?: Partial<Config>;
  /** How quick machines are. */
  readonly machines?: Partial<SimulatedDurations>;
  readonly reconciler?: Partial<ReconcilerSettings>;
  /** Gets the log's lines. */
  readonly log?: { write(line: string): void };
}

export interface RunningServer {
  /** The main port. */
  readonly url: string;
  /** The reference interface, at the root of its own port. */
  readonly referenceUrl: string;
  /** The lambda edition, on that port too. */
  readonly lambda: string;
  /** The interfaces of the main port, with their prefixes. */
  readonly marketplace: string;
  readonly direct: string;
  readonly control: string;
  /** A token with every scope. */
  readonly operatorToken: string;
  readonly db: Database;
  readonly databaseUrl: string;
  readonly service: Service;
  readonly engine: SimulatedEngine;
  readonly reconciler: Reconciler;
  /** A new token for the account of this name, which is made if there is none; `read` and `write` unless told. */
  customerToken(accountName: string, scopes?: readonly Scope[]): Promise<string>;
  close(): Promise<void>;
}

const quick = { bootSeconds: [0, 0.01], stopSeconds: [0, 0.01], seed: 1 } as const;

export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const fresh = await freshDatabase();
  const { db } = fresh;
  const env = { LESSOR_PORT: "0", LESSOR_REFERENCE_PORT: "0" };
  const defaults = loadConfig({ env, cwd: import.meta.dirname });
  const limits = forOneAddress(defaults.limits);
  const simulated = { name: "simulated", ...quick, ...options.machines } as const;
  const config: Config = {
    ...defaults,
    limits,
    engines: [{ kind: "simulated", settings: simulated }],
    ...options.config,
  };
  const log = createLog(options.log === undefined ? "silent" : "info", options.log);
  const keyRing = new KeyRing([Buffer.alloc(32, 7)]);
  const engine = createSimulatedEngine({ db, settings: simulated });
  const engines = new Map<string, Engine>([[engine.name, engine]]);
  const service: Service = {
    keyRing,
    limits: { ...config.limits, limitCheckSeconds: config.reconciler.limitCheckSeconds },
    capacity: new CapacityCache(db),
    webhooks: config.webhooks,
  };
  const hostRegistries = new Map([[engine.name, engine.hostRegistry]]);
  const httpParts = { config, db, databaseUrl: fresh.url, service, log, hostRegistries, engines };
  const http = await createHttp({ ...httpParts, readiness: { state: "ready" }, drainSeconds: 5 });
  const addresses = await http.listen();
  const never = { sweepSeconds: 3600, limitCheckSeconds: 3600 };
  const settings = { ...config.reconciler, deliveries: config.webhooks, ...never, ...options.reconciler };
  const reconciler = startReconciler({ db, databaseUrl: fresh.url, engines, keyRing, settings, log });
  const url = addresses.get("main") ?? "";
  const customerToken = (name: string, scopes: readonly Scope[] = ["read", "write"]) => tokenFor(db, name, scopes);
  return {
    url,
    referenceUrl: addresses.get("reference") ?? "",
    lambda: `${addresses.get("reference") ?? ""}/api/v1`,
    marketplace: `${url}/api/vm_marketplace`,
    direct: `${url}/api/v1`,
    control: `${url}/control/v1`,
    operatorToken: await customerToken("operator", ["read", "write", "operator"]),
    db,
    databaseUrl: fresh.url,
    service,
    engine,
    reconciler,
    customerToken,
    async close() {
      await http.close();
      await reconciler.stop();
      await engine.close();
      await fresh.close();
    },
  };
}

function tokenFor(db: Database, name: string, scopes: readonly Scope[]): Promise<string> {
  return inTransaction(db, async (tx) => {
    const quotas = { instances: 1000, gpus: 1000, vcpus: 20_000, ssh_keys: 100, file_systems: 100 };
    const account = (await findAccount(tx, name)) ?? (await createAccount(tx, { name, quotas }));
    const made = await createToken(tx, { accountId: account.id, name: "test", scopes, expiresAt: null });
    return made.token;
  });
}
