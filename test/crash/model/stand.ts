// Where sequences are played, one after the other: a database, the scene in it, a service that can crash, time that can
// be moved. The scene is put there once by the door, and put back before each sequence in one statement.

import { sql } from "kysely";
import { expect } from "vitest";
import type { Database } from "../../../src/database/connect.ts";
import { inTransaction } from "../../../src/database/transaction.ts";
import { createAccount } from "../../../src/rental/accounts/account-store.ts";
import { createToken } from "../../../src/rental/accounts/token-store.ts";
import type { Scope } from "../../../src/rental/service.ts";
import { type FreshDatabase, freshDatabase } from "../../support/database.ts";
import { call } from "../../support/http.ts";
import { everythingChanged } from "../../support/marks.ts";
import { timeMachine } from "../../support/time-travel.ts";
import { type Customer, coupons, gpuModel, hosts, images, quotas, regions, type TokenName, types } from "./scene.ts";
import { type CrashableService, startService } from "./service.ts";
import { couponBody, hostBody, typeBody } from "./wire.ts";

export interface CustomerOnStand {
  readonly id: string;
  readonly spareTokenId: string;
  readonly tokens: Readonly<Record<TokenName, string>>;
}

export interface Stand {
  readonly fresh: FreshDatabase;
  readonly db: Database;
  /** Another one after a crash. */
  readonly service: CrashableService;
  /** How long machines take to boot and to halt. */
  readonly machines: { seconds: number };
  readonly operatorToken: string;
  readonly customers: Readonly<Record<Customer, CustomerOnStand>>;
  readonly travel: (seconds: number) => Promise<void>;
  /** Lets the service crash, and starts another. */
  restart(): Promise<void>;
  /** As if nothing had ever been rented. Nothing may be under way. */
  beginAnew(): Promise<void>;
  close(): Promise<void>;
}

export async function openStand(): Promise<Stand> {
  const fresh = await freshDatabase();
  const { db } = fresh;
  const machines = { seconds: 0 };
  const operator = await account(db, "operator", quotas.ann);
  const { token: operatorToken } = await token(db, operator, "operator", ["read", "write", "operator"]);
  let service = await startService(fresh, machines);
  await furnish(service.bases.control, operatorToken);
  const [ann, bob] = [await customer(db, "ann"), await customer(db, "bob")];
  // First, so that it does not move what the broom knows.
  const move = await timeMachine(db);
  await makeBroom(db);
  return {
    fresh,
    db,
    machines,
    operatorToken,
    customers: { ann, bob },
    get service() {
      return service;
    },
    restart: async () => {
      await service.crash();
      service = await startService(fresh, machines);
    },
    travel: (seconds) => move(`${seconds} seconds`),
    beginAnew: async () => void (await sql`select public.sweep_out(), public.empty_hosts()`.execute(db)),
    close: async () => {
      await service.stop();
      await fresh.close();
    },
  };
}

async function furnish(control: string, operator: string): Promise<void> {
  const put = async (path: string, body: object) => {
    const result = await call("PUT", `${control}${path}`, { token: operator, body });
    expect(result.status, `${path}: ${result.text}`).toBe(200);
  };
  for (const name of regions) await put(`/regions/${name}`, { description: `The ${name}` });
  for (const [name, { number, refusesGpus }] of Object.entries(images)) {
    const unsupported_gpu_models = refusesGpus ? [gpuModel] : [];
    await put(`/images/${name}`, { number, default: number === 1, unsupported_gpu_models });
  }
  for (const [name, { cents }] of Object.entries(types)) await put(`/instance-types/${name}`, typeBody(name, cents));
  for (const name of Object.keys(hosts)) await put(`/hosts/${name}`, hostBody(name));
  for (const [code, { percent, active, endsAt }] of Object.entries(coupons)) {
    await put(`/coupons/${code}`, couponBody({ code, percent, active }, new Date(Date.now() + endsAt * 1000)));
  }
}

async function customer(db: Database, name: Customer): Promise<CustomerOnStand> {
  const id = await account(db, name, quotas[name]);
  const main = await token(db, id, "main", ["read", "write"]);
  const spare = await token(db, id, "spare", ["read", "write"]);
  const reader = await token(db, id, "reader", ["read"]);
  return { id, spareTokenId: spare.id, tokens: { main: main.token, spare: spare.token, reader: reader.token } };
}

async function account(
  db: Database,
  name: string,
  quotas: Parameters<typeof createAccount>[1]["quotas"],
): Promise<string> {
  return inTransaction(db, async (tx) => (await createAccount(tx, { name, quotas })).id);
}

function token(db: Database, accountId: string, name: string, scopes: readonly Scope[]) {
  return inTransaction(db, (tx) => createToken(tx, { accountId, name, scopes, expiresAt: null }));
}

/** What the scene is made of, and what belongs to the cluster: it stays, and is made as it was. */
const furniture = [
  "schema_migrations",
  "settings",
  "logical_clock",
  "replicas",
  "sealing_keys",
  "key_rotations",
  "accounts",
  "tokens",
  "regions",
  "instance_types",
  "images",
  "coupons",
  "hosts",
  "removed_hosts",
  "gpus",
  "gpu_pools",
];

async function makeBroom(db: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all(${furniture})`.execute(db);
  const deletions = rows.map(({ name }) => sql`delete from ${sql.table(name)};`);
  await sql`create table public.opened as select now() as at`.execute(db);
  const copies = ["accounts", "instance_types", "coupons"];
  for (const name of copies) {
    await sql`create table public.${sql.ref(`first_${name}`)} as select * from ${sql.table(name)}`.execute(db);
  }
  // Without triggers: closed months refuse to be deleted. Dates of coupons lie as far ahead as when they were made.
  await sql`
    create function public.sweep_out() returns void language plpgsql set session_replication_role = replica as $$ begin
      ${sql.join(deletions, sql` `)}
      delete from simulated.machines; delete from simulated.copies; delete from simulated.gpu_uses; delete from simulated.file_systems;
      delete from simulated.faults;
      update simulated.hosts set alive = true where not alive;
      delete from accounts; insert into accounts select * from public.first_accounts;
      delete from instance_types; insert into instance_types select * from public.first_instance_types;
      delete from coupons; insert into coupons select * from public.first_coupons;
      update coupons set deactivation_date = deactivation_date + (select now() - at from public.opened);
      update tokens set revoked_at = null where revoked_at is not null;
      update gpus set instance_id = null, state = 'free', reason = null, quarantine_next = null where state <> 'free';
      update gpu_pools set free = total where free <> total;
      ${everythingChanged};
    end $$`.execute(db);
  // With them: listings are told of hosts that changed.
  await sql`
    create function public.empty_hosts() returns void language plpgsql as $$ begin
      update hosts set free_vcpus = vcpus, free_memory_gib = memory_gib, free_storage_gb = storage_gb, mode = 'up',
        mode_reason = null, mode_by = null, drain_mode = null, available = true, unreachable_since = null, off_since = null;
    end $$`.execute(db);
}
