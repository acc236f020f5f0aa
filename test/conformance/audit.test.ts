// The audit log misses nothing: every operation of every interface that changes something, as the documents list them,
// writes one entry when it is done and one when it is refused.

import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { parseUuid } from "../../src/rental/uuid.ts";
import { type Attempt, changes, everyScope, interfaces, sceneOptions } from "./changes.ts";
import { at, codeOf, listAt } from "./client.ts";
import { type Customer, sceneOfFile } from "./scene.ts";

const scene = sceneOfFile(sceneOptions);
const all = changes(scene);

/** The entries of one request, as this customer sees them; and the answer to it. */
async function entriesOf(name: InterfaceName, operation: string, attempt: Attempt, who: Customer, token = who.token) {
  const requestId = randomUUID();
  const [method = ""] = operation.split(" ");
  const { path, body } = attempt;
  const headers = { "x-request-id": requestId };
  const answer = await scene.client.ask(name, method, path, { token, body, headers });
  return { answer, entries: await seenBy(who, requestId) };
}

async function seenBy({ accountId }: Customer, requestId: string): Promise<unknown[]> {
  const list = await scene.client.need("control", "GET", `/audit-log?limit=200&account_id=${accountId}`, {
    token: scene.operator,
  });
  return listAt(list, "data").filter((entry) => at(entry, "request_id") === requestId);
}

describe.each(interfaces)("the audit log has of %s", (name) => {
  it("every operation that changes something, and this file tries them all", () => {
    const published = scene.client.operations(name).filter(([method]) => method !== "GET");
    expect(Object.keys(all[name]).toSorted()).toEqual(published.map((one) => one.join(" ")).toSorted());
  });

  it.each(possible(name))("one entry of %s that was done", async (operation, good) => {
    const who = await scene.customer({ scopes: everyScope });
    const attempt = await good(who);
    const { answer, entries } = await entriesOf(name, operation, attempt, who);
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(entries).toEqual([
      expect.objectContaining({
        account_id: who.accountId,
        token_id: who.tokenId,
        address: "127.0.0.1",
        interface: name,
        method: operation.split(" ")[0],
        operation: documentedId(name, operation),
        result: "done",
        status: answer.status,
        error_code: null,
      }),
    ]);
    if (attempt.about !== undefined) expect(at(entries, 0, "objects")).toContain(attempt.about);
    for (const id of madeIn(answer.body)) expect(at(entries, 0, "objects")).toContain(id);
  });

  it.each(Object.entries(all[name]))("one entry of %s that was refused", async (operation, { good, refused }) => {
    const who = await scene.customer({ scopes: everyScope });
    const attempt = await (refused ?? good ?? nothing)(who);
    // What the rental refuses to nobody is refused to a token that has not the scope, or is no more.
    const token = refused === undefined ? await revoked(who) : undefined;
    const { answer, entries } = await entriesOf(name, operation, attempt, who, token);
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(entries).toEqual([
      expect.objectContaining({ result: "refused", status: answer.status, error_code: codeOf(answer) }),
    ]);
    if (attempt.about !== undefined) expect(at(entries, 0, "objects")).toContain(attempt.about);
  });

  it("nothing of what only reads", async () => {
    const who = await scene.customer({ scopes: everyScope });
    const someId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
    for (const [method, template] of scene.client.operations(name).filter(([one]) => one === "GET")) {
      if (template.endsWith("/stream")) continue; // answers until it is left
      const path = template.replace(/\{[^}]+\}/g, someId);
      expect((await entriesOf(name, `${method} ${path}`, { path }, who)).entries, path).toEqual([]);
    }
  });
});

describe("what an operator changes of an account", () => {
  const ofAccounts = possible("control").filter(([operation]) => operation.includes(" /accounts/{id}"));

  it.each(ofAccounts)("by %s is seen by the account too, with who, and without from where", async (operation, good) => {
    const operator = await scene.customer({ scopes: everyScope });
    const attempt = await good(operator);
    const accountId = attempt.path.split("/")[2] ?? "";
    const { answer, entries } = await entriesOf("control", operation, attempt, operator);
    const requestId = answer.headers.get("x-request-id") ?? "";
    expect(entries).toMatchObject([{ address: "127.0.0.1", changed_account_id: accountId }]);
    expect(await seenBy({ ...operator, accountId }, requestId)).toEqual([{ ...(entries[0] as object), address: null }]);
  });
});

/** The operations that a request alone can do, and how. */
function possible(name: InterfaceName) {
  return Object.entries(all[name]).flatMap(([operation, { good }]) =>
    good === undefined ? [] : [[operation, good] as const],
  );
}

function nothing(): never {
  throw new Error("an operation that neither succeeds nor is refused is none");
}

/** A token of the account that has been revoked. */
async function revoked(who: Customer): Promise<string> {
  const other = await scene.customer({ of: who });
  await scene.control("DELETE", `/accounts/${who.accountId}/tokens/${other.tokenId}`);
  return other.token;
}

function documentedId(name: InterfaceName, operation: string): unknown {
  const [method = "", path = ""] = operation.split(" ");
  return at(scene.client.documents[name].paths, path, method.toLowerCase(), "operationId");
}

/** The ids that an answer begins with; a word such as "global" is none. */
function madeIn(body: unknown): unknown[] {
  const single = [
    at(body, "data", "id"),
    at(body, "data", "uuid"),
    at(body, "data", 0, "id"),
    at(body, "sshKey", "id"),
  ];
  const launched = at(body, "response");
  return [...single, typeof launched === "string" ? launched : undefined].filter(
    (id) => typeof id === "string" && parseUuid(id) !== undefined,
  );
}
