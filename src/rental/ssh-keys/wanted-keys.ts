// The SSH keys of launches: by name, or in variant D also by the text of a registered public key. Invariant: no text is
// both. A name has at most 64 characters and the shortest key has more, so a value that is not a valid name can only be
// a text. Invalid keys are never repeated in messages, because they can be private ones. Used by launching/plan.ts.

import { type Selectable, sql } from "kysely";
import { type Question, question } from "../../database/round-trips.ts";
import type { SshKeysTable } from "../../database/tables/accounts.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import { checkKeyName } from "./key-name.ts";
import { fingerprint, parsePublicKey } from "./public-key.ts";
import { fromRow, type SshKey } from "./ssh-key.ts";

/** A launch's keys. */
export interface KeysWanted {
  readonly accountId: string;
  readonly names: readonly string[];
  /** Whether texts of registered keys are accepted. */
  readonly byText: boolean;
}

/** The existing ones of the keys, by account. `wantedKeys` selects from them. */
export function keysWanted(wanted: readonly KeysWanted[]): Question<Map<string, SshKey[]>> {
  const pairs = wanted.flatMap(({ accountId, names }) => names.map((name) => ({ accountId, name })));
  const byName = sql<Selectable<SshKeysTable>>`
    select k.* from ssh_keys k
    join (select distinct account_id, name
      from unnest(${pairs.map(({ accountId }) => accountId)}::uuid[], ${pairs.map(({ name }) => name)}::text[])
        as w (account_id, name)) w on w.account_id = k.account_id and w.name = k.name`;
  const texts = wanted.flatMap(({ accountId, names, byText }) =>
    (byText ? names : []).flatMap((text) => {
      const print = fingerprintOf(text);
      return print === undefined ? [] : [{ accountId, print }];
    }),
  );
  const query =
    texts.length === 0
      ? byName
      : sql<Selectable<SshKeysTable>>`${byName}
    union select k.* from ssh_keys k
    join unnest(${texts.map(({ accountId }) => accountId)}::uuid[], ${texts.map(({ print }) => print)}::text[])
      as w (account_id, fingerprint) on w.account_id = k.account_id and w.fingerprint = k.fingerprint`;
  return question(query, (rows) => {
    const found = new Map<string, SshKey[]>();
    for (const row of rows) found.set(row.account_id, [...(found.get(row.account_id) ?? []), fromRow(row)]);
    return found;
  });
}

/**
 * The keys of `names` among `found`, without duplicates, in the given order. A text that is registered under several
 * names is the oldest of them. Throws RentalError unknown-name with `field` for the first that is missing, and
 * invalid-parameters for what is neither a name nor a public key.
 */
export function wantedKeys(
  found: readonly SshKey[],
  { names, byText }: Pick<KeysWanted, "names" | "byText">,
  field: string,
): SshKey[] {
  const byName = new Map(found.map((key) => [key.name, key]));
  const oldestFirst = byText ? found.toSorted((a, b) => (a.id < b.id ? -1 : 1)) : [];
  const keys = names.map((name) => {
    const named = byName.get(name);
    if (named !== undefined) return named;
    if (!byText || checkKeyName(name) === undefined) throw unknownName(field, "SSH key", name);
    return keyOfText(oldestFirst, name, field);
  });
  return [...new Set(keys)];
}

function keyOfText(found: readonly SshKey[], text: string, field: string): SshKey {
  const parsed = parsePublicKey(text);
  if (!parsed.ok) throw invalid(field, `Give names of SSH keys, or their public keys. ${parsed.message}`);
  const print = fingerprint(parsed.key.base64);
  const key = found.find((one) => one.fingerprint === print);
  if (key !== undefined) return key;
  throw new RentalError("unknown-name", {
    what: "SSH key",
    fields: {
      [field]: {
        code: "global/object-does-not-exist",
        message: `The public key with the fingerprint ${print} is not registered.`,
      },
    },
    suggestion: "Add this key to your SSH keys, then launch with its name or the same text.",
  });
}

/** Undefined if it is not a public key, such as a name. */
function fingerprintOf(text: string): string | undefined {
  if (checkKeyName(text) === undefined) return undefined;
  const parsed = parsePublicKey(text);
  return parsed.ok ? fingerprint(parsed.key.base64) : undefined;
}
