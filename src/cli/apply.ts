// `lessor apply -f catalog.yaml`: brings the catalogue to what the file says, through the control API. Names are keys
// and PUT creates or replaces, so it can be run again and again. What the file does not name is left alone.

import { readFile } from "node:fs/promises";
import { type CatalogCall, CatalogFileError, catalogCalls } from "./catalog-file.ts";
import { CommandError, type ControlClient, clientFromEnvironment } from "./control-client.ts";
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
 * put; returns how many were put. None with a misspelt field.
 */
export async function applyCatalog(
  yaml: string,
  client: ControlClient,
  print: (line: string) => void = () => {},
): Promise<number> {
  const calls = readCalls(yaml);
  refuseUnknownFields(calls, await client.document());
  for (const together of Object.values(Object.groupBy(calls, ({ section }) => section)).flatMap(inWindows)) {
    const ended = await Promise.allSettled(together.map((call) => put(client, call)));
    for (const [at, one] of ended.entries()) {
      if (one.status === "rejected") throw one.reason;
      print(together[at]?.what ?? "");
    }
  }
  return calls.length;
}

async function put(client: ControlClient, { path, body, what }: CatalogCall): Promise<void> {
  try {
    await client.call("PUT", path, body);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${what}: ${error.message}`, error.suggestion, { cause: error });
  }
}

function inWindows(calls: readonly CatalogCall[]): (readonly CatalogCall[])[] {
  const count = Math.ceil(calls.length / atOnce);
  return Array.from({ length: count }, (_, index) => calls.slice(index * atOnce, (index + 1) * atOnce));
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
    throw new CommandError(`${file} cannot be read.`, "Check the path after -f.", { cause: error });
  }
}
