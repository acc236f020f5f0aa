// Whether the simulated world has what the instances say, once everything has come to rest: a machine for each that is
// live, on its host, with its GPUs and as it should be; and none besides, but for the copies of moves. Used by audit.ts.

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";

/** One line for each instance without its machine, and for each machine without its instance. */
export async function machinesDisagree(db: Database): Promise<{ lost: string[]; orphans: string[] }> {
  const { rows: lost } = await sql<{ line: string }>`
    with uses as (
      select machine_id, array_agg(address order by address) as addresses, array_agg(distinct host) as hosts
      from simulated.gpu_uses group by machine_id
    )
    select format('instance %s (%s, %s): its machine is %s on %s with %s', i.id, i.state, i.health,
      coalesce(m.power || case when m.settles_at > now() then ', on its way' else '' end, 'not there'), m.host, u.addresses)
      as line
    from instances i left join simulated.machines m on m.id = i.id left join uses u on u.machine_id = i.id
    where i.state <> 'terminated' and (
      m.id is null or m.host <> i.host or m.settles_at > now()
      or m.power is distinct from case i.state when 'active' then 'on' when 'stopped' then 'off' end
      or coalesce(u.addresses, '{}') <> (select coalesce(array_agg(a order by a), '{}') from unnest(i.gpu_addresses) a)
      or coalesce(u.hosts, array[i.host]) <> array[i.host])`.execute(db);
  const { rows: orphans } = await sql<{ line: string }>`
    select format('machine %s on %s: its instance is %s', m.id, m.host, coalesce(i.state, 'unknown')) as line
    from simulated.machines m left join instances i on i.id = m.id
    where i.id is null or i.state = 'terminated'
    union all
    select format('copy of machine %s on %s: its instance is %s on %s, with the move %s', c.machine_id, c.host,
      coalesce(i.state, 'unknown'), i.host, coalesce(m.phase, 'none'))
    from simulated.copies c left join instances i on i.id = c.machine_id left join moves m on m.instance_id = i.id
    where coalesce(m.phase, 'failed') = 'failed' or c.host = i.host or c.host not in (m.from_host, m.to_host)
      or (m.phase in ('copying', 'removing-target')) is distinct from (c.host = m.to_host)`.execute(db);
  return { lost: lost.map(({ line }) => line), orphans: orphans.map(({ line }) => line) };
}
