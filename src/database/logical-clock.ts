// The clock that orders events (events.tx) and changes of hosts (hosts.changed_in): the id of the transaction, and what
// this database counts more than its cluster (`ahead`; migration 0007). Ids begin anew in every cluster, so a database
// that is brought into another one would show its old events only when the new cluster has caught up with them, and
// give new ones places among the old. Used by start-sequence.ts, and by a restore (src/backup/).
//
// Why `ahead` may be raised while others write. It is raised under a lock on the three tables that no writer of them
// can hold at the same time, and a statement takes its snapshot after its locks. So whoever wrote by the old value has
// ended before the new one is committed, and whoever writes later reads the new one. With A the value, X the id of the
// transaction that raises it and M the newest place that is stored, X + A > M:
// - Nothing new sorts before what is stored. An event's place is at least that of the last transaction that had ended
//   when it was written; X is one of those, also for a transaction that is older than X.
// - A reader passes nothing. It reads up to the oldest running transaction, R + A. Whoever has not ended has an id of R
//   or more and writes by A, for those that wrote by the old value had ended before A could be read.
// - The mirror of hosts (capacity/cache.ts) misses nothing: what it has not seen was written by a transaction that was
//   running when it last looked, at R + A or, before the raise, at R + the old value, which is less.
// Cursors that were given out after a backup was taken are ahead of everything in it. They must not be ahead of what
// comes next, or their readers would wait for it in vain: so `ahead` is raised by a margin that no cluster uses up.

import pg from "pg";

/** 2^40 transactions: three and a half years of 10,000 a second. There is room for eight million such steps. */
const margin = 2n ** 40n;

/**
 * Looks whether what is stored is ahead of the clock, as after a dump was loaded into a new cluster, and then raises it.
 * True when it did. Costs one look-up for each account. Throws what the database throws.
 */
export async function mendClock(config: { url: string }): Promise<boolean> {
  const client = new pg.Client({ connectionString: config.url, application_name: "lessor clock" });
  client.on("error", () => {}); // the statement that meets the lost connection throws
  await client.connect();
  try {
    if (!(await isBehind(client))) return false;
    await client.query("begin isolation level read committed");
    await lockClock(client);
    // Another server that started at the same time may have done it.
    const behind = await isBehind(client);
    if (behind) await raise(client);
    await client.query("commit");
    return behind;
  } finally {
    await client.end();
  }
}

/** In the caller's transaction, which loaded what is stored: whatever comes next sorts after all of it, and after all cursors. */
export async function raiseClock(client: pg.Client): Promise<void> {
  await lockClock(client);
  await raise(client);
}

/** In the order in which a launch comes to them. */
async function lockClock(client: pg.Client): Promise<void> {
  await client.query("lock table hosts, removed_hosts, events in share row exclusive mode");
}

/** The newest place that is stored. An account's newest event is one step in its index; there is none over all of them. */
const newest = `greatest(
  (select max(last.tx::text::bigint) from accounts a cross join lateral
    (select e.tx from events e where e.account_id = a.id order by e.tx desc, e.position desc limit 1) last),
  (select h.changed_in::text::bigint from hosts h order by h.changed_in desc limit 1),
  (select max(r.changed_in::text::bigint) from removed_hosts r), 0)`;

/** Everything this cluster wrote lies before the first id that no transaction of the snapshot has. */
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
