// The command line of `npm run bench`. Used by main.ts.

import { parseArgs } from "node:util";
import { isMeasureName, type MeasureName, measureNames, measureOf } from "./measures.ts";

export interface Options {
  /** Only the usage is requested. */
  readonly help: boolean;
  readonly measures: readonly MeasureName[];
  readonly json: boolean;
  /** Short rounds, two minutes in total; measures of the large dataset with its instances are skipped, and named. */
  readonly quick: boolean;
  /** Whether RESULTS.md is written. */
  readonly write: boolean;
  /** Where to put a CPU profile of the server for each measure; undefined: none is taken. */
  readonly profileDirectory: string | undefined;
  /** The instances of the largest dataset of `million`; undefined: as many as its name says. */
  readonly upTo: number | undefined;
}

export const usage = `npm run bench -- [--quick] [--json] [--only list,launch] [--scale] [--up-to number] [--write] [--profile directory]
npm run bench:scale -- [--json] [--write]

  --quick    short rounds, under two minutes in all; what needs 100,000 instances is left out, by name
  --only     these measures: ${measureNames.join(", ")}
  --scale    those that need the large world (10,000 hosts, 100,000 instances) and million: what bench:scale runs
  --json     one object a line
  --write    write bench/RESULTS.md, which otherwise only a full run does
  --up-to    the instances of the largest dataset of million, to try it: 10000, 100000; writes no chart
  --profile  also take CPU profiles of the server, into this directory (figures are then lower)`;

/** Throws with a sentence for people if the arguments are invalid. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
      only: { type: "string" },
      scale: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      profile: { type: "string" },
      "up-to": { type: "string" },
    },
  });
  const { help, quick, json, only, scale, write, profile, "up-to": upTo } = values;
  const asked = only === undefined ? measureNames : named(only);
  const chosen = scale ? asked.filter((name) => measureOf(name).large) : asked;
  const isFull = !quick && !scale && only === undefined && profile === undefined;
  if (upTo !== undefined && !(Number(upTo) >= 10_000)) throw new Error("--up-to needs a number, of 10000 or more.");
  const most = upTo === undefined ? undefined : Number(upTo);
  return { help, measures: chosen, json, quick, write: write || isFull, profileDirectory: profile, upTo: most };
}

function named(list: string): MeasureName[] {
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !isMeasureName(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no measure. There are: ${measureNames.join(", ")}.`);
  return measureNames.filter((name) => names.includes(name));
}
