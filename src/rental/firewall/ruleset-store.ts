// Firewall rulesets, which an instance is launched with and keeps. Each is in one region, and so are its instances.
// Invariant: a ruleset of a live instance is not deleted: a launch holds the rows of its rulesets (`holdRulesets`)
// until it has committed, and a deletion or change locks them before it looks for instances.

import { type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import type { FirewallRulesetsTable } from "../../database/tables/attachments.ts";
import { checkInstanceName } from "../../rules/names.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { everything, type Page, pageOf } from "../paging.ts";
import type { Principal, Service } from "../service.ts";
import { asUuid, parseUuid } from "../uuid.ts";
import { isFiltered, lockFiltered, refuseUnkept, requestRules } from "./change-rules.ts";
import { areSame, bounds, checkRules, type GivenRule, type Rule } from "./rules.ts";

export interface Ruleset {
  readonly id: string;
  readonly name: string;
  readonly region: { readonly name: string; readonly description: string };
  readonly rules: readonly Rule[];
  /** The live instances with it, oldest first. */
  readonly instanceIds: readonly string[];
  readonly createdAt: Date;
}

/** What can be changed; absent fields stay unchanged. */
export interface RulesetChange {
  readonly name?: string | undefined;
  readonly rules?: readonly GivenRule[] | undefined;
}

export async function listRulesets(db: Database, principal: Principal, page: Page = everything): Promise<Ruleset[]> {
  const query = db.selectFrom("firewall_rulesets").selectAll().where("account_id", "=", principal.accountId);
  return withInstances(db, principal, await pageOf(query, "id", page).execute());
}

/** `id` as the client wrote it. Throws RentalError unknown-object. */
export async function readRuleset(db: Database, principal: Principal, id: string): Promise<Ruleset> {
  const query = db.selectFrom("firewall_rulesets").selectAll();
  const row = await query.where("id", "=", asUuid(id)).where("account_id", "=", principal.accountId).executeTakeFirst();
  if (row === undefined) throw unknownRuleset(id);
  return shown(db, principal, row);
}

/** Throws RentalError invalid-parameters, unknown-name, quota-exceeded. */
export async function createRuleset(
  tx: Transaction,
  principal: Principal,
  order: { readonly name: string; readonly region: string; readonly rules: readonly GivenRule[] },
): Promise<Ruleset> {
  refuseName(order.name);
  const rules = checkRules(order.rules, "rules");
  // Locked, so that the region exists until this transaction ends.
  const regions = tx.selectFrom("regions").selectAll().where("name", "=", order.region);
  const region = await regions.forKeyShare().executeTakeFirst();
  if (region === undefined) throw unknownName("region", "region", order.region);
  await takePlace(tx, principal);
  const row = await tx
    .insertInto("firewall_rulesets")
    .values({
      id: uuidv7(),
      account_id: principal.accountId,
      name: order.name,
      region: region.name,
      region_description: region.description,
      rules: JSON.stringify(rules),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tell(tx, row, "created");
  return fromRow(row, []);
}

/** Throws RentalError unknown-object, invalid-parameters, or conflict for new rules as refuseUnkept. */
export async function changeRuleset(
  tx: Transaction,
  service: Pick<Service, "enginesWithoutFirewall">,
  principal: Principal,
  id: string,
  change: RulesetChange,
): Promise<Ruleset> {
  if (change.name !== undefined) refuseName(change.name);
  const rules = change.rules === undefined ? undefined : checkRules(change.rules, "rules");
  const before = await lockRuleset(tx, principal, id);
  const isRenamed = change.name !== undefined && change.name !== before.name;
  const hasNewRules = rules !== undefined && !areSame(rules, before.rules);
  if (!isRenamed && !hasNewRules) return shown(tx, principal, before);
  if (hasNewRules) await lockFiltered(tx, principal.accountId, before.id);
  const row = await tx
    .updateTable("firewall_rulesets")
    .set({ name: change.name ?? before.name, rules: JSON.stringify(rules ?? before.rules) })
    .where("id", "=", before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (hasNewRules) {
    await refuseUnkept(tx, service, principal.accountId, row.id);
    await requestRules(tx, principal.accountId, row.id);
  }
  await tell(tx, row, "changed");
  return shown(tx, principal, row);
}

/** Throws RentalError unknown-object, or firewall-ruleset-in-use while a live instance has it. */
export async function deleteRuleset(tx: Transaction, principal: Principal, id: string): Promise<void> {
  const row = await lockRuleset(tx, principal, id);
  const { instanceIds } = await shown(tx, principal, row);
  if (instanceIds.length > 0) throw new RentalError("firewall-ruleset-in-use", { id: row.id });
  await tx.deleteFrom("firewall_rulesets").where("id", "=", row.id).execute();
  await tell(tx, row, "deleted");
}

/** The part that a launch needs. */
export type LaunchRuleset = Pick<Selectable<FirewallRulesetsTable>, "id" | "name" | "region">;

/**
 * The account's rulesets of these ids (as the client wrote them), without duplicates, in the given order. Throws
 * RentalError unknown-name, or invalid-parameters for too many, with `field`.
 */
export async function rulesetsById(
  db: Database,
  principal: Principal,
  ids: readonly string[],
  field: string,
): Promise<LaunchRuleset[]> {
  if (ids.length === 0) return [];
  const wanted = new Map(ids.map((id) => [parseUuid(id) ?? id, id]));
  if (wanted.size > bounds.setsOfAnInstance) throw invalid(field, `Give at most ${bounds.setsOfAnInstance} rulesets.`);
  const canonical = [...wanted.keys()].filter((id) => parseUuid(id) !== undefined);
  const rows = await db
    .selectFrom("firewall_rulesets")
    .select(["id", "name", "region"])
    .where("account_id", "=", principal.accountId)
    .where(sql<boolean>`id = any(${canonical}::uuid[])`)
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return [...wanted].map(([id, asWritten]) => {
    const one = found.get(id);
    if (one === undefined) throw unknownName(field, "firewall ruleset", asWritten);
    return one;
  });
}

/**
 * Prevents changes until the launch has committed. Locks their rows in order of id, before any other lock of the
 * launch. Throws RentalError unknown-name with `field` for one that was deleted since it was read.
 */
export async function holdRulesets(tx: Transaction, rulesets: readonly LaunchRuleset[], field: string): Promise<void> {
  if (rulesets.length === 0) return;
  const { rows } = await sql<{ id: string }>`
    select id from firewall_rulesets where id = any(${rulesets.map(({ id }) => id)}::uuid[])
    order by id for key share`.execute(tx);
  const gone = rulesets.find(({ id }) => !rows.some((row) => row.id === id));
  if (gone !== undefined) throw unknownName(field, "firewall ruleset", gone.id);
}

function refuseName(name: string): void {
  const problem = checkInstanceName(name);
  if (problem !== undefined) throw invalid("name", problem);
}

/** Locked, also against launches with it. Throws RentalError unknown-object. */
async function lockRuleset(
  tx: Transaction,
  principal: Principal,
  id: string,
): Promise<Selectable<FirewallRulesetsTable>> {
  const row = await tx
    .selectFrom("firewall_rulesets")
    .selectAll()
    .where("id", "=", asUuid(id))
    .where("account_id", "=", principal.accountId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw unknownRuleset(id);
  return row;
}

/** Counts under the account's lock, which decides races for the last one. Throws RentalError quota-exceeded. */
async function takePlace(tx: Transaction, { accountId }: Principal): Promise<void> {
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx);
  const { rows } = await sql<{ used: number }>`
    select count(*)::integer as used from firewall_rulesets where account_id = ${accountId}`.execute(tx);
  const used = rows[0]?.used ?? 0;
  const limit = bounds.setsOfAnAccount;
  if (used >= limit) throw new RentalError("quota-exceeded", { what: "firewall_rulesets", limit, used, requested: 1 });
}

async function tell(
  tx: Transaction,
  row: Selectable<FirewallRulesetsTable>,
  what: "created" | "changed" | "deleted",
): Promise<void> {
  await recordEvents(tx, [
    {
      accountId: row.account_id,
      type: `firewall_ruleset.${what}`,
      subjectId: row.id,
      data: { firewall_ruleset_id: row.id, name: row.name, region: row.region, firewall_rules: row.rules.length },
    },
  ]);
}

async function shown(db: Database, principal: Principal, row: Selectable<FirewallRulesetsTable>): Promise<Ruleset> {
  const [one] = await withInstances(db, principal, [row]);
  if (one === undefined) throw new Error("BUG: one row is one ruleset");
  return one;
}

async function withInstances(
  db: Database,
  { accountId }: Principal,
  rows: readonly Selectable<FirewallRulesetsTable>[],
): Promise<Ruleset[]> {
  const { rows: uses } = await sql<{ id: string; ruleset: string }>`
    select i.id, used.id as ruleset from instances i, unnest(i.firewall_ruleset_ids) as used (id)
    where i.account_id = ${accountId} and ${isFiltered} and used.id = any(${rows.map(({ id }) => id)}::uuid[])
    order by i.position`.execute(db);
  return rows.map((row) =>
    fromRow(
      row,
      uses.filter(({ ruleset }) => ruleset === row.id).map(({ id }) => id),
    ),
  );
}

function fromRow(row: Selectable<FirewallRulesetsTable>, instanceIds: readonly string[]): Ruleset {
  return {
    id: row.id,
    name: row.name,
    region: { name: row.region, description: row.region_description },
    rules: row.rules,
    instanceIds,
    createdAt: row.created_at,
  };
}

function unknownRuleset(id: string): RentalError {
  return new RentalError("unknown-object", { what: "firewall ruleset", ids: [id] });
}
