-- What no host can have waits for hosts (blocked_by fleet, see 0041): also for one that gets other labels, becomes larger, or
-- is no longer lost, and for GPUs that are added to one.
create trigger retry_launches_of_fleet_changed after update on hosts for each row
  when ((new.vcpus, new.memory_gib, new.storage_gb, new.region, new.engine, new.labels, new.mode = 'lost')
    is distinct from (old.vcpus, old.memory_gib, old.storage_gb, old.region, old.engine, old.labels, old.mode = 'lost'))
  execute function retry_launches_of_fleet();
create trigger retry_launches_of_fleet_grown after update on gpu_pools for each row
  when (new.total > old.total) execute function retry_launches_of_fleet();

-- What says why an instance cost nothing stays when it is deleted. Of earlier ones it is not known.
alter table past_instances add column ended_by text, add column reservation_id uuid;
