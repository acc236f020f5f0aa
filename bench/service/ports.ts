// Finds free ports for programs that need them before they start.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** This many different ports of 127.0.0.1 that are free at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port); // they listen on ports, not on pipes
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
