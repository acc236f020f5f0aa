import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { emptyDatabase } from "../../test/support/database.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { connect } from "./connect.ts";
import { isUnavailable } from "./unavailable.ts";

async function errorOf(url: string, statement = "select 1"): Promise<unknown> {
  const db = connect({ url, maxConnections: 1 });
  onTestFinished(() => db.destroy());
  return sql
    .raw(statement)
    .execute(db)
    .then(
      () => "no error",
      (error) => error,
    );
}

/** A port where connections are treated by `greet`, or where nobody listens any more. */
async function port(greet?: (socket: { destroy(): void }) => void): Promise<number> {
  const server = createServer(greet).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("BUG: a TCP server has a port");
  if (greet) onTestFinished(() => void server.close());
  else await new Promise((resolve) => server.close(resolve));
  return address.port;
}

describe("an error is recognized as unavailable", () => {
  it("when nobody listens at the address", async () => {
    expect(isUnavailable(await errorOf(`postgresql://u@127.0.0.1:${await port()}/d`))).toBe(true);
  });

  it("when the socket is missing", async () => {
    expect(isUnavailable(await errorOf(`postgresql://u@/d?host=${await temporaryDirectory()}`))).toBe(true);
  });

  it("when the server hangs up", async () => {
    const hangingUp = await port((socket) => socket.destroy());
    expect(isUnavailable(await errorOf(`postgresql://u@127.0.0.1:${hangingUp}/d`))).toBe(true);
  });

  it("when the host has no address", async () => {
    expect(isUnavailable(await errorOf("postgresql://u@no-such-host.invalid/d"))).toBe(true);
  });

  it("when an administrator ends the session under a statement", async () => {
    const { url, close } = await emptyDatabase();
    onTestFinished(close);
    expect(isUnavailable(await errorOf(url, "select pg_terminate_backend(pg_backend_pid())"))).toBe(true);
  });

  it("when it is only the cause of another error", async () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    expect(isUnavailable(new Error("could not launch", { cause }))).toBe(true);
  });
});

describe("an error is not unavailability", () => {
  it.each([
    ["a syntax error", "selekt"],
    ["a violated constraint", "do $$ begin raise unique_violation; end $$"],
    ["a deadlock", "do $$ begin raise deadlock_detected; end $$"],
  ])("when it is %s", async (_, statement) => {
    const { url, close } = await emptyDatabase();
    onTestFinished(close);
    const error = await errorOf(url, statement);
    expect(error).toBeInstanceOf(Error);
    expect(isUnavailable(error)).toBe(false);
  });

  it("when a file is missing", async () => {
    const error = await readFile(join(await temporaryDirectory(), "missing")).catch((error) => error);
    expect(isUnavailable(error)).toBe(false);
  });

  it("when it is no error at all", () => {
    expect(isUnavailable("ECONNREFUSED")).toBe(false);
    expect(isUnavailable(undefined)).toBe(false);
  });
});
