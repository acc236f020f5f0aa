// GPUs that no instance can get now and that return by themselves: how many of each model a region has, and when they are
// expected back. Read by what shows capacity to customers and operators. The rule of the estimate: rules/gpu-return.ts.
//
// Invariant: only healthy GPUs count, on hosts that accept instances: others are no capacity when they are back. Nothing
// here says which host or instance a GPU is or was of. All that an estimate follows from is written together with the
// row of a host, and changes with time alone only when an estimate has passed: so responses with it can be cached.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import {
  backAt,
  inOrderOfReturn,
  type MeasuredSeconds,
  type ReturnFacts,
  type ReturningGpus,
} from "../../rules/gpu-return.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import { type HostSelector, hasLabels } from "../hosts/labels.ts";
import { returnsByItself } from "./gpu-sql.ts";
import { measuredSeconds } from "./times.ts";

/** Of one moment. */
export interface Returning {
  /** Of the model in the region, the soonest first. None of no model. */
  of(region: string, model: string | null): readonly ReturningGpus[];
  /** When the first estimate passes, in milliseconds since 1970, by the database's clock; infinite: there is none. */
  readonly validUntilMs: number;
}

interface ReturningFilter {
  readonly model?: string | undefined;
  /** Only on hosts with these labels. */
  readonly selector?: HostSelector | undefined;
}

const milliseconds = (moment: RawBuilder<unknown>) => sql`extract(epoch from ${moment}) * 1000`;
/** Rounded up, so that many GPUs are few groups. */
const wholeSecond = (moment: RawBuilder<unknown>) =>
  sql`date_trunc('second', ${moment} + interval '999999 microseconds')`;

// Of a row `g` of gpus and the row `h` of its host.
const returns = sql`${returnsByItself(sql`g.state`)} and g.healthy and ${acceptsInstances(sql`h.state`)}`;
const facts = sql<ReturnFacts>`jsonb_build_object('state', g.state, 'since', ${milliseconds(wholeSecond(sql`g.state_since`))},
  'attempts', g.attempts, 'isToBeValidated', g.validation_due is not null,
  'burnInUntil', ${milliseconds(wholeSecond(sql`g.burn_in_until`))},
  'validationBegan', (select ${milliseconds(sql`v.began_at`)} from gpu_validations v where v.id = g.validation_id))`;

/** One read; cheap while no GPU returns. */
export async function readReturning(db: Database, { model, selector = [] }: ReturningFilter = {}): Promise<Returning> {
  const { rows } = await sql<{
    region: string;
    model: string;
    facts: ReturnFacts;
    gpus: number;
    measured: MeasuredSeconds;
    now: number;
  }>`
    with back as materialized (
      select g.region, g.model, ${facts} as facts, g.gpus
      from (
        select h.region, g.model, g.state, g.attempts, g.validation_due, g.validation_id,
          ${wholeSecond(sql`g.state_since`)} as state_since, ${wholeSecond(sql`g.burn_in_until`)} as burn_in_until,
          count(*)::integer as gpus
        from gpus g join hosts h on h.name = g.host
        where ${returns} and ${model === undefined ? sql`true` : sql`g.model = ${model}`}
          and ${hasLabels(sql`h.labels`, selector)}
        group by 1, 2, 3, 4, 5, 6, 7, 8) g
    ), times as materialized (
      select m.model, ${measuredSeconds(sql`m.model`)} as measured from (select distinct b.model from back b) m
    )
    select region, model, facts, gpus, measured, (${milliseconds(sql`now()`)})::float8 as now
    from back join times using (model)`.execute(db);
  const keyOf = (region: string, of: string) => JSON.stringify([region, of]);
  const found = Map.groupBy(
    rows.map((row) => ({ key: keyOf(row.region, row.model), gpus: row.gpus, backAt: estimate(row) })),
    ({ key }) => key,
  );
  const batches = new Map([...found].map(([key, ones]) => [key, inOrderOfReturn(ones)]));
  const times = [...batches.values()].map(([first]) => first?.backAt?.getTime() ?? Number.POSITIVE_INFINITY);
  return {
    of: (region, of) => (of === null ? [] : (batches.get(keyOf(region, of)) ?? [])),
    validUntilMs: Math.min(...times),
  };
}

interface Estimated {
  readonly facts: ReturnFacts;
  readonly measured: MeasuredSeconds;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** What the estimate of one GPU follows from, of its row `g` and the row `h` of its host; null: it does not return. */
export const estimated: RawBuilder<Estimated | null> = sql<Estimated | null>`
  case when ${returns} then jsonb_build_object('facts', ${facts}, 'measured', ${measuredSeconds(sql`g.model`)},
    'now', ${milliseconds(sql`now()`)}) end`;

/** When it is expected back; null: there is no estimate. */
export function estimate(from: Estimated | null): Date | null {
  return from && backAt(from.facts, from.measured, from.now);
}
