// A world for generated requests: a catalogue with the names that the documents' examples use, so that an example is a
// valid request; Ada, who sends them; and Eve, of whom nothing may change and nothing may be seen.
//
// Everything of Eve's that no request may bring by itself has `secretWord` in it: an answer with that word has shown it.

import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../../../src/database/connect.ts";
import { idOf } from "../../support/control.ts";
import { call } from "../../support/http.ts";
import { examplePublicKey } from "../../support/world.ts";
import type { Customer, Fleet } from "../fleet.ts";
import { atRest } from "../verdict.ts";

export const secretWord = "eves-own-4f1d9c";

const type = "gpu_1x_h100_pcie";
const region = "us-east-1";
/** The place where only Eve has anything. It is no secret: whoever rents may read which regions there are. */
const evesRegion = "eves-region";
/** What means something here; a request of such words gets far. */
const catalogue = [
  ...["any", region, type, "laptop", "models", "ubuntu-24.04-cuda", "debian", "SPRING10", "EXPIRED", "training"],
  ...["host-1", "active", "rented", "PATH", "TOKEN", examplePublicKey],
];

export interface TwoAccounts {
  readonly ada: Customer;
  readonly eve: Customer;
  /** Of the catalogue, of a third account, and of Ada: filled anew by `tidy`. */
  readonly words: string[];
  /** Identifiers and names of Eve's objects. */
  readonly evesWords: readonly string[];
}

export async function makeTwoAccounts(fleet: Fleet, db: Database): Promise<TwoAccounts> {
  await furnish(fleet);
  const quotas = { instances: 30, gpus: 30, ssh_keys: 20, file_systems: 20 };
  const ada = await fleet.customer("ada", ["read", "write"], quotas);
  const kim = await fleet.customer("kim");
  const eve = await fleet.customer("eve");
  await ask(fleet, ada, "reference", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
  await ask(fleet, ada, "control", "/file-systems", { name: "models", region, size_gb: 100 });
  const evesWords = await furnishEve(fleet, db, eve);
  const accounts = { ada, eve, words: [], evesWords };
  await refill(db, accounts, [kim.accountId, kim.tokenId]);
  return accounts;
}

async function furnish(fleet: Fleet): Promise<void> {
  const size = { vcpus: 26, memory_gib: 200, storage_gb: 1024 };
  const gpus = (model: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ address: `gpu-${index}`, model, memory_gib: 80, numa_node: 0 }));
  const host = (where: string, model: string, count: number) => ({
    ...{ engine: "simulated", region: where, gpus: gpus(model, count) },
    ...{ vcpus: size.vcpus * count, memory_gib: size.memory_gib * count, storage_gb: 2 * size.storage_gb * count },
  });
  for (const name of [region, evesRegion]) await fleet.control("PUT", `/regions/${name}`, { description: name });
  await fleet.control("PUT", "/images/debian", { number: 1 });
  await fleet.control("PUT", "/images/ubuntu-24.04-cuda", { number: 3, default: true });
  await fleet.control("PUT", `/instance-types/${type}`, {
    ...size,
    gpu_model: "h100_pcie",
    gpus: 1,
    price_cents_per_hour: 249,
  });
  await fleet.control("PUT", `/instance-types/eves`, { ...size, gpu_model: "l4", gpus: 1, price_cents_per_hour: 80 });
  await fleet.control("PUT", "/hosts/host-1", host(region, "h100_pcie", 40));
  // Of a kind, and in a place, that only Eve's are; and full with it.
  await fleet.control("PUT", "/hosts/eves-host", host(evesRegion, "l4", 1));
  const coupon = (date: string) => ({ discount_percent: 10, deactivation_date: date });
  await fleet.control("PUT", "/coupons/SPRING10", coupon("2099-12-31T23:59:59.000Z"));
  await fleet.control("PUT", "/coupons/EXPIRED", coupon("2020-01-01T00:00:00.000Z"));
}

/** One of each, and the words by which somebody may try to get at them. */
async function furnishEve(fleet: Fleet, db: Database, eve: Customer): Promise<string[]> {
  const key = `${examplePublicKey} ${secretWord}`;
  const fileSystem = { name: secretWord, region: evesRegion, size_gb: 1 };
  const order = { instance_type_name: "eves", region_name: "any", ssh_key_names: ["eves-key"], name: secretWord };
  const made = [
    // Of the same name as Ada's, and one of a name that only Eve has.
    await ask(fleet, eve, "reference", "/ssh-keys", { name: "laptop", public_key: key }),
    await ask(fleet, eve, "reference", "/ssh-keys", { name: "eves-key", public_key: key }),
    await ask(fleet, eve, "control", "/file-systems", fileSystem),
    await ask(fleet, eve, "control", "/tokens", { name: secretWord, scopes: ["read"] }),
  ];
  const launched = await ask(fleet, eve, "reference", "/instance-operations/launch", order);
  const [instanceId] = (launched as { instance_ids: string[] }).instance_ids;
  await atRest(db, 30);
  const ids = made.map((one) => idOf(Array.isArray(one) ? one[0] : one));
  return [...ids, instanceId ?? "", eve.accountId, eve.tokenId, "eves-key"];
}

async function ask(fleet: Fleet, { token }: Customer, name: "reference" | "control", path: string, body: object) {
  const result = await call("POST", `${fleet.one(0).bases[name]}${path}`, { token, body });
  if (result.status >= 300) throw new Error(`POST ${path}: ${result.text}`);
  return (result.body as { data: unknown }).data; // documented so
}

/**
 * Between the parts of a long proof: what was made is brought down to a few again, so that lists stay short, and the
 * words name what is there now. Of Eve nothing is touched.
 */
export async function tidy(fleet: Fleet, db: Database, accounts: TwoAccounts): Promise<void> {
  const { ada, eve } = accounts;
  const { rows } = await sql<{ id: string }>`
    select id from instances where account_id = ${ada.accountId} and state not in ('terminating', 'terminated')
    order by id offset 6`.execute(db);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) {
    await ask(fleet, ada, "reference", "/instance-operations/terminate", { instance_ids: ids });
  }
  await sql`
    delete from tokens where account_id <> ${eve.accountId} and name <> 'first' and name <> 'LESSOR_OPERATOR_TOKEN'
      and created_at < now() - interval '5 seconds'`.execute(db);
  await refill(db, accounts, accounts.words.slice(catalogue.length, catalogue.length + 2));
}

async function refill(db: Database, { ada, words }: TwoAccounts, others: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    (select id from instances where account_id = ${ada.accountId} order by position desc limit 8)
    union all (select id from ssh_keys where account_id = ${ada.accountId} limit 4)
    union all (select id from file_systems where account_id = ${ada.accountId} limit 4)`.execute(db);
  words.splice(0, words.length, ...catalogue, ...others, ...rows.map(({ id }) => id));
}

/** A digest of everything that is Eve's, in every table that knows accounts; equal while nothing of it has changed. */
export async function digestOf(db: Database, { accountId }: Customer): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'account_id' and t.table_type = 'BASE TABLE' order by 1`.execute(
    db,
  );
  const parts = [
    sql`select to_jsonb(a)::text as row from accounts a where id = ${accountId}`,
    ...tables.map(
      ({ name }) =>
        sql`select ${name}::text || (to_jsonb(t) - 'last_used_at')::text as row from ${sql.table(name)} t where account_id = ${accountId}`,
    ),
  ];
  const { rows } = await sql<{
    row: string;
  }>`select row from (${sql.join(parts, sql` union all `)}) rows order by row`.execute(db);
  return createHash("sha256")
    .update(rows.map(({ row }) => row).join("\n"))
    .digest("hex");
}
