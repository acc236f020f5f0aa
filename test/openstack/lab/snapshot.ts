// The databases, keys and images of a new lab are made once and kept outside the checkout, for later labs of this and
// other checkouts. What depends on the slot or the bus is changed when they are unpacked.
//
// Invariant: what is there is whole: it is taken while the database is stopped, and written beside its place.

import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { imageCache } from "../../support/lab/grounds.ts";
import { run } from "../../support/lab/run.ts";
import { transportUrl } from "./configuration/nova.ts";
import { sql, startDatabase } from "./databases.ts";
import type { Bus, Layout } from "./layout.ts";
import type { Seed } from "./seed.ts";

/** What the file has besides the databases, for the next lab. */
export interface Kept extends Seed {
  /** Of the lab that made it. */
  readonly address: string;
  readonly images: string;
}

/** Relative to the lab's directory. */
const contents = ["mysql", "fernet", "credential", "images", "facts.json"];

/** Where the snapshot is, or would be, for these packages and this state of the lab's code. */
export async function snapshotFile(packages: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own fields, not ours.
  hash.update(await run("dpkg-query", ["--show", "--showformat=${Package} ${Version}\n", ...packages]));
  const sources = ["layout.ts", "databases.ts", "seed.ts", "snapshot.ts", "configuration/*.ts"];
  for (const path of globSync(sources, { cwd: import.meta.dirname }).sort()) {
    hash.update(path).update(readFileSync(join(import.meta.dirname, path)));
  }
  return join(imageCache, `openstack-${hash.digest("hex").slice(0, 16)}.tar.zst`);
}

/** Keeps what the lab's directory has. The database must be stopped. */
export async function takeSnapshot({ directory }: Layout, file: string): Promise<void> {
  mkdirSync(imageCache, { recursive: true });
  // Under a name of our own, because two labs may make it at once; the later one replaces an equal one.
  const unfinished = `${file}.${process.pid}`;
  await run("tar", ["--create", "--zstd", "--sparse", `--file=${unfinished}`, `--directory=${directory}`, ...contents]);
  renameSync(unfinished, file);
}

/** Unpacks it, and starts the database. False where there is none. */
export async function unpackSnapshot(layout: Layout, bus: Bus, file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  await run("tar", ["--extract", "--zstd", `--file=${file}`, `--directory=${layout.directory}`]);
  const kept: Kept = JSON.parse(readFileSync(layout.factsFile, "utf8"));
  await startDatabase(layout);
  await sql(
    layout,
    `update keystone.endpoint set url = replace(url, '//${kept.address}:', '//${layout.address}:');
     update glance.image_locations set value = replace(value, '${kept.images}/', '${layout.images}/');
     update nova_api.cell_mappings set transport_url = '${transportUrl(bus)}' where name = 'cell1';`,
  );
  return true;
}
