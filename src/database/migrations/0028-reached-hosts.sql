-- Single hosts of an engine are listed between its full resyncs. Of each host: when the listing began that found it
-- reached, or not any more. A listing that began before changes nothing, and an outage begins after it.

alter table hosts add column reach_changed_at timestamptz;
