-- A token can be pinned to the types of the vendor whose clients use variant D (src/compatibility-versions.ts).

alter table tokens drop constraint tokens_compatibility_version_check;
alter table tokens add constraint tokens_compatibility_version_check
  check (compatibility_version in ('1.0.3', 'vendor-1.0'));
