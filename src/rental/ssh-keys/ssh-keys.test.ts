// An account's SSH keys: what may be added, who sees it, and who wins when two want one name.

import { beforeEach, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { examplePublicKey, only, worldOfFile } from "../../../test/support/world.ts";
import { ask } from "../../database/round-trips.ts";
import { RentalError } from "../errors.ts";
import type { Principal } from "../service.ts";
import { parsePublicKey } from "./public-key.ts";
import { addKey, deleteKey, generateKey, listKeys } from "./ssh-keys.ts";
import { keysWanted, wantedKeys } from "./wanted-keys.ts";

const world = worldOfFile();
const fields = { name: "field_name", publicKey: "field_key" };
let principal: Principal;
beforeEach(async () => {
  principal = await world.account();
});

const add = (name: string, publicKey = examplePublicKey, who = principal) =>
  world.tx((tx) => addKey(tx, who, { name, publicKey, fields }));
const eventTypes = async () =>
  (await world.db.selectFrom("events").select("type").orderBy("position").execute()).map((event) => event.type);

describe("adding a key", () => {
  it("keeps it normalized, with its comment and fingerprint", async () => {
    const key = await add("laptop", `  ${examplePublicKey}\n`);
    expect(key.publicKey).toBe(examplePublicKey);
    expect(key.fingerprint).toMatch(/^SHA256:/);
    expect(await listKeys(world.db, principal)).toEqual([key]);
  });

  it("without a comment gives it back without one", async () => {
    const bare = examplePublicKey.split(" ").slice(0, 2).join(" ");
    expect((await add("bare", bare)).publicKey).toBe(bare);
  });

  it("is told by an event and counted against the quota", async () => {
    const key = await add("laptop");
    const event = only(await world.db.selectFrom("events").selectAll().execute());
    expect(event).toMatchObject({ type: "ssh_key.created", subject_id: key.id, account_id: principal.accountId });
    expect(event.data).toEqual({ ssh_key_id: key.id, name: "laptop" });
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("refuses a bad name or a bad key, and names the field as the variant calls it", async () => {
    const bad = (name: string, key?: string) =>
      changingNothing(world.db, () => refusal("invalid-parameters", add(name, key)));
    expect(Object.keys((await bad("", examplePublicKey)).fields)).toEqual(["field_name"]);
    expect(Object.keys((await bad("a/b", examplePublicKey)).fields)).toEqual(["field_name"]);
    expect(Object.keys((await bad("fine", "ssh-rsa nonsense")).fields)).toEqual(["field_key"]);
  });

  it("refuses a name that the account has already, whatever the key", async () => {
    await add("laptop");
    const details = await changingNothing(world.db, () => refusal("duplicate", add("laptop")));
    expect(details).toMatchObject({ field: "field_name" });
  });

  it("lets two accounts have the same name, and one account the same key under two names", async () => {
    await add("laptop");
    await add("laptop", examplePublicKey, await world.account());
    await add("desk");
    expect((await listKeys(world.db, principal)).map((key) => key.name)).toEqual(["laptop", "desk"]);
  });

  it("refuses more than the quota, and the refused key is not there", async () => {
    principal = await world.account({ quotas: { ssh_keys: 1 } });
    await add("one");
    const details = await changingNothing(world.db, () => refusal("quota-exceeded", add("two")));
    expect(details).toEqual({ what: "ssh_keys", limit: 1, used: 1, requested: 1 });
  });
});

describe("the event of a deleted key", () => {
  it("has the key's identifier as everywhere, however the client wrote it", async () => {
    const { id } = await add("one");
    await world.tx((tx) => deleteKey(tx, principal, id.replaceAll("-", "").toUpperCase()));
    const events = await world.db.selectFrom("events").select("data").where("type", "=", "ssh_key.deleted").execute();
    expect(events).toEqual([{ data: { ssh_key_id: id, name: "one" } }]);
  });
});

describe("ten at once that want the same name", () => {
  it("are one key and nine refusals", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => add("wanted")));
    const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    expect(refused.map((error) => (error instanceof RentalError ? error.kind : error))).toEqual(
      Array.from({ length: 9 }, () => "duplicate"),
    );
    expect(await listKeys(world.db, principal)).toHaveLength(1);
    expect(await booksDisagree(world.db)).toEqual([]);
    expect(await eventTypes()).toEqual(["ssh_key.created"]);
  });

  it("leave the name to the next when the first is undone", async () => {
    await using first = await begin(world.db);
    await addKey(first.tx, principal, { name: "wanted", publicKey: examplePublicKey, fields });
    const second = add("wanted");
    await untilWaiting(world.db);
    await first.rollback();
    expect((await second).name).toBe("wanted");
  });
});

describe("a generated pair", () => {
  it("is shown with its private half once, of which nothing is kept", async () => {
    const made = await world.tx((tx) => generateKey(tx, principal, { name: "made", fields }));
    expect(made.privateKey).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----/);
    expect(parsePublicKey(made.publicKey).ok).toBe(true);
    const { privateKey, ...kept } = made;
    expect(only(await listKeys(world.db, principal))).toEqual(kept);
    const stored = JSON.stringify(await world.db.selectFrom("ssh_keys").selectAll().execute());
    expect(stored).not.toContain(privateKey.split("\n")[2]);
  });

  it("is another one each time, and obeys the same rules for names", async () => {
    const generate = (name: string) => world.tx((tx) => generateKey(tx, principal, { name, fields }));
    expect((await generate("one")).publicKey).not.toBe((await generate("two")).publicKey);
    await refusal("duplicate", generate("one"));
    await refusal("invalid-parameters", generate("a\nb"));
  });
});

describe("deleting a key", () => {
  const remove = (id: string, who = principal) => world.tx((tx) => deleteKey(tx, who, id));

  it("frees its name and its share of the quota, and is told by an event", async () => {
    principal = await world.account({ quotas: { ssh_keys: 1 } });
    const { id } = await add("laptop");
    await remove(id);
    await add("laptop");
    expect(await booksDisagree(world.db)).toEqual([]);
    expect(await eventTypes()).toEqual(["ssh_key.created", "ssh_key.deleted", "ssh_key.created"]);
  });

  it("of an unknown id, of no id, or of another account's is refused alike", async () => {
    const { id } = await add("laptop");
    const other = await world.account();
    for (const unknown of ["0198c0de-0000-7000-8000-000000000000", "nonsense"]) {
      expect(await refusal("unknown-ssh-key", remove(unknown))).toEqual({ id: unknown });
    }
    await changingNothing(world.db, () => refusal("unknown-ssh-key", remove(id, other)));
  });

  it("takes its id in any spelling, and works once", async () => {
    const { id } = await add("laptop");
    await remove(id.replaceAll("-", "").toUpperCase());
    await refusal("unknown-ssh-key", remove(id));
  });
});

describe("looking keys up", () => {
  const named = async (names: string[], byText = false) => {
    const found = await ask(world.db, keysWanted([{ accountId: principal.accountId, names, byText }]));
    return wantedKeys(found.get(principal.accountId) ?? [], { names, byText }, "keys");
  };

  it("by name for several accounts at once gives each its own", async () => {
    const other = await world.account();
    await add("a");
    await add("a", examplePublicKey, other);
    await add("b", examplePublicKey, other);
    const wanted = [principal, other, other].map(({ accountId }) => ({ accountId, names: ["a", "b"], byText: false }));
    const found = await ask(world.db, keysWanted(wanted));
    const names = [principal, other].map(({ accountId }) =>
      found
        .get(accountId)
        ?.map(({ name }) => name)
        .sort(),
    );
    expect(names).toEqual([["a"], ["a", "b"]]);
  });

  it("by name gives them in the order asked for, each once", async () => {
    await add("a");
    await add("b");
    const found = await named(["b", "a", "b"]);
    expect(found.map((key) => key.name)).toEqual(["b", "a"]);
    expect(await named([])).toEqual([]);
  });

  it("by a name that the account does not have names the field and the first name missing", async () => {
    await add("a");
    await add("theirs", examplePublicKey, await world.account());
    const { fields: problems } = await refusal("unknown-name", named(["a", "theirs"]));
    expect(problems.keys?.message).toContain('"theirs"');
  });

  it("by text gives the key that is registered, whatever comment it has, and the oldest of several", async () => {
    const first = await add("first");
    await add("second");
    const [kind, base64] = examplePublicKey.split(" ");
    for (const text of [examplePublicKey, `${kind} ${base64}`, ` ${kind}\t${base64} another comment\n`]) {
      expect(await named([text], true)).toEqual([first]);
    }
    expect((await named([examplePublicKey, "second", "first"], true)).map((key) => key.name)).toEqual([
      "first",
      "second",
    ]);
  });

  it("by text of a key that is another account's, or nobody's, names its fingerprint and says what to do", async () => {
    const { fingerprint } = await add("theirs", examplePublicKey, await world.account());
    const details = await refusal("unknown-name", named([examplePublicKey], true));
    expect(details.fields.keys?.message).toBe(`The public key with the fingerprint ${fingerprint} is not registered.`);
    expect(details.suggestion).toContain("Add this key to your SSH keys");
  });

  it("by what is neither a name nor a public key says so, and repeats nothing of it", async () => {
    const secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAA\n-----END OPENSSH PRIVATE KEY-----";
    const { fields: problems } = await refusal("invalid-parameters", named([secret], true));
    expect(problems.keys?.message).toContain("This is a private key.");
    expect(JSON.stringify(problems)).not.toContain("b3Blbn");
  });

  it("takes no text for a name where only names are asked for", async () => {
    await add("laptop");
    const { fields: problems } = await refusal("unknown-name", named([examplePublicKey]));
    expect(problems.keys?.message).toMatch(/^There is no SSH key named "ssh-ed25519 .*…"\.$/);
  });

  it("page by page gives every key once, oldest first", async () => {
    for (const name of ["c", "a", "b"]) await add(name);
    const first = await listKeys(world.db, principal, { limit: 2 });
    const rest = await listKeys(world.db, principal, { after: first.at(-1)?.id, limit: 2 });
    expect([...first, ...rest].map((key) => key.name)).toEqual(["c", "a", "b"]);
  });
});
