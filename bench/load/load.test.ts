import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PlannedRequest } from "./plan.ts";
import { runPlan } from "./run-plan.ts";

type Listener = NonNullable<Parameters<typeof createServer>[1]>;

async function served(listener: Listener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return (server.address() as AddressInfo).port; // it listens on a port
}

const get: PlannedRequest = { method: "GET", path: "/{#}", headers: {} };
const planFor = (port: number) => ({ ports: [port], requests: [get], connections: 3, firstNumber: 0 });

describe("a run of the generator", () => {
  it("sends as many requests as it may, each another one, and counts every answer", async () => {
    const seen = new Set<string>();
    const port = await served((request, response) => void response.end(String(seen.add(request.url ?? "").size)));
    const report = await runPlan({ ...planFor(port), seconds: 60, mostRequests: 100 });
    expect(report.statuses).toEqual({ 200: 100 });
    expect(seen.size).toBe(100);
  });

  it("ends when its time is over", async () => {
    const port = await served((_request, response) => void response.end("x"));
    const report = await runPlan({ ...planFor(port), seconds: 0.05 });
    expect(report.seconds).toBeLessThanOrEqual(0.05);
    expect(report.latencies.reduce((sum, count) => sum + count)).toBeGreaterThan(3);
  });

  it("tells refusals apart, and keeps the first", async () => {
    let count = 0;
    const port = await served((_request, response) => void response.writeHead(count++ === 1 ? 409 : 200).end());
    const report = await runPlan({ ...planFor(port), seconds: 60, mostRequests: 10 });
    expect(report.statuses).toEqual({ 200: 9, 409: 1 });
    expect(report.firstFailure).toContain("409 Conflict");
  });

  it("goes on where the server ends connections after each answer", async () => {
    const port = await served((_request, response) => void response.setHeader("connection", "close").end("x"));
    const report = await runPlan({ ...planFor(port), seconds: 60, mostRequests: 20 });
    expect(report.statuses).toEqual({ 200: 20 });
  });

  it("fails when a connection breaks without an answer", async () => {
    const port = await served((request) => void request.socket.destroy());
    await expect(runPlan({ ...planFor(port), seconds: 1 })).rejects.toThrow();
  });
});
