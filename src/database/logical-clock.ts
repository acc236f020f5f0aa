// The clock that orders events (events.tx) and changes of hosts (hosts.changed_in): the transaction id plus an offset
// of this database (`ahead`; migration 0007). Ids start over in every cluster, so a database that is loaded into
// another one would show its old events only when the new cluster has caught up with them, and would sort new ones
// among the old. Used by start-sequence.ts, and by a restore (src/backup/).
//
// Why `ahead` may be raised while others write. It is raised under a lock on the three tables that no writer of them
// can hold at the same time, and a statement takes its snapshot after its locks. So writers with the old value have
// ended before the new one is committed, and later writers read the new one. With A the value, X the id of the
// transaction that raises it and M the newest place that is stored, X + A > M:
// - Nothing new sorts before what is stored. An event's place is at least that of the last transaction that had ended
//   when it was written; X is one of those, also for a transaction that is older than X.
// - A reader skips nothing. It reads up to the oldest running transaction, R + A. Unended transactions have an id of R
//   or more and write with A, because those that wrote with the old value had ended before A could be read.
// - The capacity cache (capacity/cache.ts) misses nothing: what it has not seen was written by a transaction that was
//   running at its last poll, at R + A or, before the raise, at R + the old value, which is less.
// Cursors given out after a backup was taken are ahead of everything in it. They must not be ahead of new events, or
// their readers would wait in vain: so `ahead` is raised by a margin that no cluster uses up.

import pg from "pg";

/** 2^40 transactions: three and a half years of 10,000 a second. There is room for eight million such steps. */
const margin = 2n ** 40n;

/**
 * Raises the clock if stored values are ahead of it, as after a dump was loaded into a new cluster. True if it did.
 * Costs one look-up for each account. Throws what the database throws.
 */
export async function mendClock(config: { url: string }): Promise<boolean> {
  const client = new pg.Client({ connectionString: config.url, application_name: "lessor clock" });
  client.on("error", () => {}); // the statement that meets the lost connection throws
  await client.connect();
  try {
    if (!(await isBehind(client))) return false;
    await client.query("begin isolation level read committed");
    await lockClock(client);
    // Another replica that started at the same time may have done it.
    const behind = await isBehind(client);
    if (behind) await raise(client);
    await client.query("commit");
    return behind;
  } finally {
    await client.end();
  }
}

/** In the caller's transaction, which loaded the stored values: later ones sort after all of them, and all cursors. */
export async function raiseClock(client: pg.Client): Promise<void> {
  await lockClock(client);
  await raise(client);
}

/** In the order in which a launch locks them. */
async function lockClock(client: pg.Client): Promise<void> {
  await client.query("lock table hosts, removed_hosts, events in share row exclusive mode");
}

/** The newest stored place. An account's newest event is one step in its index; there is none over all of them. */
const newest = `greatest(
  (select max(last.tx::text::bigint) from accounts a cross join lateral
    (select e.tx from events e where e.account_id = a.id order by e.tx desc, e.position desc limit 1) last),
  (select h.changed_in::text::bigint from hosts h order by h.changed_in desc limit 1),
  (select max(r.changed_in::text::bigint) from removed_hosts r), 0)`;

/** Everything this cluster wrote is below the first id that no transaction of the snapshot has. */
async function isBehind(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ behind: boolean }>(
    `select ${newest} >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + logical_ahead() as behind`,
  );
  return rows[0]?.behind === true;
}

async function raise(client: pg.Client): Promise<void> {
  await client.query(
    `insert into logical_clock as c (ahead)
    select greatest(0, logical_ahead(), ${newest} - pg_current_xact_id()::text::bigint + 1 + $1::bigint)
    on conflict (one) do update set ahead = excluded.ahead`,
    [String(margin)],
  );
}
