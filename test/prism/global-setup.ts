// Runs once around the conformance suite behind Prism (npm run test:prism): one `prism proxy <document> --errors` for each
// interface, all in front of the switchboard. At the end it says how much was checked.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { installPrism } from "../../bench/peers/prism.ts";
import { freePorts } from "../../bench/service/ports.ts";
import { Program } from "../../bench/service/program.ts";
import { publishedDocument } from "../../docs/openapi.ts";
import { type InterfaceName, interfaceNames } from "../../src/config/interfaces.ts";
import { startSwitchboard } from "./switchboard.ts";
import { counted, type PrismProxies } from "./through.ts";

declare module "vitest" {
  export interface ProvidedContext {
    prism: PrismProxies | undefined;
  }
}

/** Returns the teardown. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), "lessor-prism-"));
  const tally = join(directory, "tally");
  writeFileSync(tally, "");
  const switchboard = await startSwitchboard();
  const programs: Program[] = [];
  const teardown = async () => {
    await Promise.all(programs.map((program) => program.end()));
    await switchboard.close();
    for (const line of counted(readFileSync(tally, "utf8"))) process.stdout.write(`prism: ${line}\n`);
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const entry = await installPrism();
    const ports = await freePorts(interfaceNames.length);
    const proxies = await Promise.all(
      interfaceNames.map(async (name, index): Promise<[InterfaceName, string]> => {
        const document = join(directory, `${name}.json`);
        writeFileSync(document, await publishedDocument(name));
        const port = ports[index] ?? 0;
        const program = new Program({
          name: `Prism for ${name}`,
          command: process.execPath,
          // Its log would be of every violation, which the tests tell better.
          args: [
            ...[entry, "proxy", document, switchboard.url, "--errors", "--port", String(port), "--host", "127.0.0.1"],
            ...["--cors", "false", "--multiprocess", "false", "--verboseLevel", "fatal"],
          ],
          env: { PATH: process.env.PATH, NODE_ENV: "production" },
          logFile: join(directory, `${name}.log`),
        });
        programs.push(program);
        await program.until(async () => (await fetch(`http://127.0.0.1:${port}/-`)).status > 0, 50, 60);
        return [name, `http://127.0.0.1:${port}`];
      }),
    );
    project.provide("prism", { urls: Object.fromEntries(proxies) as PrismProxies["urls"], tally }); // of all names
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}
