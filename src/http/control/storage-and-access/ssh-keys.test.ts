import { createHash } from "node:crypto";
import sshpk from "sshpk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, idOf, startControl } from "../../../../test/support/control.ts";
import { examplePublicKey } from "../../../../test/support/world.ts";

interface Key {
  id: string;
  name: string;
  public_key: string;
  fingerprint: string;
  private_key?: string;
}

let control: Control;
let ada: Awaited<ReturnType<Control["customer"]>>;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

const newcomer = async () => {
  ada = await control.customer();
};
const post = (body: object, headers = {}) => control.ask("POST", "/ssh-keys", { token: ada.token, body, headers });
const added = async (body: object) => (await control.data("POST", "/ssh-keys", { token: ada.token, body })) as Key;
const list = async (token = ada.token) => (await control.data("GET", "/ssh-keys", { token })) as Key[];

/** As `ssh-keygen -l` says it. */
function fingerprintOf(publicKey: string): string {
  const blob = Buffer.from(publicKey.split(" ")[1] ?? "", "base64");
  return `SHA256:${createHash("sha256").update(blob).digest("base64").replaceAll("=", "")}`;
}

describe("a key that is given", () => {
  it("is added, shown as the variants show it, with its fingerprint, and deleted", async () => {
    await newcomer();
    const key = await added({ name: "laptop", public_key: examplePublicKey });
    expect(key).toEqual({
      id: expect.any(String),
      name: "laptop",
      public_key: examplePublicKey,
      fingerprint: fingerprintOf(examplePublicKey),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(await list()).toEqual([key]);
    const inM = await control.call("GET", `${control.marketplace}/ssh-keys`, { token: ada.token });
    expect(inM.body).toEqual({ data: [{ id: key.id, name: key.name, public_key: key.public_key }] });
    expect(await control.data("DELETE", `/ssh-keys/${key.id}`, { token: ada.token })).toEqual({});
    expect(await list()).toEqual([]);
  });

  it.each([
    [{ name: "a/b", public_key: examplePublicKey }, "name"],
    [{ name: "", public_key: examplePublicKey }, "name"],
    [{ name: "a/b" }, "name"],
    [{ name: "laptop", public_key: "not a key" }, "public_key"],
    [{ name: "laptop", public_key: "" }, "public_key"],
    [{ public_key: examplePublicKey }, "name"],
  ])("is refused as %j, naming the field", async (body, field) => {
    await newcomer();
    const answer = await post(body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
    expect(await list()).toEqual([]);
  });

  it("is refused under a name that is taken, and beyond the quota", async () => {
    await newcomer();
    await added({ name: "laptop", public_key: examplePublicKey });
    const again = await post({ name: "laptop", public_key: examplePublicKey });
    expect([again.status, codeOf(again)]).toEqual([409, "global/duplicate"]);
    await control.data("PATCH", `/accounts/${ada.principal.accountId}`, { body: { quotas: { ssh_keys: 1 } } });
    const beyond = await post({ name: "other", public_key: examplePublicKey });
    expect([beyond.status, codeOf(beyond)]).toEqual([403, "global/quota-exceeded"]);
  });
});

describe("a key that is generated", () => {
  it("comes with its private half once, in a form that OpenSSH reads, and never again", async () => {
    await newcomer();
    const { private_key: secret = "", ...key } = await added({ name: "made" });
    const pair = sshpk.parsePrivateKey(secret, "openssh");
    expect(key.public_key.split(" ").slice(0, 2)).toEqual(pair.toPublic().toString("ssh").split(" ").slice(0, 2));
    expect(key.fingerprint).toBe(fingerprintOf(key.public_key));
    expect(await list()).toEqual([key]);
  });

  it("is the same pair for who repeats the request with its Idempotency-Key, and lies nowhere in plain text", async () => {
    await newcomer();
    const headers = { "idempotency-key": "once" };
    const [first, second] = [await post({ name: "made" }, headers), await post({ name: "made" }, headers)];
    expect(second.text).toBe(first.text);
    const { data } = first.body as { data: Key };
    const inside = (data.private_key ?? "").split("\n")[1] ?? "";
    expect(inside.length).toBeGreaterThan(60);
    const rows = await control.world.db.selectFrom("idempotency_keys").selectAll().execute();
    const kept = rows.map((row) =>
      Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString("latin1") : String(value))),
    );
    expect(kept.flat().join("\n")).not.toContain(inside);
    const audit = await control.ask("GET", `/audit-log?object=${data.id}`, { token: ada.token });
    expect(audit.body).toMatchObject({
      data: [
        { operation: "addSshKey", result: "replayed" },
        { operation: "addSshKey", result: "done" },
      ],
    });
    expect(audit.text).not.toContain(inside);
  });
});

describe("another account's key", () => {
  it("is neither listed nor deleted", async () => {
    await newcomer();
    const id = idOf(await added({ name: "laptop", public_key: examplePublicKey }));
    const eve = await control.customer();
    expect(await list(eve.token)).toEqual([]);
    for (const one of [id, "nonsense"]) {
      const answer = await control.ask("DELETE", `/ssh-keys/${one}`, { token: eve.token });
      expect([answer.status, codeOf(answer)]).toEqual([404, "global/object-does-not-exist"]);
    }
    expect(await list()).toHaveLength(1);
  });
});

describe("the list of keys", () => {
  it("is oldest first, page by page, and new at once", async () => {
    await newcomer();
    const names = ["one", "two", "three"];
    for (const name of names) {
      await added({ name, public_key: examplePublicKey });
      expect((await list()).at(-1)?.name).toBe(name);
    }
    const pages = await control.pages("/ssh-keys", 2, { token: ada.token });
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    expect(pages.flat().map((key) => (key as Key).name)).toEqual(names);
  });
});
