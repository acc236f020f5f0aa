import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, inject, it } from "vitest";
import { migrate } from "../database/migrate.ts";
import { portProblem, unreachable } from "./problems.ts";

const listeners = [
  { name: "main", port: 8080, mounts: [] },
  { name: "reference", port: 8081, mounts: [] },
];

/** What listening there really throws. */
async function listening(host: string, port: number): Promise<unknown> {
  const server = createServer();
  server.listen({ host, port });
  return new Promise((resolve) => {
    server.on("error", resolve).on("listening", () => server.close(() => resolve(undefined)));
  });
}

describe("a port that is taken", () => {
  it("is told by the name of its setting", async () => {
    const other = createServer().listen({ host: "127.0.0.1", port: 0 });
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const error = await listening("127.0.0.1", port);
    for (const [name, setting] of [
      ["main", "LESSOR_PORT"],
      ["reference", "LESSOR_REFERENCE_PORT"],
      ["direct", "the port of direct"],
    ] as const) {
      const told = portProblem(error, { host: "127.0.0.1", listeners: [{ name, port, mounts: [] }] });
      expect(String(told)).toContain(`${setting}: port ${port} is in use`);
    }
    other.close();
  });
});

describe("an address that is not this machine's", () => {
  it.each(["192.0.2.1", "nonsense.invalid"])("%s is told as LESSOR_HOST", async (host) => {
    const told = portProblem(await listening(host, 0), { host, listeners });
    expect(String(told)).toContain("LESSOR_HOST");
  });
});

describe("a database that cannot be reached", () => {
  const problemOf = (url: string) =>
    migrate({ url }).then(
      () => undefined,
      (error: unknown) => String(unreachable(error)),
    );

  it("is told as DATABASE_URL, without the address", async () => {
    const told = await problemOf("postgresql://me:hunter2@127.0.0.1:1/x");
    expect(told).toContain("DATABASE_URL: connection refused (ECONNREFUSED)");
    expect(told).not.toContain("hunter2");
  });

  it("is told when the server has no such database or user", async () => {
    const { adminUrl } = inject("postgres");
    expect(await problemOf(adminUrl.replace(/@\/[^?]*/, "@/no_such_database"))).toContain("rejects");
    expect(await problemOf(adminUrl.replace(/\/\/[^@]*@/, "//nobody_here@"))).toContain("rejects");
  });
});

describe("any other error", () => {
  it("stays what it is", () => {
    const error = new Error("something else");
    expect(unreachable(error)).toBe(error);
    expect(portProblem(error, { host: "127.0.0.1", listeners })).toBe(error);
    expect(unreachable("text")).toBe("text");
  });
});
