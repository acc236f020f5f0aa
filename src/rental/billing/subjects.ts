// What a span, a line of a statement or a credit is of: an instance, or a reservation. Used by the other files of billing/.

import { type RawBuilder, sql } from "kysely";
import type { Ending } from "../../rules/lifecycle.ts";
import type { NoCostReason } from "../../rules/no-cost.ts";
import { everyInstance } from "../instances/past-instances.ts";
import type { CreditReason } from "./credits.ts";

export interface Subject {
  readonly kind: "instance" | "reservation";
  readonly id: string;
  readonly name: string;
}

interface SubjectRow {
  readonly id: string;
  readonly name: string;
  readonly instance_type: string;
  readonly region: string;
  readonly is_reservation: boolean;
  readonly ended_by: string | null;
  /** The one that pays for an instance. */
  readonly reservation_id: string | null;
}

/** Everything that can be billed, as SubjectRow. Only for use in a FROM; each part is found by its key. */
export const everySubject: RawBuilder<SubjectRow> = sql<SubjectRow>`(
  select id, name, instance_type, region, false as is_reservation, ended_by, reservation_id from ${everyInstance} every_instance
  union all
  select id, name, instance_type, region, true, null, null from reservations)`;

/** NoCostReason of `billing_spans s` of the subject `i`; null: it is billed. */
export const noCostReason: RawBuilder<string | null> = sql<string | null>`case
  when i.reservation_id is not null then ${sql.lit("reservation" satisfies NoCostReason)}
  when i.ended_by = ${sql.lit("preempted" satisfies Ending)} and (s.ended_at = s.started_at or exists (
    select from billing_credits c where c.instance_id = s.instance_id
      and c.reason = ${sql.lit("preemption" satisfies CreditReason)}))
    then ${sql.lit("preempted" satisfies NoCostReason)} end`;

export function subjectOf({ id, name, is_reservation }: Pick<SubjectRow, "id" | "name" | "is_reservation">): Subject {
  return { kind: is_reservation ? "reservation" : "instance", id, name };
}
