-- Where each file system of an instance is mounted, and what a launch hands to cloud-init.

-- [{"file_system_id", "mount_point"}], in the order of file_system_names. Frozen at launch, like those: it outlives the
-- file system. What is attached now is told as it was mounted until now; of what has ended nobody knows the ids any more.
alter table instances add column file_system_mounts jsonb not null default '[]';
update instances i set file_system_mounts = (
    select jsonb_agg(jsonb_build_object('file_system_id', f.id, 'mount_point', '/mnt/' || f.name)
      order by array_position(i.file_system_names, f.name))
    from file_systems f where f.attached_to = i.id)
  where exists (select 1 from file_systems f where f.attached_to = i.id);

-- Sealed, and apart from the instances, which are read again and again: it may be a megabyte. All instances of a launch
-- share a row, which goes when the last of them is terminated, for that never boots again (rental/instances/record-fact.ts
-- lets go of it, and past-instances.ts deletes it).
create table user_data (
  id uuid primary key,
  text_sealed text not null
);
-- Encrypted, so there is nothing to compress.
alter table user_data alter column text_sealed set storage external;
alter table instances add column user_data_id uuid references user_data;
create index instances_user_data on instances (user_data_id) where user_data_id is not null;

-- The simulated engine tells where it would have mounted file systems, and of the user data only how much there was.
alter table simulated.machines
  add column mount_points text[] not null default '{}',
  add column user_data_bytes integer not null default 0;
