// Reads V8's CPU profiles: the time by function and by package. Used by `--profile`, to find the bottleneck of a figure
// that misses its target.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The used fields of a .cpuprofile. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

export interface Share {
  readonly what: string;
  /** Of the time that was not idle, 0 to 1. */
  readonly share: number;
}

/** The `most` greatest shares of self time, and those of packages. */
export function sharesOf(profile: CpuProfile, most: number): { functions: Share[]; packages: Share[] } {
  const spent = new Map<number, number>();
  for (const [i, id] of profile.samples.entries()) spent.set(id, (spent.get(id) ?? 0) + (profile.timeDeltas[i] ?? 0));
  const functions = new Map<string, number>();
  const packages = new Map<string, number>();
  let all = 0;
  for (const { id, callFrame } of profile.nodes) {
    const time = spent.get(id) ?? 0;
    if (time === 0 || callFrame.functionName === "(idle)") continue;
    all += time;
    const place = placeOf(callFrame.url);
    const name = callFrame.functionName === "" ? "(anonymous)" : callFrame.functionName;
    const what = place.file === "" ? name : `${name} ${place.file}:${callFrame.lineNumber + 1}`;
    functions.set(what, (functions.get(what) ?? 0) + time);
    const owner = callFrame.functionName.startsWith("(") ? callFrame.functionName : place.owner;
    packages.set(owner, (packages.get(owner) ?? 0) + time);
  }
  const greatest = (shares: Map<string, number>) =>
    [...shares]
      .map(([what, time]) => ({ what, share: time / all }))
      .sort((a, b) => b.share - a.share)
      .slice(0, most);
  return { functions: greatest(functions), packages: greatest(packages) };
}

/** The owner of the code: a package, a module of ours, Node. */
function placeOf(url: string): { owner: string; file: string } {
  const [, dependency] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? [];
  if (dependency !== undefined) return { owner: dependency, file: url.slice(url.lastIndexOf(dependency)) };
  const [, ours, room] = /\/(src\/([^/]+).*)$/.exec(url) ?? [];
  if (ours !== undefined) return { owner: `lessor ${room}`, file: ours };
  return url.startsWith("node:") ? { owner: "node", file: url } : { owner: "native", file: "" };
}

/** The newest profile in the directory, which is that of the measured server. Undefined if there is none. */
export function newestProfile(directory: string): CpuProfile | undefined {
  const files = readdirSync(directory)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name) => join(directory, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return files[0] === undefined ? undefined : JSON.parse(readFileSync(files[0], "utf8"));
}
