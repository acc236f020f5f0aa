// When the events of changes were committed, by the database's clock, which is this machine's. Used by measures of how long
// a change takes until it is seen.

import type { Service } from "../service/service.ts";

/** From now on commits have times. Restarts the service. */
export async function trackCommits(service: Service): Promise<void> {
  await service.query("alter system set track_commit_timestamp = on");
  await service.restart();
}

const committedAt = "extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000";

/** An event and its commit, in milliseconds since 1970. */
export interface Commit {
  readonly id: string;
  readonly type: string;
  readonly accountId: string;
  /** Of what it is about: of an instance, if the type says so. */
  readonly instanceId: string;
  readonly at: number;
}

/** Of all events since this moment of the database's clock, as text. */
export function commitsSince(service: Service, since: string): Promise<Commit[]> {
  return service.query<Commit>(
    `select id, type, account_id as "accountId", subject_id as "instanceId", ${committedAt} as at from events
     where created_at >= $1::timestamptz order by position`,
    [since],
  );
}

/** Of the last event of this type of the instance. */
export async function commitOf(
  service: Service,
  { instanceId, eventType }: { readonly instanceId: string; readonly eventType: string },
): Promise<number> {
  const [row] = await service.query<{ at: number }>(
    `select ${committedAt} as at from events where subject_id = $1 and type = $2 order by created_at desc limit 1`,
    [instanceId, eventType],
  );
  if (row === undefined) throw new Error(`there is no event ${eventType} of ${instanceId}`);
  return row.at;
}
