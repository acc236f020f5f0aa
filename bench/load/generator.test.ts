import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Generator } from "./generator.ts";

async function answering(status: number | undefined): Promise<number> {
  const server = createServer((_request, response) => {
    if (status !== undefined) response.writeHead(status).end("x");
    else setTimeout(() => response.end("x"), 300);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return (server.address() as AddressInfo).port; // it listens on a port
}

function ordered(port: number, seconds: number) {
  const requests = [{ method: "GET", path: "/", headers: {} }] as const;
  return { ports: [port], requests, connections: 2, seconds, mostRequests: 50 };
}

it("the generator tells a rate from its own process", async () => {
  using generator = new Generator();
  const load = await generator.run(ordered(await answering(200), 30));
  expect(load.answered).toBe(50);
  expect(load.rate).toBeGreaterThan(0);
});

it("a rate of refusals, or of nothing at all, is no rate", async () => {
  using generator = new Generator();
  await expect(generator.run(ordered(await answering(503), 30))).rejects.toThrow("50 × 503");
  await expect(generator.run(ordered(await answering(undefined), 0.05))).rejects.toThrow("Nothing was answered");
});
