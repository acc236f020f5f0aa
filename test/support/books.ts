// Whether what is held and what is counted as held agree: every host's room, every GPU and pool, every account's use, and
// what is promised to reservations, computed from instances and reservations alone, so it finds whatever a hold or a
// release forgot; and the ledger.

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";
import { ledgerDifferences } from "../../src/rental/ledger/differences.ts";

/** One line for each place where the books do not agree; empty: all is well. */
export async function booksDisagree(db: Database): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with holding as (select * from instances where state <> 'terminated'),
    second as (
      select i.*, case when m.phase in ('moved', 'removing-source') then m.from_host else m.to_host end as second_host
      from moves m join instances i on i.id = m.instance_id where m.phase <> 'failed'
    ),
    taken as (
      select host, vcpus, memory_gib, storage_gb from holding
      union all select second_host, vcpus, memory_gib, storage_gb from second
      union all select host, vcpus, memory_gib, storage_gb from gpu_validations
    )
    select format('host %s: free %s/%s/%s', h.name, h.free_vcpus, h.free_memory_gib, h.free_storage_gb) as line
    from hosts h left join taken i on i.host = h.name
    group by h.name
    having (h.vcpus - h.free_vcpus, h.memory_gib - h.free_memory_gib, h.storage_gb - h.free_storage_gb)
      <> (coalesce(sum(i.vcpus), 0), coalesce(sum(i.memory_gib), 0), coalesce(sum(i.storage_gb), 0))
  union all
    select format('pool %s %s: free %s of %s', p.host, p.model, p.free, p.total)
    from gpu_pools p left join gpus g on g.host = p.host and g.model = p.model
    group by p.host, p.model
    having p.total <> count(g.address)
      or p.free <> count(g.address) filter (where g.state = 'free' and g.healthy)
  union all
    select format('instance %s holds %s on %s, its row says %s', i.id, g.addresses, g.hosts, i.gpu_addresses)
    from holding i
    left join (
      select instance_id, array_agg(address order by address) as addresses, array_agg(distinct host) as hosts
      from gpus where instance_id is not null
        and not exists (select from second s where s.id = gpus.instance_id and s.second_host = gpus.host)
      group by instance_id
    ) g on g.instance_id = i.id
    where coalesce(g.addresses, '{}') <> (select coalesce(array_agg(a order by a), '{}') from unnest(i.gpu_addresses) a)
      or coalesce(g.hosts, array[i.host]) <> array[i.host] or cardinality(i.gpu_addresses) <> i.gpus
  union all
    select format('gpu %s %s is held by %s, which is gone', g.host, g.address, g.instance_id)
    from gpus g where g.instance_id is not null and not exists (select from holding i where i.id = g.instance_id)
      and not exists (select from second s where s.id = g.instance_id and s.second_host = g.host)
  union all
    select format('instance %s has %s gpus on %s, the other host of its move', s.id, count(g.address), s.second_host)
    from second s left join gpus g on g.instance_id = s.id and g.host = s.second_host
    group by s.id, s.second_host, s.gpus having count(g.address) <> s.gpus
  union all
    select format('instance %s is on %s, its move says %s', i.id, i.host, m.phase)
    from moves m join holding i on i.id = m.instance_id
    where i.host <> case when m.phase in ('moved', 'removing-source') then m.to_host else m.from_host end
  union all
    select format('account %s: uses %s instances, %s gpus, %s vcpus', a.name, a.used_instances, a.used_gpus, a.used_vcpus)
    from accounts a left join holding i on i.account_id = a.id
    group by a.id
    having (a.used_instances, a.used_gpus, a.used_vcpus) <> (count(i.id), coalesce(sum(i.gpus), 0), coalesce(sum(i.vcpus), 0))
  union all
    select format('account %s: uses %s keys, %s file systems', a.name, a.used_ssh_keys, a.used_file_systems)
    from accounts a
    where (a.used_ssh_keys, a.used_file_systems) <> (
      (select count(*) from ssh_keys k where k.account_id = a.id),
      (select count(*) from file_systems f where f.account_id = a.id))
  union all
    select format('host %s: owes %s slots to reservations, its row says %s', h.name, coalesce(sum(rh.slots), 0), h.promised)
    from hosts h left join reservation_hosts rh on rh.host = h.name
    group by h.name having h.promised <> coalesce(sum(rh.slots), 0)
  union all
    select format('reservation %s of %s is %s and has %s slots', r.id, r.quantity, r.state, coalesce(sum(rh.slots), 0))
    from reservations r left join reservation_hosts rh on rh.reservation_id = r.id
    group by r.id having coalesce(sum(rh.slots), 0) <> case when r.state in ('scheduled', 'active') then r.quantity else 0 end
  union all
    select format('reservation %s of %s is used by %s instances', r.id, r.quantity, count(*))
    from reservations r join holding i on i.reservation_id = r.id
    group by r.id having count(*) > r.quantity
  union all
    select format('reservation %s is %s and has %s spans of its quantity', r.id, r.state, count(s.id))
    from reservations r left join billing_spans s
      on s.instance_id = r.id and s.quantity = r.quantity and s.started_at = r.started_at
    group by r.id having count(s.id) <> case when r.state in ('active', 'ended') then 1 else 0 end
  union all
    select format('file system %s is attached to %s, which is gone', f.name, one)
    from file_systems f, unnest(f.attached_to) one
    where not exists (select from holding i where i.id = one)`.execute(db);
  return [...rows.map((row) => row.line), ...(await ledgerDifferences(db))];
}
