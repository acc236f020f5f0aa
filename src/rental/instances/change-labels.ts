// Changes an instance's name and tags after launch. The host name stays, because the guest, certificates and the
// customer's notes use it. Source: decisions, Identifiers and names, and The lambda edition.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { checkInstanceName, defaultInstanceName } from "../../rules/names.ts";
import { problemsOfTags, type Tag } from "../../rules/tag-rules.ts";
import { type FieldProblem, RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Principal, Service } from "../service.ts";
import { fromRow, type Instance } from "./instance.ts";
import { instanceEvent } from "./instance-event.ts";
import { lockOwn } from "./instance-store.ts";

/** What to change; absent fields stay unchanged. */
export interface Labels {
  /** Empty: the default name. */
  readonly name?: string | undefined;
  /** Replaces all tags; empty: none. */
  readonly tags?: readonly Tag[] | undefined;
  /** The variant's names of these fields. */
  readonly fields: { readonly name: string; readonly tags: string };
}

/**
 * Returns the changed instance. Records an event for each of the two that changed. Throws RentalError unknown-object,
 * invalid-parameters.
 */
export async function changeLabels(
  tx: Transaction,
  service: Service,
  principal: Principal,
  id: string,
  labels: Labels,
): Promise<Instance> {
  refuseBad(labels);
  const instance = await lockOwn(tx, service, principal, id);
  const name = labels.name === "" ? defaultInstanceName(instance.product.name, instance.id) : labels.name;
  const newName = name !== instance.name ? name : undefined;
  const newTags = isSame(labels.tags ?? instance.tags, instance.tags) ? undefined : labels.tags;
  if (newName === undefined && newTags === undefined) return instance;
  const tags = newTags === undefined ? null : JSON.stringify(newTags.map(({ key, value }) => ({ key, value })));
  const { rows } = await sql<Selectable<InstancesTable>>`
    update instances set name = coalesce(${newName ?? null}, name), tags = coalesce(${tags}::jsonb, tags)
    where id = ${instance.id} returning *`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: an instance locked by this transaction was not updated");
  const changed = fromRow(row);
  const tagged = instanceEvent(row, "tags_changed");
  await recordEvents(tx, [
    ...(newName === undefined ? [] : [instanceEvent(row, "renamed")]),
    ...(newTags === undefined ? [] : [{ ...tagged, data: { ...tagged.data, tags: changed.tags } }]),
  ]);
  return changed;
}

function refuseBad({ name, tags, fields }: Labels): void {
  const problem = name === undefined || name === "" ? undefined : checkInstanceName(name);
  const problems: [string, string][] = problem === undefined ? [] : [[fields.name, problem]];
  for (const [within, message] of problemsOfTags(tags ?? [])) {
    problems.push([within === "" ? fields.tags : `${fields.tags}.${within}`, message]);
  }
  if (problems.length === 0) return;
  const named = problems.map(([field, message]): [string, FieldProblem] => [
    field,
    { code: "global/invalid-parameters", message },
  ]);
  throw new RentalError("invalid-parameters", { fields: Object.fromEntries(named) });
}

function isSame(one: readonly Tag[], other: readonly Tag[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ key, value }, at) => other[at]?.key === key && other[at].value === value)
  );
}
