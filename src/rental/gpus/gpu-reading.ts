// GPUs for operators: where each is, its state and why. Read by the control interface and metrics; no decision depends on
// it (capacity/placement.ts and decisions.ts decide, under locks).

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { asGpuState, type GpuState, type ValidationCause, type Verdict } from "../../rules/gpu-lifecycle.ts";
import { RentalError } from "../errors.ts";
import { everything, type Page } from "../paging.ts";
import { estimate, estimated } from "./returning.ts";

export interface Gpu {
  readonly id: string;
  readonly host: string;
  readonly region: string;
  readonly address: string;
  readonly model: string;
  /** In GiB; 0: unknown. */
  readonly memoryGib: number;
  /** As its engine reports it. */
  readonly healthy: boolean;
  readonly state: GpuState;
  readonly stateSince: Date;
  /** When it is expected to be free again; null: no estimate. */
  readonly backAt: Date | null;
  /** Of a quarantined one: a code of the service (quarantineReasons), or an operator's words. */
  readonly reason: string | null;
  /** What the helper of its host or its validation found, as text of at most 16 KiB, which can have several lines. */
  readonly evidence: string | null;
  /** The name of the account of the operator who quarantined it; null: the service did. */
  readonly decidedBy: string | null;
  /** Why it is quarantined when its instance is gone; null: it is not. */
  readonly quarantineNext: string | null;
  /** The instance that has it. */
  readonly instanceId: string | null;
  /** How often its reset or its validation was tried, whichever its state says. */
  readonly attempts: number;
  /** Why it is to be validated before it is offered; null: it is not. */
  readonly validationDue: ValidationCause | null;
  /** The machine of a validation has it. */
  readonly isInValidation: boolean;
  /** The last one that is over; null: none. */
  readonly lastValidation: { readonly at: Date; readonly verdict: Verdict } | null;
}

export interface GpuFilter {
  readonly state?: GpuState | undefined;
  readonly host?: string | undefined;
  readonly model?: string | undefined;
  /** True: only those that are quarantined, or are when their instance is gone. */
  readonly quarantined?: boolean | undefined;
}

/** What it is ordered by in a page, so that the next one is found when it was removed: no host's name has a space. */
export const gpuKey = ({ host, address }: Pick<Gpu, "host" | "address">) => `${host} ${address}`;

/** Those that match, by host and address. `after` of the page: a gpuKey. */
export async function listGpus(db: Database, page: Page = everything, filter: GpuFilter = {}): Promise<Gpu[]> {
  const { state, host, model, quarantined } = filter;
  const wanted = [
    ...(page.after === undefined ? [] : [isAfter(page.after)]),
    ...(state === undefined ? [] : [sql`g.state = ${state}`]),
    ...(host === undefined ? [] : [sql`g.host = ${host}`]),
    ...(model === undefined ? [] : [sql`g.model = ${model}`]),
    ...(quarantined === true ? [sql`(g.state = 'quarantined' or g.quarantine_next is not null)`] : []),
  ];
  return select(db, wanted.length === 0 ? sql`true` : sql.join(wanted, sql` and `), page.limit);
}

function isAfter(key: string): RawBuilder<unknown> {
  const [host, ...address] = key.split(" ");
  return sql`(g.host, g.address) > (${host}, ${address.join(" ")})`;
}

/** Throws RentalError unknown-object. */
export async function readGpu(db: Database, host: string, address: string): Promise<Gpu> {
  const [gpu] = await select(db, sql`g.host = ${host} and g.address = ${address}`, 1);
  if (gpu === undefined) throw new RentalError("unknown-object", { what: "GPU", ids: [`${host} ${address}`] });
  return gpu;
}

type Row = Omit<Gpu, "state" | "backAt" | "lastValidation"> & {
  readonly state: string;
  readonly back: Parameters<typeof estimate>[0];
  readonly last_validated_at: Date | null;
  readonly last_verdict: Verdict | null;
};

async function select(db: Database, where: RawBuilder<unknown>, limit: number | undefined): Promise<Gpu[]> {
  const { rows } = await sql<Row>`
    select g.id, g.host, h.region, g.address, g.model, g.memory_gib as "memoryGib", g.healthy, g.state,
      g.state_since as "stateSince", ${estimated} as back, g.reason, g.evidence,
      (select a.name from accounts a where a.id = g.decided_by) as "decidedBy", g.quarantine_next as "quarantineNext",
      g.instance_id as "instanceId", g.attempts, g.validation_due as "validationDue",
      g.validation_id is not null as "isInValidation", g.last_validated_at, g.last_verdict
    from gpus g join hosts h on h.name = g.host
    where ${where} order by g.host, g.address limit ${limit ?? null}`.execute(db);
  return rows.map(({ back, last_validated_at: at, last_verdict: verdict, ...row }) => ({
    ...row,
    state: asGpuState(row.state),
    backAt: estimate(back),
    lastValidation: at === null || verdict === null ? null : { at, verdict },
  }));
}
