// What a span, a line of a statement or a credit is of: an instance, or a reservation. Used by the other files of billing/.

import { type RawBuilder, sql } from "kysely";
import { everyInstance } from "../instances/past-instances.ts";

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
}

/** Everything that can be billed, as SubjectRow. Only for use in a FROM; each part is found by its key. */
export const everySubject: RawBuilder<SubjectRow> = sql<SubjectRow>`(
  select id, name, instance_type, region, false as is_reservation from ${everyInstance} every_instance
  union all
  select id, name, instance_type, region, true from reservations)`;

export function subjectOf({ id, name, is_reservation }: Pick<SubjectRow, "id" | "name" | "is_reservation">): Subject {
  return { kind: is_reservation ? "reservation" : "instance", id, name };
}
