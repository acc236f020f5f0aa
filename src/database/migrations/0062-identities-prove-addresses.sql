-- Whether the provider proved the address of its person, as the operator trusted it to (src/rental/people/identities.ts). Of
-- identities from before it is not known until the next sign-in.
alter table identities add column proves_email boolean not null default false;
