// Removes test instances of earlier checks that were killed.

import { type Finding, ok, problem, wordsOf } from "../../check/finding.ts";
import { isOrphan } from "../../check/test-instance-label.ts";
import type { Engine } from "../../engine.ts";
import { hostName } from "../cluster.ts";
import { readInstances } from "../instances.ts";
import { marks } from "../labels.ts";
import type { Subject } from "./subject.ts";

export async function* removeLeftovers(
  { cluster }: Subject,
  engine: Engine,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { instances } = await readInstances(cluster, signal);
  for (const [id, instance] of instances) {
    if (!isOrphan(instance.config?.[marks.account], Date.now())) continue;
    const host = hostName(cluster, instance.location ?? "");
    try {
      await engine.remove({ id, host }, signal);
      yield ok("leftovers", `removed the test instance ${instance.name} of an earlier check from ${host}`);
    } catch (error) {
      signal.throwIfAborted();
      yield problem(
        "leftovers",
        `the test instance ${instance.name} of an earlier check could not be removed: ${wordsOf(error)}`,
        "remove it manually",
      );
    }
  }
}
