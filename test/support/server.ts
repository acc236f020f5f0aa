// The whole service in this process, as src/composition.ts composes it, on a fresh database and free ports. For tests of the service from the outside; who needs no machines that really come up
// takes http.ts or control.ts, who needs a process of its own takes lessor.ts.
//
//   const server = await startServer();                       // in beforeAll; server.close() in afterAll
//   const token = await server.customerToken("acme");
//   await fetch(`${server.url}/api/v1/instance`, { headers: { authorization: `Bearer ${token}` } });
//   await server.reconciler.idle();                           // instead of sleeping: all that was due is done
//
// Machines boot and halt in some milliseconds, and no sweep comes by itself (`server.reconciler.sweepNow()`), and
// no look at spend limits and lifetimes after the first.

import { compose } from "../../src/composition.ts";
import { type Config, loadConfig } from "../../src/config.ts";
import type { Database } from "../../src/database/connect.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import { SimulatedEngine } from "../../src/engines/simulated/engine.ts";
import type { SimulatedDurations } from "../../src/engines/simulated/settings.ts";
import type { DemoLinks } from "../../src/http/api/context.ts";
import { createLog } from "../../src/log.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import type { ReconcilerSettings } from "../../src/reconciler/settings.ts";
import { createAccount, findAccount } from "../../src/rental/accounts/account-store.ts";
import { createToken } from "../../src/rental/accounts/token-store.ts";
import type { Scope, Service } from "../../src/rental/service.ts";
import { freshDatabase } from "./database.ts";
import { testKeyRing } from "./key-ring.ts";
import { forOneAddress } from "./limits.ts";

export interface ServerOptions {
  /** Over the defaults. */
  readonly config?: Partial<Config>;
  /** How quick machines are. */
  readonly machines?: Partial<SimulatedDurations>;
  readonly reconciler?: Partial<ReconcilerSettings>;
  /** Where sign-in links are shown. */
  readonly demoLinks?: DemoLinks;
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

/** At once, so that what an action begins is over when the reconciler is idle. */
const quick = { bootSeconds: [0, 0], stopSeconds: [0, 0], seed: 1 } as const;

/** Discards bodies that are too large without the pace of production, which unread-bodies.test.ts tests. */
const unreadBodies = { bytesPerSecond: 1024 ** 3 } as const;

export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const fresh = await freshDatabase();
  const { db, url: databaseUrl } = fresh;
  const env = { LESSOR_PORT: "0", LESSOR_REFERENCE_PORT: "0" };
  const defaults = loadConfig({ env, cwd: import.meta.dirname });
  const limits = forOneAddress(defaults.limits);
  const settings = { name: "simulated", ...quick, ...options.machines } as const;
  const config: Config = { ...defaults, limits, engines: [{ kind: "simulated", settings }], ...options.config };
  const log = createLog(options.log === undefined ? "silent" : "info", options.log);
  const never = {
    sweepSeconds: 3600,
    firstJobsSeconds: 3600,
    limitCheckSeconds: 3600,
    capacityReadSeconds: 3600,
    emailTimes: { pollSeconds: 3600 },
    paymentSeconds: [3600, 3600, 3600] as const,
    confirmationSeconds: 3600,
  };
  const composed = await compose(
    {
      config,
      log,
      databaseUrl,
      keyRing: testKeyRing(),
      keyFile: undefined,
      reserve: undefined,
      demoLinks: options.demoLinks,
    },
    { http: { drainSeconds: 5, idleGraceSeconds: 0, unreadBodies }, reconciler: { ...never, ...options.reconciler } },
  );
  const addresses = await composed.http.listen();
  composed.readiness.state = "ready";
  const reconciler = composed.startReconciler();
  const engine = composed.engines.get("simulated");
  if (!(engine instanceof SimulatedEngine)) throw new Error("BUG: there is no simulated engine");
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
    databaseUrl,
    service: composed.service,
    engine,
    reconciler,
    customerToken,
    async close() {
      await composed.close();
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
