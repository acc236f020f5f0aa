// Whether the storage pool exists, also after a host restart, has a suitable type, and enough space.

import { type Finding, ok, problem, warning } from "../../check/finding.ts";
import { unless } from "../virsh/virsh-error.ts";
import { filePools } from "../volumes.ts";
import { readOne } from "../xml/read.ts";
import { commandAt, fieldIn, on, type Subject } from "./subject.ts";

const GB = 1000 ** 3;
/** Less than the first holds hardly one machine of most instance types; less than the second no image at all. */
const [LITTLE_GB, NOTHING_GB] = [20, 2];

export async function* checkPool({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { virsh, settings } = place;
  const { pool } = settings;
  const what = on(place, "pool");
  const at = (...words: string[]) => commandAt(place, ...words);
  const info = await unless("noSuchPool", virsh.call(["pool-info", pool], { signal }));
  if (info === undefined) {
    const define = at("pool-define-as", pool, "dir", "--target", "/var/lib/libvirt/images");
    const then = ["pool-build", "pool-start", "pool-autostart"].map((command) => at(command, pool)).join(" && ");
    return yield problem(what, `the pool ${pool} does not exist`, `${define} && ${then}; or correct pool`);
  }
  const xml = readOne(await virsh.call(["pool-dumpxml", pool], { signal }));
  const [type, path] = [xml.attribute("type") ?? "", xml.one("target", "path")?.text];
  if (!filePools.includes(type) || path === undefined) {
    return yield problem(
      what,
      `${pool} is of type ${type}, but disks of machines are files`,
      `use a pool of type ${filePools.join(", ")}, on any file system`,
    );
  }
  if (fieldIn(info, "State") !== "running") return yield problem(what, `${pool} is not active`, at("pool-start", pool));
  if (fieldIn(info, "Persistent") === "no") {
    const define = `${at("pool-dumpxml", pool)} > pool.xml && ${at("pool-define", "pool.xml")}`;
    yield warning(
      what,
      `${pool} will not exist after the host restarts`,
      `${define}, and ${at("pool-autostart", pool)}`,
    );
  } else if (fieldIn(info, "Autostart") !== "yes") {
    yield warning(what, `${pool} does not start with the host`, at("pool-autostart", pool));
  }
  const [free, all] = ["available", "capacity"].map((name) => Math.floor((xml.one(name)?.bytes ?? 0) / GB));
  if (free === undefined || all === undefined) throw new Error("BUG: two of two");
  if (free < LITTLE_GB) {
    const short = free < NOTHING_GB ? problem : warning;
    yield short(what, `${pool} has only ${free} GB free`, `free space at ${path}, or use a pool on a larger disk`);
  }
  yield ok(what, `${pool}, ${type} at ${path}: ${free} GB free of ${all}`);
}
