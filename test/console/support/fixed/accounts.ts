// Who rents in the fixed world: accounts, tokens, and the servers and keys of the service.

import type { Shape } from "../../../../src/client/client.ts";
import { ago, day, hour, idOf, inTime, minute } from "./moments.ts";
import { members } from "./people.ts";

const plenty: Shape<"Counts"> = { instances: 1000, gpus: 1000, vcpus: 20_000, ssh_keys: 100, file_systems: 100 };

export const accounts: Shape<"Account">[] = [
  account(1, "operator", { instances: 0, gpus: 0 }),
  account(
    2,
    "demo",
    { instances: 6, gpus: 14 },
    { spend_limit_cents: 250_000, spent_this_month_cents: "118240.500000", contact_email: "ops@example.com" },
  ),
  account(3, "Northwind Research", { instances: 5, gpus: 33 }, { quotas: { ...plenty, instances: 20, gpus: 64 } }),
  account(4, "tensor-marketplace", { instances: 4, gpus: 12 }, { max_lifetime_seconds: 7 * day }),
  account(
    5,
    "late-payer",
    { instances: 0, gpus: 0 },
    { status: "inactive", spend_limit_cents: 0, spent_this_month_cents: "0.000000", held_since: ago(6 * day) },
  ),
];

/** The one that is signed in: a customer who is an operator too, so that every page can be seen. */
export const ownAccount: Shape<"OwnAccount"> = {
  ...named("demo"),
  token: {
    id: idOf("token", 1),
    scopes: ["read", "write", "operator"],
    compatibility_version: null,
    operator_role: null,
  },
  person: members[0] ?? null,
};

export const tokens: Shape<"Token">[] = [
  token(1, "console", {
    scopes: ["read", "write", "operator"],
    last_used_at: ago(minute),
    person_id: idOf("person", 1),
  }),
  token(2, "ci", {
    expires_at: inTime(30 * day),
    last_used_at: ago(3 * hour),
    spend_limit_cents: 50_000,
    spent_this_month_cents: "12080.000000",
  }),
  token(3, "dashboard", { scopes: ["read"], last_used_at: ago(2 * day) }),
  token(4, "sdk-legacy", { person_id: idOf("person", 3), compatibility_version: "1.0.3" }),
  token(5, "left-on-a-laptop", { revoked_at: ago(9 * day), last_used_at: ago(10 * day) }),
];

export const sessions: Shape<"Session">[] = [
  session(2, true, "203.0.113.7", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
  session(1, false, "198.51.100.20", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.5 Safari/605.1.15"),
];

function session(number: number, current: boolean, address: string, agent: string): Shape<"Session"> {
  return {
    ...{ id: idOf("session", number), current, address, user_agent: agent },
    ...{ created_at: ago((4 - number) * hour), last_used_at: ago(number === 2 ? minute : hour) },
    expires_at: inTime((8 + number) * hour),
  };
}

export const replicas: Shape<"Replica">[] = [
  replica(1, "lessor-1", 4711, ago(6 * day)),
  replica(2, "lessor-2", 4698, ago(3 * hour)),
];

export const encryption: Shape<"Encryption"> = {
  keys_from: "file",
  current_key_id: "9f2c61d4",
  keys: [
    {
      id: "9f2c61d4",
      current: true,
      known: true,
      values: 1240,
      kinds: { "instances.env_vars": 610, "instances.login_password": 610, "webhooks.secret": 20 },
    },
    { id: "41d0aa7e", current: false, known: true, values: 0, kinds: {} },
  ],
  rotation: {
    state: "done",
    makes_key: true,
    key_id: "9f2c61d4",
    resealed: 1198,
    asked_at: ago(20 * day),
    finished_at: ago(20 * day - 8),
    problem: null,
  },
};

function account(
  number: number,
  name: string,
  used: { instances: number; gpus: number },
  more: Partial<Shape<"Account">> = {},
): Shape<"Account"> {
  return {
    id: idOf("account", number),
    name,
    status: "active",
    quotas: plenty,
    used: { ...used, vcpus: used.gpus * 26, ssh_keys: 2, file_systems: 1 },
    spend_limit_cents: null,
    spent_this_month_cents: null,
    max_lifetime_seconds: null,
    payment_terms: "postpaid",
    credit_line_cents: null,
    contact_email: null,
    disabled_emails: [],
    held_since: null,
    created_at: ago((80 - number) * day),
    ...more,
  };
}

function named(name: string): Shape<"Account"> {
  const found = accounts.find((one) => one.name === name);
  if (found === undefined) throw new Error(`BUG: the fixed world has no account ${name}`);
  return found;
}

function token(number: number, name: string, more: Partial<Shape<"Token">>): Shape<"Token"> {
  return {
    id: idOf("token", number),
    name,
    scopes: ["read", "write"],
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    spend_limit_cents: null,
    spent_this_month_cents: null,
    compatibility_version: null,
    person_id: null,
    operator_role: null,
    created_at: ago((50 - number) * day),
    ...more,
  };
}

function replica(number: number, host: string, pid: number, started: string): Shape<"Replica"> {
  return {
    id: idOf("server", number),
    host,
    pid,
    version: "1.0.0",
    started_at: started,
    seen_at: ago(2),
    key_ids: ["9f2c61d4", "41d0aa7e"],
    current_key_id: "9f2c61d4",
  };
}
