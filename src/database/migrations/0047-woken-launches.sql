-- All of an account's that wait, also those that capacity blocks: one that is just being found to be blocked by what has
-- changed meanwhile is tried again then.
create or replace function retry_blocked_launches(of_account uuid) returns void language plpgsql as $$
begin
  update waiting_launches set next_try_at = now() where account_id = of_account and state = 'waiting';
  if found then perform pg_notify('lessor_work', 'launches'); end if;
end
$$;
