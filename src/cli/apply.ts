// `lessor apply -f catalog.yaml`: brings the catalogue to what the file says, through the control API. Names are keys
// and PUT creates or replaces, so it can be run again and again. What the file does not name is left alone.

import { readFile } from "node:fs/promises";
import { CatalogFileError, catalogCalls } from "./catalog-file.ts";
import { CommandError, type ControlClient, clientFromEnvironment } from "./control-client.ts";
import { refuseUnknownFields } from "./known-fields.ts";

/** Applies the file (`-`: standard input) and tells, line by line, what was put. Throws CommandError. */
export async function apply(file: string, env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<void> {
  const yaml = await readText(file);
  const count = await applyCatalog(yaml, clientFromEnvironment(env), print);
  print(`${count} applied.`);
}

/** Applies a catalogue's text in order, stopping at the first refusal; returns how many were put. None with a misspelt field. */
export async function applyCatalog(
  yaml: string,
  client: ControlClient,
  print: (line: string) => void = () => {},
): Promise<number> {
  const calls = readCalls(yaml);
  refuseUnknownFields(calls, await client.document());
  for (const call of calls) {
    try {
      await client.call("PUT", call.path, call.body);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      throw new CommandError(`${call.what}: ${error.message}`, error.suggestion, { cause: error });
    }
    print(`${call.what}`);
  }
  return calls.length;
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
