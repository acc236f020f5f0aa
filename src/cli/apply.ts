// `lessor apply -f catalog.yaml`: makes the catalog match the file, through the control API. Names are keys and PUT
// creates or replaces, so it can be repeated. Objects that the file does not name stay unchanged.

import { readFile } from "node:fs/promises";
import { type CatalogCall, CatalogFileError, catalogCalls } from "./catalog-file.ts";
import { CommandError } from "./command-error.ts";
import { type ControlClient, clientFromEnvironment } from "./connection/control-client.ts";
import { refuseUnknownFields } from "./known-fields.ts";

/** Applies the file (`-`: standard input) and prints a line for each object put. Throws CommandError. */
export async function apply(file: string, env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<void> {
  const yaml = await readText(file);
  const count = await applyCatalog(yaml, clientFromEnvironment(env), print);
  print(`${count} applied.`);
}

/** Concurrent PUTs of one kind: a request mostly waits for its commit. */
const atOnce = 8;

/**
 * Applies a catalog's text, kind by kind in order, and stops at the first rejection; concurrent requests of its batch
 * may have succeeded and are printed too. Returns how many were put. Puts nothing if a field is misspelled.
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

/** Returns the display name of what it put. */
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
 * Batches of concurrent calls, in order: a batch has one kind and no name twice, because where a range names a host
 * that also has a line of its own, the later one takes precedence.
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
