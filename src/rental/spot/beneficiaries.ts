// Who spot instances are evicted for: waiting launches that hold their line, which are not spot themselves and which nothing
// but capacity blocks. Used by evictor.ts and settle.ts, which know nothing else of them: another kind is one more entry of
// `kinds`.
//
// Invariant: whether one still holds is decided under its lock, together with everything that a launch is checked for. So
// nothing is evicted for one that would fail then.

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { together } from "../../database/round-trips.ts";
import type { InstanceTypesTable } from "../../database/tables/catalog.ts";
import { holdingBlocker, waitingState } from "../../rules/waiting-launches.ts";
import { readAccount } from "../accounts/account-store.ts";
import { quotaRefusal } from "../accounts/quotas.ts";
import type { HostBound } from "../capacity/host-order.ts";
import { endsOf } from "../capacity/line.ts";
import { instanceTypeOf } from "../catalog/instance-type-store.ts";
import { RentalError } from "../errors.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { useOf } from "../launching/place.ts";
import { type Asked, launchQuestions, planLaunches } from "../launching/plan.ts";
import type { Service } from "../service.ts";
import type { InWords } from "../waiting/blockers.ts";
import { notPlaced } from "../waiting/not-placed.ts";
import { openWaiting } from "../waiting/waiting-request.ts";
import type { Beneficiary } from "./plan.ts";

export interface BeneficiaryKind {
  /** All that instances could be evicted for now, or are under notice for. */
  list(db: Database): Promise<Beneficiary[]>;
  /** The position of the one with this id; null: instances cannot be evicted for it. */
  positionOf(id: RawBuilder<string>): RawBuilder<number | null>;
  /**
   * Locks it until the transaction ends. `busy`: another transaction has it. `over`: nothing is to be evicted for it any
   * more. `mustPass`: also if it would be rejected for another reason than capacity, which is recorded then.
   */
  confirm(tx: Transaction, id: string, mustPass: boolean): Promise<"holds" | "over" | "busy">;
}

/** Whether `waiting_launches w` holds its line and can have others evicted. */
const holdsLine = sql<boolean>`(w.state = ${sql.lit(waitingState)} and w.blocked_by = ${sql.lit(holdingBlocker)} and not w.spot)`;

/** Of a line, so many are looked at: the others follow when these have what they need. */
const MOST_OF_LINE = 16;

export class WaitingLaunches implements BeneficiaryKind {
  readonly #service: Service;
  readonly #inWords: InWords;

  constructor(service: Service, inWords: InWords) {
    [this.#service, this.#inWords] = [service, inWords];
  }

  async list(db: Database): Promise<Beneficiary[]> {
    const of = sql`w.id, w.position, w.quantity, ${endsOf(sql`w.max_lifetime_seconds`)} as ends`;
    const { rows } = await sql<Row>`
      with found as (
        select first.*, l.id as line from launch_lines l cross join lateral (
          select ${of} from waiting_launches w
          where w.line_id = l.id and ${holdsLine}
          order by w.position limit ${MOST_OF_LINE}) first
        where not l.spot
        union
        select ${of}, w.line_id from waiting_launches w
        where w.id in (select evicted_for from instances where evict_at is not null and terminated_at is null)
          and ${holdsLine}
      )
      select f.*, l.region, l.bound, to_jsonb(t) as type
      from found f join launch_lines l on l.id = f.line join instance_types t on t.name = l.instance_type`.execute(db);
    return rows.map(({ region, type, ends, ...one }) => ({
      ...one,
      region: region ?? undefined,
      endsMs: ends === null ? undefined : Number(ends),
      product: instanceTypeOf(type),
    }));
  }

  positionOf(id: RawBuilder<string>): RawBuilder<number | null> {
    return sql<number | null>`(select w.position from waiting_launches w where w.id = ${id} and ${holdsLine})`;
  }

  async confirm(tx: Transaction, id: string, mustPass: boolean): Promise<"holds" | "over" | "busy"> {
    const { rows } = await sql<{ holds: boolean }>`
      select ${holdsLine} as holds from waiting_launches w where w.id = ${id} for update skip locked`.execute(tx);
    const [row] = rows;
    if (row === undefined) return "busy";
    if (!row.holds) return "over";
    if (!mustPass) return "holds";
    const request = await openWaiting(tx, this.#service, id);
    if (request === undefined) return "over";
    const error = request.refusal ?? (await this.#rejection(tx, request));
    if (error === undefined) return "holds";
    // Others have their turn now.
    if (await notPlaced(tx, this.#service, request, error, this.#inWords)) await wakeReconciler(tx, "launches");
    return "over";
  }

  /** What else than capacity keeps it from being placed. */
  async #rejection(tx: Transaction, asked: Asked): Promise<RentalError | undefined> {
    const named = await together(tx, launchQuestions(tx, [asked]));
    const [plan] = await planLaunches(tx, this.#service.limits, [asked], named);
    if (plan === undefined) throw new Error("BUG: a launch that is asked for is planned or rejected");
    if (plan instanceof RentalError) return plan;
    return quotaRefusal(await readAccount(tx, asked.principal.accountId), useOf(plan));
  }
}

interface Row {
  id: string;
  position: number;
  quantity: number;
  line: string;
  ends: string | null;
  region: string | null;
  bound: HostBound;
  type: Selectable<InstanceTypesTable>;
}
