// `lessor serve` with the external engine instead of those of the settings: the same start, the same stop.
// Run as: program.ts <path of the engine's socket>

import { loadConfig } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { start } from "../../src/server.ts";
import { ExternalEngine } from "./engine.ts";

const [path = ""] = process.argv.slice(2);
const config = loadConfig({ env: process.env, cwd: process.cwd() });
const stopped = new Promise((resolve) => process.once("SIGTERM", resolve));
const print = async (text: string) => void process.stdout.write(`${text}\n`);
const engine = new ExternalEngine(path);
const running = await start(config, createLog(config.logLevel), print, { engines: [engine] });
await stopped;
await running.stop();
// The service closes only engines that it opened.
await engine.close();
