// Prism, the mock server of OpenAPI documents, with our own document: the alternative for people who mock this service
// instead of running it. From npm (tools/).

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installed, isInstalled } from "../../tools/installed.ts";
import { freePorts } from "../service/ports.ts";
import { Program } from "../service/program.ts";
import type { Service } from "../service/service.ts";
import { type PerhapsPeer, reasonOf } from "./missing.ts";

/** With M's document. `installs`: false to use it only if it is there. */
export async function startPrism(service: Service, directory: string, installs: boolean): Promise<PerhapsPeer> {
  try {
    if (!installs && !isInstalled("prism")) return { missing: "Prism is not installed; a full run installs it" };
    const entry = await installPrism();
    const document = await fetch(`${service.url}/api/vm_marketplace/openapi.json`);
    const file = join(directory, "openapi.json");
    await writeFile(file, await document.text());
    const [port = 0] = await freePorts(1);
    const program = new Program({
      name: "Prism",
      command: process.execPath,
      // Its forking does not work on this Node, and its log would cost it more than its responses.
      args: [
        ...[entry, "mock", file, "--port", String(port), "--host", "127.0.0.1"],
        ...["--multiprocess", "false", "--verboseLevel", "error"],
      ],
      env: { PATH: process.env.PATH, NODE_ENV: "production" },
      logFile: join(directory, "prism.log"),
      quiet: true,
      group: true,
    });
    await program.until(async () => (await fetch(`http://127.0.0.1:${port}`)).status > 0, 50, 60);
    return { port, [Symbol.asyncDispose]: () => program.end() };
  } catch (error) {
    return { missing: reasonOf(error) };
  }
}

/** Installs it if missing; returns the program. Throws if npm cannot. */
export async function installPrism(): Promise<string> {
  return join(await installed("prism"), "node_modules/@stoplight/prism-cli/dist/index.js");
}
