// Which spot instances can be evicted, and which are under notice, as conditions on `instances i`. Used by fleet.ts and
// settle.ts, and by capacity/host-future.ts for what reservations can count on.

import { type RawBuilder, sql } from "kysely";
import { isLive, statesWhere } from "../../rules/lifecycle.ts";
import { holdsBoth } from "../moving/move-sql.ts";

/** Live: it holds its capacity until it is evicted, or ends otherwise. */
const isStanding: RawBuilder<boolean> = sql<boolean>`i.state = any(${statesWhere(isLive)}::text[])`;

/** One that moves is on two hosts, and is left alone until it is on one. */
export const isEvictable: RawBuilder<boolean> = sql<boolean>`(i.spot and ${isStanding} and not exists (
  select from moves m where m.instance_id = i.id and ${holdsBoth}))`;

/** Its notice runs. */
export const isUnderNotice: RawBuilder<boolean> = sql<boolean>`(i.evict_at is not null and i.terminated_at is null and ${isStanding})`;
