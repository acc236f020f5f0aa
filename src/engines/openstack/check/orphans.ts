// Removes test instances of earlier checks that were killed: servers with the tag of checks, and ports without a server.

import { type Finding, ok, problem, wordsOf } from "../../check/finding.ts";
import { isOrphan } from "../../check/test-instance-label.ts";
import type { Engine } from "../../engine.ts";
import { keys, machineIdIn } from "../labels.ts";
import { readServers } from "../machines.ts";
import { hostOf } from "../report.ts";
import { PortAgeItem } from "./answers.ts";
import type { Subject } from "./subject.ts";

/** Longer than a check takes from a port to its server. */
const PORT_AGE_MS = 3_600_000;

export async function* removeLeftovers(
  { cloud, region }: Subject,
  engine: Engine,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const left = new Map<string, string>();
  const servers = await readServers(cloud, region, { tags: cloud.owner }, signal);
  for (const server of servers) {
    const id = machineIdIn(server.tags);
    if (id !== undefined && isOrphan(server.metadata[keys.account], Date.now())) {
      left.set(id, hostOf(cloud, region, server));
    }
  }
  const query = { tags: cloud.owner };
  for (const port of await cloud.client.readAll(region.place.network, "/ports", "ports", PortAgeItem, signal, query)) {
    const id = machineIdIn([port.name]);
    const isOld = Date.parse(port.created_at) < Date.now() - PORT_AGE_MS;
    if (id !== undefined && port.device_id === "" && isOld) left.set(id, port.description);
  }
  for (const [id, host] of left) {
    try {
      await engine.remove({ id, host }, signal);
      yield ok("leftovers", `removed the test instance lessor-${id} of an earlier check from ${host}`);
    } catch (error) {
      signal.throwIfAborted();
      yield problem(
        "leftovers",
        `the test instance lessor-${id} of an earlier check could not be removed: ${wordsOf(error)}`,
        "remove its server and its port manually",
      );
    }
  }
}
