-- The version of the reference interface whose shapes a token is shown, for clients that refuse a field they do not know.
-- Null: the current edition. It is chosen when the token is made, and never changes.

alter table tokens add column compatibility_version text check (compatibility_version in ('1.0.3'));
