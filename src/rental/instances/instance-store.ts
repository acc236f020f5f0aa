// The SQL of reading instances. Lists are in order of launch, which is that of `position`: ids are random.

import { type Selectable, type SelectQueryBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { Schema } from "../../database/schema.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { type Ending, isLive, type State, statesWhere } from "../../rules/lifecycle.ts";
import { isRegion } from "../catalog/region-store.ts";
import { RentalError, unknownName } from "../errors.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Principal, RentalLimits, Service } from "../service.ts";
import { asUuid, parseUuid } from "../uuid.ts";
import { fromRow, type Instance } from "./instance.ts";
import { trouble } from "./stalled.ts";
import type { WantedTag } from "./tags.ts";

export interface InstanceFilter extends Page {
  readonly states?: readonly State[] | undefined;
  /** Only instances with one of these combinations of state, health, and whether they were evicted. */
  readonly standings?: readonly (Pick<Instance, "state" | "health"> & { readonly isPreempted: boolean })[] | undefined;
  readonly region?: string | undefined;
  /** Only those with all of these. */
  readonly tags?: readonly WantedTag[] | undefined;
  /**
   * True: live ones only (D, the lambda edition). False: also those being removed, or removed recently (M, R).
   * Otherwise live ones, and others for some seconds after the terminate request or failure.
   */
  readonly live: boolean | { readonly orEndedWithinSeconds: number };
}

/** The account's instances. Throws RentalError invalid-parameters for an unknown region. */
export async function list(
  db: Database,
  service: Service,
  principal: Principal,
  filter: InstanceFilter,
): Promise<Instance[]> {
  const own = db.selectFrom("instances").selectAll().where("account_id", "=", principal.accountId);
  return listed(db, visibleOf(own, filter.live, service.limits), filter);
}

/** Instances of all accounts, or of one; for operators. Includes terminated ones while they are kept. Throws as `list`. */
export async function listAll(
  db: Database,
  filter: Omit<InstanceFilter, "live"> & {
    readonly accountId?: string | undefined;
    /** True: only instances that need attention; false: only the others. */
    readonly troubled?: boolean | undefined;
  },
): Promise<Instance[]> {
  let query = db.selectFrom("instances").selectAll();
  if (filter.troubled !== undefined) query = query.where(sql<boolean>`(${trouble} is not null) = ${filter.troubled}`);
  if (filter.accountId !== undefined) query = query.where("account_id", "=", asUuid(filter.accountId));
  return listed(db, query, filter);
}

/**
 * One of the account's instances, including terminated ones for some days. `id` as the client wrote it. Throws
 * unknown-object.
 */
export async function read(db: Database, service: Service, principal: Principal, id: string): Promise<Instance> {
  const [instance] = await byIds(db, service, principal, [asUuid(id)]);
  if (instance === undefined) throw new RentalError("unknown-object", { what: "instance", ids: [id] });
  return instance;
}

/**
 * When time alone changes this list, in milliseconds since 1970: an instance expires from it. An empty list can change
 * at once, because its region can be deleted.
 */
export function listedUntilMs(
  shown: readonly Instance[],
  limits: RentalLimits,
  { region, live }: Pick<InstanceFilter, "region" | "live">,
): number {
  if (shown.length === 0 && region !== undefined) return 0;
  const until = ({ terminatingAt, terminatedAt }: Instance): number => {
    if (live === true) return Number.POSITIVE_INFINITY;
    if (live === false) return endOf(terminatedAt, limits.terminatedVisibleSeconds);
    return endOf(terminatingAt, live.orEndedWithinSeconds);
  };
  return shown.reduce((first, one) => Math.min(first, until(one)), Number.POSITIVE_INFINITY);
}

/** When time alone removes it from single reads, in milliseconds since 1970. */
export function readableUntilMs(instance: Instance, limits: RentalLimits): number {
  return endOf(instance.terminatedAt, limits.terminatedReadableDays * 86_400);
}

function endOf(moment: Date | null, seconds: number): number {
  return moment === null ? Number.POSITIVE_INFINITY : moment.getTime() + seconds * 1000;
}

/** Any account's instance; for operators. Throws unknown-object. */
export async function readAny(db: Database, id: string): Promise<Instance> {
  const row = await db.selectFrom("instances").selectAll().where("id", "=", asUuid(id)).executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "instance", ids: [id] });
  return fromRow(row);
}

/**
 * The account's instances of these ids (as the client wrote them), locked in order of id, and returned in the given
 * order without duplicates. Throws RentalError unknown-object naming every unknown id.
 */
export async function lockAll(
  tx: Transaction,
  service: Service,
  principal: Principal,
  ids: readonly string[],
): Promise<Instance[]> {
  const wanted = new Map(ids.map((id) => [parseUuid(id) ?? id, id]));
  const canonical = [...wanted.keys()].filter((id) => parseUuid(id) !== undefined);
  const found = new Map((await byIds(tx, service, principal, canonical, "lock")).map((one) => [one.id, one]));
  const missing = [...wanted].filter(([id]) => !found.has(id)).map(([, asWritten]) => asWritten);
  if (missing.length > 0) throw new RentalError("unknown-object", { what: "instance", ids: missing });
  return [...wanted.keys()].flatMap((id) => found.get(id) ?? []);
}

/** One of the account's instances, locked. `id` as the client wrote it. Throws RentalError unknown-object. */
export async function lockOwn(tx: Transaction, service: Service, principal: Principal, id: string): Promise<Instance> {
  const [instance] = await lockAll(tx, service, principal, [id]);
  if (instance === undefined) throw new Error("BUG: lockAll gives what it was asked for, or refuses");
  return instance;
}

/** The same of one that has not ended. Throws as lockOwn, and conflict. */
export async function lockLive(tx: Transaction, service: Service, principal: Principal, id: string): Promise<Instance> {
  const instance = await lockOwn(tx, service, principal, id);
  if (isLive[instance.state]) return instance;
  throw new RentalError("conflict", {
    message: `The instance ${instance.id} is terminated.`,
    suggestion: "Terminated instances are not running or billed.",
  });
}

/** Any account's instance, locked; for operators. `id` as the client wrote it. Throws unknown-object. */
export async function lockAny(tx: Transaction, id: string): Promise<Instance> {
  const query = tx.selectFrom("instances").selectAll().where("id", "=", asUuid(id));
  const row = await query.forUpdate().executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "instance", ids: [id] });
  return fromRow(row);
}

async function byIds(
  db: Database,
  service: Service,
  principal: Principal,
  ids: readonly string[],
  lock?: "lock",
): Promise<Instance[]> {
  const query = db
    .selectFrom("instances")
    .selectAll()
    .where("account_id", "=", principal.accountId)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where(
      sql<boolean>`(terminated_at is null or terminated_at > now() - make_interval(days => ${service.limits.terminatedReadableDays}))`,
    )
    .orderBy("id");
  return (await (lock === undefined ? query : query.forUpdate()).execute()).map(fromRow);
}

async function listed(db: Database, query: InstanceQuery, filter: Omit<InstanceFilter, "live">): Promise<Instance[]> {
  let filtered = query;
  if (filter.states !== undefined) filtered = onlyStates(filtered, filter.states);
  if (filter.standings !== undefined) {
    const preempted = "preempted" satisfies Ending;
    filtered = filtered.where(
      sql<boolean>`(state, health, coalesce(ended_by = ${sql.lit(preempted)}, false)) in (
        select * from unnest(${filter.standings.map(({ state }) => state)}::text[],
          ${filter.standings.map(({ health }) => health)}::text[],
          ${filter.standings.map(({ isPreempted }) => isPreempted)}::boolean[]))`,
    );
  }
  if (filter.region !== undefined) filtered = filtered.where("region", "=", filter.region);
  // Containment of arrays: each element on the right is contained in one on the left, fields left out not compared.
  if (filter.tags !== undefined) {
    filtered = filtered.where(sql<boolean>`tags @> ${JSON.stringify(filter.tags)}::jsonb`);
  }
  const found = (await pageOf(filtered, "position", filter).execute()).map(fromRow);
  // Only for an empty list, which for a misspelled region would say that nothing runs.
  if (found.length === 0 && filter.region !== undefined && !(await isRegion(db, filter.region))) {
    throw unknownName("region", "region", filter.region);
  }
  return found;
}

type InstanceQuery = SelectQueryBuilder<Schema, "instances", Selectable<InstancesTable>>;

function onlyStates(query: InstanceQuery, states: readonly State[]): InstanceQuery {
  return query.where(sql<boolean>`state = any(${[...states]}::text[])`);
}

function visibleOf(query: InstanceQuery, live: InstanceFilter["live"], limits: RentalLimits): InstanceQuery {
  if (live === true) return onlyStates(query, statesWhere(isLive));
  const [moment, seconds] =
    live === false
      ? [sql.ref("terminated_at"), limits.terminatedVisibleSeconds]
      : [sql.ref("terminating_at"), live.orEndedWithinSeconds];
  return query.where(sql<boolean>`(${moment} is null or ${moment} > now() - make_interval(secs => ${seconds}))`);
}
