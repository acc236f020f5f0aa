// Starts an embedded PostgreSQL on the directory given as its argument, says its address, and runs until it is killed.

import { startEmbedded } from "../../../src/database/embedded/start.ts";

try {
  const server = await startEmbedded({ dataDirectory: process.argv[2] ?? "", settings: { fsync: "off" } });
  process.stdout.write(`${server.url}\n`);
  setInterval(() => {}, 60_000);
} catch (error) {
  process.stdout.write(`${error}\n`);
}
