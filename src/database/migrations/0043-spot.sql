-- Spot: instances at a lower price, which are evicted for launches that wait (src/rental/spot).

alter table instance_types
  -- Null: it is not offered as spot.
  add column spot_price_cents_per_hour integer check (spot_price_cents_per_hour between 0 and price_cents_per_hour);

alter table instances
  add column spot boolean not null default false,
  -- Its notice runs: when it is evicted, and for which waiting launch. Both stay when it has ended.
  add column evict_at timestamptz,
  add column evicted_for uuid,
  -- Its guest was asked to halt for that, and no action followed: it starts again if the notice is withdrawn.
  add column evict_stopped boolean not null default false,
  -- What its guest was told last: null is that it is not evicted.
  add column evict_told timestamptz,
  add check ((evict_at is null) = (evicted_for is null)),
  add check (spot or (evict_at is null and not evict_stopped)),
  drop constraint instances_ended_by_check,
  add constraint instances_ended_by_check
    check (ended_by in ('customer', 'operator', 'spend-limit', 'lifetime', 'failure', 'host-lost', 'idle', 'preempted'));
-- Who could be evicted where, and what is under notice: few, whatever else there is.
create index instances_spot on instances (host) where spot and terminated_at is null;
create index instances_evicted on instances (evicted_for) where evict_at is not null and terminated_at is null;
create index instances_stopped_for_spot on instances (id) where evict_stopped;
create index instances_evict_told on instances (engine)
  where terminated_at is null and evict_told is distinct from evict_at;

-- Those that want spot instances wait in lines of their own, behind the others.
alter table launch_lines
  add column spot boolean not null default false,
  drop constraint launch_lines_instance_type_region_bound_key,
  add unique nulls not distinct (instance_type, region, bound, spot);
alter table waiting_launches add column spot boolean not null default false;

-- As before, and in the order in which they are tried: spot behind what is not.
create or replace function retry_launches_within_quota(of_account uuid) returns void language plpgsql as $$
begin
  update waiting_launches set next_try_at = now()
  from (
    select w.id, sum(w.quantity) over fitting as instances, sum(w.quantity * t.gpus) over fitting as gpus,
      sum(w.quantity * t.vcpus) over fitting as vcpus, a.quota_instances - a.used_instances as free_instances,
      a.quota_gpus - a.used_gpus as free_gpus, a.quota_vcpus - a.used_vcpus as free_vcpus
    from waiting_launches w join accounts a on a.id = w.account_id join instance_types t on t.name = w.instance_type
    where w.account_id = of_account and w.state = 'waiting' and w.blocked_by = 'quota'
      and w.quantity <= a.quota_instances - a.used_instances
      and (t.gpus = 0 or w.quantity * t.gpus <= a.quota_gpus - a.used_gpus)
      and w.quantity * t.vcpus <= a.quota_vcpus - a.used_vcpus
    window fitting as (order by w.spot, w.position)
  ) fit
  where waiting_launches.id = fit.id
    and fit.instances <= free_instances and (fit.gpus = 0 or fit.gpus <= free_gpus) and fit.vcpus <= free_vcpus;
  if found then perform pg_notify('lessor_work', 'launches'); end if;
end
$$;

-- What was billed of an instance that was evicted at once, if it cannot be left out of its span any more.
alter table billing_credits
  drop constraint billing_credits_reason_check,
  add constraint billing_credits_reason_check check (reason in ('downtime', 'gpu-fault', 'preemption'));

-- What the service wrote into simulated guests, by path; null: nothing.
alter table simulated.machines add column files jsonb;
alter table simulated.faults
  drop constraint faults_operation_check,
  add constraint faults_operation_check check (operation in ('hosts', 'create', 'start', 'stop', 'remove', 'inspect',
    'list', 'set-inbound', 'write-guest-file', 'remove-file-system', 'console-log', 'open-terminal', 'move', 'remove-copy',
    'reset-gpus'));
