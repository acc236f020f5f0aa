// Whether the storage pool exists on every member, has space for machines, and can enforce disk sizes.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import { PoolSpaceAnswer } from "../api.ts";
import { poolPath, targetOf } from "../cluster.ts";
import { PoolDetailAnswer } from "./answers.ts";
import { lookUp, type Subject, serving } from "./subject.ts";

const GB = 1000 ** 3;
/** Less than the first holds hardly one machine of most instance types; less than the second no image at all. */
const [LITTLE_GB, NOTHING_GB] = [20, 2];

export async function* checkStorage(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { cluster, server, tool } = subject;
  const { client, settings } = cluster;
  const what = `pool ${settings.pool}`;
  const metadata = await lookUp(cluster, poolPath(cluster), signal);
  if (!PoolDetailAnswer.Check(metadata)) {
    const make = server.environment.server_clustered
      ? `create it, first with --target <member> for each member, then once without: ${tool} storage create ${settings.pool} zfs`
      : `${tool} storage create ${settings.pool} zfs`;
    return yield problem(what, "does not exist", `${make}; or correct pool`);
  }
  const { driver, status, locations } = metadata;
  if (status !== undefined && status !== "Created") {
    yield problem(what, `is ${status.toLowerCase()}`, `check: ${tool} storage show ${settings.pool}`);
  }
  const here: string[] = [];
  for (const { server_name: member } of serving(subject)) {
    if (server.environment.server_clustered && locations && !locations.includes(member)) {
      const create = `${tool} storage create ${settings.pool} ${driver} --target ${member}`;
      yield problem(what, `is not created on ${member}`, create);
      continue;
    }
    const target = await targetOf(cluster, member, signal);
    const { space } = await client.read(`${poolPath(cluster)}/resources`, PoolSpaceAnswer, signal, target);
    const free = Math.floor((space.total - (space.used ?? 0)) / GB);
    here.push(`${member} ${free} GB free of ${Math.floor(space.total / GB)}`);
    if (free < LITTLE_GB) {
      const short = free < NOTHING_GB ? problem : warning;
      yield short(what, `has only ${free} GB free on ${member}`, "free space, or add a disk");
    }
  }
  if (here.length > 0) yield ok(what, `${driver}: ${listed(here)}`);
  if (driver === "dir") {
    yield warning(
      what,
      "uses the driver dir, which copies the whole image for each machine, and limits containers and file systems to " +
        "their sizes only if the underlying file system has project quotas",
      "use zfs, btrfs, lvm or ceph",
    );
  }
}
