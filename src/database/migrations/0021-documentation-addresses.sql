-- Simulated machines have addresses that RFC 5737 keeps for documentation: no client that tries one reaches anybody's
-- network, as it might with 10.0.0.0/8. Machines that are there keep theirs.
--
-- There are 508 of them, so they repeat in a world with more machines, as nothing is reached by them. A sequence gives
-- them out round and round: a launch looks for no free one, and an address rests as long as it can before its next machine.

alter table simulated.machines drop constraint machines_ip_key;

-- 203.0.113.1 to 203.0.113.254, then 198.51.100.1 to 198.51.100.254, from 1 on.
create function simulated.address(turn bigint) returns inet language sql immutable
return case
  when (turn - 1) % 508 < 254 then '203.0.113.1'::inet + (turn - 1) % 508
  else '198.51.100.1'::inet + ((turn - 1) % 508 - 254)
end;

alter table simulated.machines alter column ip set default simulated.address(nextval('simulated.addresses'));
