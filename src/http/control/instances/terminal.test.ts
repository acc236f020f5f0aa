// A terminal through the control interface: what goes over it, who gets one, and what is refused. Over real WebSockets, in
// machines that the test plays. When it ends, and what it may hold, is in terminal-ends.test.ts.

import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { exchange } from "../../../../test/support/console.ts";
import { codeOf } from "../../../../test/support/control.ts";
import { openTerminal } from "../../../../test/support/terminals.ts";
import { terminalsOfFile } from "../../../../test/support/terminals-fixture.ts";

const fixture = terminalsOfFile();
const { start, open, signedIn, audited } = fixture;

describe("a terminal", () => {
  it("passes bytes both ways as they are, and tells the machine its size", async () => {
    await start();
    const { socket, shown, status, type } = await open(fixture.customer.token, "?kind=console&columns=132&rows=50");
    expect(status).toBe(101);
    expect(fixture.engine.last).toMatchObject({
      machineId: fixture.instanceId,
      order: { kind: "console", columns: 132, rows: 50 },
    });
    fixture.engine.last.show("login: \u001b[1mü");
    fixture.engine.last.show(Uint8Array.of(0, 255));
    await expect.poll(shown).toBe(`login: \u001b[1mü\0${Buffer.of(255).toString()}`);
    type("root\r\u0003");
    socket.send(JSON.stringify({ columns: 80, rows: 24, unknown: true }));
    type("ä");
    await expect.poll(() => fixture.engine.last.typed).toBe("root\r\u0003ä");
    expect(fixture.engine.last.sizes).toEqual([[80, 24]]);
  });

  it("is a shell of 80 by 24 where nothing else is asked for", async () => {
    await start();
    await open();
    expect(fixture.engine.last.order).toEqual({ kind: "shell", columns: 80, rows: 24 });
  });

  it("ends with 1000 when the machine ends it, after all that it showed", async () => {
    await start();
    const { ended, shown } = await open();
    fixture.engine.last.show("logout\r\n");
    fixture.engine.last.end();
    expect(await ended).toEqual({ code: 1000, reason: "" });
    expect(shown()).toBe("logout\r\n");
    expect(fixture.engine.last.isClosed).toBe(true);
  });

  it.each(["closes it", "is cut off"])("ends in the machine when the client %s", async (how) => {
    await start();
    const { socket } = await open();
    if (how === "closes it") socket.close(1000);
    else socket.terminate();
    await expect.poll(() => fixture.engine.last.isClosed).toBe(true);
  });

  it("is in the audit log from end to end, and in the log as one request", async () => {
    const lines: string[] = [];
    await start({}, { log: { write: (line) => void lines.push(line) } });
    const { socket, ended, requestId } = await open();
    expect(requestId).toMatch(/^[\w-]{36}$/);
    expect(await audited()).toContainEqual(["openTerminal", "done", 101]);
    socket.close(1000);
    await ended;
    await expect.poll(audited).toContainEqual(["endTerminal", "done", 101]);
    await expect.poll(() => lines.filter((line) => line.includes("/terminal"))).toHaveLength(1);
    expect(JSON.parse(lines.find((line) => line.includes("/terminal")) ?? "")).toMatchObject({
      status: 101,
      request_id: requestId,
      token_id: fixture.customer.tokenId,
    });
    for (const operation of ["openTerminal", "endTerminal"]) {
      const found = await fixture.http.call("GET", `${fixture.http.control}/audit-log?operation=${operation}`, {
        token: fixture.customer.token,
      });
      expect(found.status).toBe(200);
    }
  });

  it("is counted while it is open", async () => {
    await start();
    const operator = (await fixture.http.customer({ scopes: ["operator"] })).token;
    const count = async () =>
      /^lessor_http_terminals (\d+)$/m.exec(
        (await fixture.http.call("GET", `${fixture.http.main}/metrics`, { token: operator })).text,
      )?.[1];
    const { socket } = await open();
    expect(await count()).toBe("1");
    socket.close();
    await expect.poll(count).toBe("0");
  });
});

describe("who gets a terminal", () => {
  it("is the account's own token that may write, and a page of the console with its cookie", async () => {
    await start();
    const { headers } = await signedIn();
    expect((await open()).status).toBe(101);
    expect((await open({ headers })).status).toBe(101);
  });

  it("is no token that may only read, or only operate, and no operator in a customer's machine", async () => {
    await start();
    for (const scopes of [["read"], ["operator"]] as const) {
      const { token } = await fixture.http.customer({ scopes, principal: fixture.customer.principal });
      const { status, body } = await open(token);
      expect([status, body]).toMatchObject([403, { error: { code: "global/forbidden" } }]);
    }
    const everything = await fixture.http.customer({ scopes: ["read", "write", "operator"] });
    expect((await open(everything.token)).status).toBe(404);
    expect(fixture.engine.terminals).toEqual([]);
    expect(await audited()).toContainEqual(["openTerminal", "refused", 403]);
  });

  it("is nobody in another account's machine, which cannot be told from one that is not there", async () => {
    await start();
    const stranger = await fixture.http.customer();
    const theirs = await open(stranger.token);
    const nowhere = await openTerminal(
      `${fixture.http.control}/instances/0198c0de-0000-7000-8000-000000000000/terminal`,
      stranger.token,
    );
    expect([theirs.status, nowhere.status]).toEqual([404, 404]);
    const words = (body: unknown) => JSON.stringify((body as { error: { message: string } }).error.message);
    expect(words(theirs.body).replace(fixture.instanceId, "")).toBe(
      words(nowhere.body).replace("0198c0de-0000-7000-8000-000000000000", ""),
    );
    expect(fixture.engine.terminals).toEqual([]);
  });

  it("is no page of another origin, whatever it sends besides the cookie", async () => {
    await start();
    const { headers } = await signedIn();
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `${fixture.http.main}.evil.example` },
      { origin: "http://127.0.0.1:1" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example", "x-lessor-console": "1" },
    ];
    for (const one of foreign) {
      const { status } = await open({ headers: { ...headers, ...one } });
      expect(status, JSON.stringify(one)).toBe(401);
    }
    const { origin: _, ...silent } = headers;
    expect((await open({ headers: silent })).status).toBe(401);
    expect((await open({ headers: { ...silent, "x-lessor-console": "1" } })).status).toBe(401);
    expect(fixture.engine.terminals).toEqual([]);
  });

  it("is nobody without a token, or with one in the address", async () => {
    await start();
    expect((await open({ headers: {} })).status).toBe(401);
    expect((await open({ headers: {} }, `?token=${fixture.customer.token}`)).status).toBe(401);
    expect((await open({ headers: { "sec-websocket-protocol": fixture.customer.token } })).status).toBe(401);
  });
});

describe("what is refused", () => {
  it("is a size or kind that there is not", async () => {
    await start();
    for (const query of ["?kind=root", "?columns=0", "?rows=1001", "?columns=80.5", "?columns=wide"]) {
      const { status } = await open(fixture.customer.token, query);
      expect(status, query).toBe(400);
    }
  });

  it("is a request that asks for no WebSocket, or wrongly", async () => {
    await start();
    const authorization = `Bearer ${fixture.customer.token}`;
    const upgrade = { authorization, connection: "Upgrade", upgrade: "websocket" };
    const wrong = [
      { authorization },
      { ...upgrade },
      { ...upgrade, "sec-websocket-version": "13" },
      { ...upgrade, "sec-websocket-version": "13", "sec-websocket-key": "short" },
      { ...upgrade, "sec-websocket-version": "12", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==" },
    ];
    for (const headers of wrong) {
      const seen = await exchange("GET", fixture.url, headers);
      expect([seen.status, seen.body], JSON.stringify(headers)).toMatchObject([
        400,
        { error: { code: "global/invalid-parameters" } },
      ]);
    }
    expect(fixture.engine.terminals).toEqual([]);
  });

  it("is a machine that does not run, with the reason of its engine", async () => {
    await start();
    fixture.engine.opening = async () => {
      throw Object.assign(new Error("halted"), { code: "not-running", kind: "unavailable" });
    };
    const { status, body } = await open();
    expect([status, body]).toMatchObject([409, { error: { message: expect.stringContaining("is not running") } }]);
    await fixture.world.put(fixture.instanceId, "terminated");
    expect((await open()).status).toBe(409);
    expect(await audited()).toContainEqual(["openTerminal", "refused", 409]);
  });

  it("is answered on a connection that ends with it, like any other request", async () => {
    await start();
    const asking = httpRequest(`${fixture.http.main}/healthz`, {
      headers: { connection: "Upgrade", upgrade: "websocket" },
    }).end();
    const [response] = (await once(asking, "response")) as [import("node:http").IncomingMessage];
    expect([response.statusCode, response.headers.connection]).toEqual([200, "close"]);
    expect(response.headers["x-request-id"]).toBeDefined();
    response.resume();
    await once(response, "end");
    const nowhere = await openTerminal(`${fixture.http.main}/nowhere`, fixture.customer.token);
    expect([nowhere.status, codeOf({ body: nowhere.body } as never)]).toEqual([404, "global/not-found"]);
  });

  it("is not what only offers HTTP/2: that is a request as ever, with its body", async () => {
    await start();
    const headers = {
      authorization: `Bearer ${fixture.customer.token}`,
      connection: "Upgrade, HTTP2-Settings",
      upgrade: "h2c",
      "http2-settings": "AAMAAABkAARAAAAAAAIAAAAA",
    };
    const made = await exchange("POST", `${fixture.http.control}/tokens`, headers, { name: "h2c", scopes: ["read"] });
    expect(made.status).toBe(200);
    expect((await exchange("GET", `${fixture.http.control}/account`, headers)).status).toBe(200);
  });
});
