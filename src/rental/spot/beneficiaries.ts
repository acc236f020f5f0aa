// Which launches spot instances are evicted for: those that wait and hold their line, which are not spot themselves and which
// nothing but capacity blocks. Used by evictor.ts and for-launches.ts.
//
// Invariant: whether one still holds is decided under its lock, together with everything that a launch is checked for. So
// nothing is evicted for one that would fail then.

import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { together } from "../../database/round-trips.ts";
import type { InstanceTypesTable } from "../../database/tables/catalog.ts";
import { readAccount } from "../accounts/account-store.ts";
import { quotaRefusal } from "../accounts/quotas.ts";
import type { HostBound } from "../capacity/host-order.ts";
import { endsOf, longestBootMs } from "../capacity/line.ts";
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
import { holdsLine } from "./spot-sql.ts";

/** Whether it still needs what is evicted for it. */
export type Confirmed = "holds" | "over" | "busy";

/** Of a line, so many are looked at: the others follow when these have what they need. */
const MOST_OF_LINE = 16;

export class WaitingLaunches {
  readonly #service: Service;
  readonly #inWords: InWords;

  constructor(service: Service, inWords: InWords) {
    [this.#service, this.#inWords] = [service, inWords];
  }

  /** All that instances could be evicted for now, or are under notice for. */
  async list(db: Database): Promise<Beneficiary[]> {
    const bootMs = longestBootMs(this.#service.limits.bootSeconds);
    const of = sql`w.id, w.position, w.quantity, ${endsOf(sql`w.max_lifetime_seconds`, bootMs)} as ends`;
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

  /**
   * Locks it until the transaction ends. `busy`: another transaction has it. `over`: nothing is to be evicted for it any
   * more. `mustPass`: also if it would be rejected for another reason than capacity, which is recorded then.
   */
  async confirm(tx: Transaction, id: string, mustPass: boolean): Promise<Confirmed> {
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
