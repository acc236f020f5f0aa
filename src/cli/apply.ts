// `lessor apply -f catalog.yaml`: brings the catalogue to what the file says, through the control API. Names are keys
// and PUT creates or replaces, so it can be run again and again. What the file does not name is left alone.

import { readFile } from "node:fs/promises";
import { type CatalogCall, CatalogFileError, catalogCalls } from "./catalog-file.ts";
import { CommandError } from "./command-error.ts";
import { type ControlClient, clientFromEnvironment } from "./connection/control-client.ts";
import { refuseUnknownFields } from "./known-fields.ts";

/** Applies the file (`-`: standard input) and tells, line by line, what was put. Throws CommandError. */
export async function apply(file: string, env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<void> {
  const yaml = await readText(file);
  const count = await applyCatalog(yaml, clientFromEnvironment(env), print);
  print(`${count} applied.`);
}

/** So many things of one kind are put at once: a request mostly waits for its commit. */
const atOnce = 8;

/**
 * Applies a catalogue's text, kind by kind in order, and stops at the first refusal, beside which a few more may have been
 * put, which are told too; returns how many were put. None with a misspelt field.
 */
export async function applyCatalog(
  yaml: string,
  client: ControlClient,
  print: (line: string) => void = () => {},
): Promise<number> {
  const calls = readCalls(yaml);
  refuseUnknownFields(calls, await client.document());
  for (const together of independent(calls)) {
    const ended = await Promise.allSettled(together.map((call) => put(client, call)));
    for (const one of ended) if (one.status === "fulfilled") print(one.value);
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }
  return calls.length;
}

/** Gives what it put, as people say it. */
async function put(client: ControlClient, { path, body, what }: CatalogCall): Promise<string> {
  try {
    await client.call("PUT", path, body);
    return what;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${what}: ${error.message}`, error.suggestion, { cause: error });
  }
}

/**
 * In order; together is what may be put at once: of one kind, and nothing twice, for where a range names a host that also
 * has a line of its own, the later one counts.
 */
function independent(calls: readonly CatalogCall[]): CatalogCall[][] {
  const groups: CatalogCall[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    const fits = last?.every(({ section, path }) => section === call.section && path !== call.path);
    if (last !== undefined && fits === true && last.length < atOnce) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

function readCalls(yaml: string) {
  try {
    return catalogCalls(yaml);
  } catch (error) {
    if (error instanceof CatalogFileError) throw new CommandError(error.message, undefined, { cause: error });
    throw error;
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file === "-" ? "/dev/stdin" : file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read.`, "Check the path after -f.", { cause: error, exit: "not-found" });
  }
}
