// `npm run bench`: runs the measures of bench/measures.ts, one after the other, and prints the results. Progress goes
// to standard error, so that `--json` prints only lines of JSON. Exit code: 0 whatever was reached, 1 if a measure
// failed, 2 for invalid arguments.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Bench } from "./bench.ts";
import { growthPicture, keepGrowth } from "./chart/growth-figures.ts";
import { full, quick } from "./effort.ts";
import { machineLines } from "./machine.ts";
import type { MeasureName } from "./measures.ts";
import { type Options, parseOptions, usage } from "./options.ts";
import { jsonLine, textLines } from "./output.ts";
import { newestProfile, sharesOf } from "./profile.ts";
import { type Run, withFigures } from "./results.ts";
import { runs } from "./runs/runs.ts";
import { isMissing, type Result } from "./verdict.ts";

const resultsFile = join(import.meta.dirname, "RESULTS.md");
const say = (line: string) => void process.stderr.write(`… ${line}\n`);
const print = (line: string) => void process.stdout.write(`${line}\n`);

async function measure(options: Options): Promise<void> {
  const effort = options.quick ? quick : full;
  const mostInstances = options.upTo ?? effort.mostInstances;
  await using bench = await Bench.open({ ...effort, mostInstances }, say, options.profileDirectory);
  const interrupted = () => void bench[Symbol.asyncDispose]().then(() => process.exit(130));
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  const results: Result[] = [];
  for (const name of options.measures) {
    say(name);
    const isLate = performance.now() / 1000 > bench.effort.lastBeginSeconds;
    const result = isLate ? { name, missing: "left out: the time was over" } : await resultOf(bench, name);
    results.push(result);
    for (const line of options.json ? [jsonLine(result)] : textLines(result)) print(line);
  }
  const machine = await machineLines(await bench.anyService());
  if (!options.json) for (const line of machine) print(line);
  if (!options.write) return;
  const run = { date: new Date().toISOString().slice(0, 10), machine, results };
  await writeResults(run);
  // With datasets left out the chart would end before its million.
  if (options.upTo === undefined) writeGrowth(run);
}

async function writeResults(run: Run): Promise<void> {
  const page = await readFile(resultsFile, "utf8").catch(() => "# What was measured\n");
  await writeFile(resultsFile, withFigures(page, run));
  say(`wrote ${resultsFile}`);
}

/** The chart and its figures, if they were measured. */
function writeGrowth({ date, machine, results }: Run): void {
  const costs = results.map((result) => (isMissing(result) ? undefined : result.growth)).find(Boolean);
  if (costs === undefined) return;
  keepGrowth({ date, machine, costs });
  say(`wrote ${fileURLToPath(growthPicture)}`);
}

/** A measure that fails is named, and does not stop the others. */
async function resultOf(bench: Bench, name: MeasureName): Promise<Result> {
  try {
    return await runs[name](bench);
  } catch (error) {
    process.exitCode = 1;
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { name, missing: `broke off: ${error instanceof Error ? error.message : String(error)}` };
  }
}

let options: Options | undefined;
try {
  options = parseOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`);
  process.exitCode = 2;
}
if (options?.help === true) print(usage);
else if (options !== undefined) {
  await measure(options);
  // Profiles are written when the servers end.
  if (options.profileDirectory !== undefined) showProfile(options.profileDirectory);
}

function showProfile(directory: string): void {
  const profile = newestProfile(directory);
  if (profile === undefined) throw new Error(`no profile was written to ${directory}`);
  const { functions, packages } = sharesOf(profile, 25);
  for (const { what, share } of [...packages, ...functions]) say(`${(share * 100).toFixed(1).padStart(5)} %  ${what}`);
}
