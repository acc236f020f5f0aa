// Creates, changes, rotates and deletes webhooks. Source: decisions, Events. Invariant: a webhook misses no event that
// was written after its creation: its cursor starts after what could be read then, and only the reconciler
// (deliveries/outbox.ts) moves it. Invariant: changes lock the webhook's row first, so they and the reconciler never
// work with two versions.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { invalid, RentalError } from "../errors.ts";
import { cursorNow, parseCursor } from "../events/event-store.ts";
import { accountEventSubjects } from "../events/event-types.ts";
import { recordEvents } from "../events/record.ts";
import { parseGlobs } from "../events/type-globs.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { everything, type Page, pageOf } from "../paging.ts";
import type { Principal, Service } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { newSecret, openSecrets, previousSecretContext, secretContext } from "./secret.ts";
import { defaultWebhookSettings } from "./settings.ts";
import { parseTarget } from "./target.ts";
import { fromRow, type Webhook, type WebhookRow, webhookEvent } from "./webhook.ts";

export interface WebhookOrder {
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
  readonly active: boolean;
}

/** What can be changed; absent fields stay unchanged. */
export type WebhookChange = { readonly [K in keyof WebhookOrder]?: WebhookOrder[K] | undefined };

/** For a webhook that has not failed. */
const cleanRecord = {
  failing_since: null,
  failures: 0,
  paused_until: null,
  last_error: null,
  last_status_code: null,
} as const;

/** With the secret, which is shown only once. */
export type WithSecret = Webhook & { readonly secret: string };

/** How long the previous secret also signs after a rotation: a day by default, at most a week. */
export const defaultOverlapSeconds = 86_400;
export const longestOverlapSeconds = 7 * 86_400;

/** Throws RentalError invalid-parameters, quota-exceeded. */
export async function createWebhook(
  tx: Transaction,
  service: Service,
  principal: Principal,
  order: WebhookOrder,
): Promise<WithSecret> {
  const set = checked(service, order);
  const { tx: cursorTx, position } = parseCursor(await cursorNow(tx));
  const id = uuidv7();
  const secret = newSecret();
  await takePlace(tx, service, principal);
  const row = await tx
    .insertInto("webhooks")
    .values({
      id,
      account_id: principal.accountId,
      url: set.url ?? order.url,
      description: order.description,
      event_types: set.event_types ?? [],
      active: order.active,
      secret_sealed: service.keyRing.seal(secret, secretContext(id)),
      cursor_tx: cursorTx,
      cursor_position: Number(position),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordEvents(tx, [webhookEvent(row, "created")]);
  return { ...(await shown(tx, row)), secret };
}

/** The account's webhooks, oldest first. */
export async function listWebhooks(db: Database, principal: Principal, page: Page = everything): Promise<Webhook[]> {
  const query = db.selectFrom("webhooks").selectAll().where("account_id", "=", principal.accountId);
  const rows = await pageOf(query, "id", page).execute();
  const now = await databaseNow(db);
  return rows.map((row) => fromRow(row, now));
}

/** Throws RentalError unknown-object. */
export async function readWebhook(db: Database, principal: Principal, id: string): Promise<Webhook> {
  const row = await db
    .selectFrom("webhooks")
    .selectAll()
    .where("id", "=", asUuid(id))
    .where("account_id", "=", principal.accountId)
    .executeTakeFirst();
  if (row === undefined) throw unknownWebhook(id);
  return shown(db, row);
}

/**
 * When re-enabled, delivery resumes where it stopped, and waiting deliveries are tried at once. A new URL resets
 * failures. Throws RentalError invalid-parameters, unknown-object.
 */
export async function changeWebhook(
  tx: Transaction,
  service: Service,
  principal: Principal,
  id: string,
  change: WebhookChange,
): Promise<Webhook> {
  const set = checked(service, change);
  const before = await lockWebhook(tx, principal, id);
  const changes = (Object.keys(set) as (keyof typeof set)[]).some(
    (column) => JSON.stringify(set[column]) !== JSON.stringify(before[column]),
  );
  if (!changes) return shown(tx, before);
  const anew = (set.active === true && !before.active) || (set.url !== undefined && set.url !== before.url);
  const row = await tx
    .updateTable("webhooks")
    .set({
      ...set,
      ...(set.active === undefined ? {} : { disabled_reason: null }),
      ...(anew ? { ...cleanRecord, troubled: false } : {}),
    })
    .where("id", "=", before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (anew) {
    await sql`update webhook_deliveries set next_attempt_at = now()
      where webhook_id = ${row.id} and status = 'pending' and next_attempt_at > now()`.execute(tx);
    await wakeReconciler(tx, "webhooks");
  }
  await recordEvents(tx, [webhookEvent(row, "changed")]);
  return shown(tx, row);
}

/**
 * Creates another secret; the current one also signs for `overlapSeconds`. Rejected while a previous one still signs,
 * because that one would end early; but with an overlap of 0, for a stolen secret, all previous ones end at once.
 * Throws RentalError unknown-object, invalid-parameters, conflict.
 */
export async function rotateSecret(
  tx: Transaction,
  { keyRing }: Service,
  principal: Principal,
  id: string,
  overlapSeconds = defaultOverlapSeconds,
): Promise<WithSecret> {
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > longestOverlapSeconds) {
    throw invalid("overlap_seconds", `Must be a whole number of seconds from 0 to ${longestOverlapSeconds}.`);
  }
  const before = await lockWebhook(tx, principal, id);
  const keep = overlapSeconds > 0;
  if (keep) refuseOverlap(await shown(tx, before));
  const secret = newSecret();
  const [former = ""] = openSecrets(keyRing, before);
  const row = await tx
    .updateTable("webhooks")
    .set({
      secret_sealed: keyRing.seal(secret, secretContext(before.id)),
      previous_secret_sealed: keep ? keyRing.seal(former, previousSecretContext(before.id)) : null,
      previous_secret_until: keep ? sql<Date>`now() + make_interval(secs => ${overlapSeconds}::float8)` : null,
    })
    .where("id", "=", before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordEvents(tx, [webhookEvent(row, "secret_rotated")]);
  return { ...(await shown(tx, row)), secret };
}

/** Throws RentalError conflict while a previous secret signs. */
function refuseOverlap({ previousSecretUntil: until }: Webhook): void {
  if (until === null) return;
  throw new RentalError("conflict", {
    message: `The webhook's previous secret also signs until ${until.toISOString()}, and another rotation would end it earlier.`,
    suggestion: "Wait until then, or send overlap_seconds 0, which invalidates all previous secrets immediately.",
  });
}

/** Stops deliveries; an attempt in progress ends by itself. Throws RentalError unknown-object. */
export async function deleteWebhook(tx: Transaction, principal: Principal, id: string): Promise<void> {
  const row = await lockWebhook(tx, principal, id);
  await tx.deleteFrom("webhooks").where("id", "=", row.id).execute();
  await recordEvents(tx, [webhookEvent({ ...row, active: false }, "deleted")]);
}

/** The row, locked until the transaction ends. Throws RentalError unknown-object. */
export async function lockWebhook(tx: Transaction, principal: Principal, id: string): Promise<WebhookRow> {
  const row = await tx
    .selectFrom("webhooks")
    .selectAll()
    .where("id", "=", asUuid(id))
    .where("account_id", "=", principal.accountId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw unknownWebhook(id);
  return row;
}

/** As columns. Throws RentalError invalid-parameters. */
function checked(service: Service, change: WebhookChange) {
  const { url, description, eventTypes, active } = change;
  const settings = service.webhooks ?? defaultWebhookSettings;
  return {
    ...(url === undefined ? {} : { url: parseTarget(url, settings) }),
    ...(description === undefined ? {} : { description }),
    ...(eventTypes === undefined ? {} : { event_types: parseGlobs("event_types", eventTypes, accountEventSubjects) }),
    ...(active === undefined ? {} : { active }),
  };
}

/** Counts under the account's lock, which decides races for the last one. Throws RentalError quota-exceeded. */
async function takePlace(tx: Transaction, service: Service, { accountId }: Principal): Promise<void> {
  const { perAccount } = service.webhooks ?? defaultWebhookSettings;
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx);
  const { rows } = await sql<{ used: number }>`
    select count(*)::integer as used from webhooks where account_id = ${accountId}`.execute(tx);
  const used = rows[0]?.used ?? 0;
  if (used < perAccount) return;
  throw new RentalError("quota-exceeded", { what: "webhooks", limit: perAccount, used, requested: 1 });
}

function unknownWebhook(id: string): RentalError {
  return new RentalError("unknown-object", { what: "webhook", ids: [id] });
}

async function shown(db: Database, row: WebhookRow): Promise<Webhook> {
  return fromRow(row, await databaseNow(db));
}

async function databaseNow(db: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select without a row");
  return row.now;
}
