// Cached reads against what the database says was changed: every table that such a read is made of has triggers that leave a
// change stamp of the read's source. So a read cannot be declared `cached` while a table of it changes unnoticed, and a table
// that is added to a read has to get its triggers. The reads are those that the interfaces declare, found in their files.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createRuleset } from "../../src/rental/firewall/ruleset-store.ts";
import type { Source } from "../../src/rental/freshness.ts";
import { call, type RunningHttp, startHttp } from "../support/http.ts";
import { untilOthersEnded } from "../support/interleave.ts";
import { makeWorld, type World } from "../support/world.ts";

const http = resolve(import.meta.dirname, "../../src/http");
const interfaces = ["marketplace", "direct", "reference", "lambda", "control"] as const;

interface CachedRead {
  readonly of: (typeof interfaces)[number];
  readonly path: string;
  readonly source: Source;
}

/** The declarations `api.get(path, { …, cached: source }, …)` of the interfaces. */
const declared: readonly CachedRead[] = interfaces.flatMap((of) =>
  readdirSync(join(http, of), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => readFileSync(join(http, of, file), "utf8").split(/\n {2}api\.(?=\w+\()/))
    .flatMap((declaration) => {
      const source = /\n\s+cached: "(account|catalog)"/.exec(declaration)?.[1];
      if (source === undefined) return [];
      const path = /^get\(\s*"([^"]+)"/.exec(declaration)?.[1];
      if (path === undefined) throw new Error(`a cached read without a path: ${declaration.slice(0, 80)}`);
      return [{ of, path, source: source as Source }]; // the pattern's words
    }),
);

/** Tables without stamps of their own that a read may be made of, each with the reason. */
const exceptions: Readonly<Record<Source, Readonly<Record<string, string>>>> = {
  account: {},
  catalog: {
    catalog_changes: "is itself the stamp of the catalog",
    gpu_fabrics: "a branch of its driver that changes is written with the row of its host",
    gpus: "change under the lock of their host, whose row is written with them",
    gpu_times: "change under the lock of their host, whose row is written with them",
    gpu_validations: "change under the lock of their host, whose row is written with them",
    gpu_pools: "changes under the lock of its host, whose row is written with it",
    removed_hosts: "is itself the stamp of a host that is gone",
    reservations: "the times of one never change, and what is promised to it is written with the row of its hosts",
    reservation_hosts: "changes the row of its host by a trigger",
    instances: "use slots of a reservation from when they take capacity of its hosts, whose rows are written with that",
    moves: "take and give back capacity of hosts, whose rows are written with that",
  },
};

/** Every table that a read here is made of. */
const seen = new Set<string>();

let world: World;
let server: RunningHttp;
beforeAll(async () => {
  world = await makeWorld();
  server = await startHttp(world);
  await world.host({ gpus: 32, vcpus: 1000, memoryGib: 10_000, storageGb: 100_000 });
  await world.image();
  await world.product({ gpus: 1, vcpus: 1, memoryGib: 1, storageGb: 1, name: "stamped" });
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

/** The statements that are sent while `act` runs. */
async function statementsOf(act: () => Promise<void>): Promise<readonly string[]> {
  const spy = vi.spyOn(pg.Client.prototype, "query");
  try {
    await act();
    return spy.mock.calls.map(([query]: readonly unknown[]) =>
      typeof query === "string" ? query : String((query as { readonly text?: string }).text),
    );
  } finally {
    spy.mockRestore();
  }
}

/** By source, the tables of which every insert, update and delete leaves a stamp. */
async function stamped(): Promise<Readonly<Record<Source, ReadonlySet<string>>>> {
  // Bits of tgtype: 4 insert, 8 delete, 16 update. A host is stamped by its column, which a default writes at first.
  const { rows } = await sql<{ name: string; source: Source }>`
    select c.relname as name, case p.proname when 'note_account_changes' then 'account' else 'catalog' end as source
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where p.proname in ('note_account_changes', 'note_catalog_change', 'hosts_note_change', 'hosts_note_removal')
      and t.tgenabled = 'O'
    group by 1, 2
    having bit_or(t.tgtype) & 28 = case c.relname when 'hosts' then 24 else 28 end`.execute(world.db);
  const of = (source: Source) => new Set(rows.filter((row) => row.source === source).map(({ name }) => name));
  return { account: of("account"), catalog: of("catalog") };
}

async function tablesIn(statements: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`.execute(
    world.db,
  );
  const known = new Set(rows.map(({ name }) => name));
  const named = statements.flatMap((text) =>
    [...text.matchAll(/\b(?:from|join)\s+"?(\w+)"?/gi)].map(([, name = ""]) => name),
  );
  return [...new Set(named)].filter((name) => known.has(name)).sort();
}

describe.each(declared)("the cached read $path of $of", ({ of, path, source }) => {
  it(`is made of tables that leave stamps of its source (${source})`, async () => {
    const { token, principal } = await server.customer();
    await world.sshKey(principal);
    const instance = await world.launchOne(principal, { instanceType: "stamped" });
    const ruleset = await world.tx((tx) =>
      createRuleset(tx, principal, { name: "mine", region: instance.region.name, rules: [] }),
    );
    const id = path.startsWith("/firewall") ? ruleset.id : instance.id;
    const url = `${server[of]}${path.replace(/:\w+/, id)}`;
    const read = async () => {
      const { status, text } = await call("GET", url, { token });
      expect(status, text).toBe(200);
    };
    // While a transaction is open that is older than what was just written, nothing made of that is cached.
    await untilOthersEnded(world.db);
    const anew = await statementsOf(read);
    const cached = new Set(await statementsOf(read));
    // The token is looked up for each read, with a text that depends on what else is asked at that moment.
    const made = anew.filter((statement) => !cached.has(statement) && !/\btokens\b/.test(statement));
    const tables = await tablesIn(made);
    expect(tables.length).toBeGreaterThan(0);
    for (const table of tables) seen.add(table);
    const stamps = (await stamped())[source];
    expect(tables.filter((table) => !stamps.has(table) && !(table in exceptions[source]))).toEqual([]);
  });
});

it("each exception is a table that a read is made of", () => {
  const all = Object.values(exceptions).flatMap((tables) => Object.keys(tables));
  expect(all.filter((table) => !seen.has(table))).toEqual([]);
});

it("every read that is declared to be cached is found", () => {
  const declarations = readdirSync(http, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => [...readFileSync(join(http, file), "utf8").matchAll(/^\s+cached: "(account|catalog)",$/gm)]);
  expect(declared).toHaveLength(declarations.length);
  expect(declared.length).toBeGreaterThan(20);
});
