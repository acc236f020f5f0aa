// Runs a tool of this folder: `node tools/run.ts biome check .`, with its arguments, outputs and exit code. Used by the
// scripts of package.json, and by people.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installed, isInstalled } from "./installed.ts";

const [, , name, ...args] = process.argv;
// The one whose package has a program of its name that people run.
if (name !== "biome") throw new Error(`tools/run.ts runs biome, not ${name}`);
if (!isInstalled(name)) process.stderr.write(`Installing ${name} from npm, once.\n`);
const { status, error } = spawnSync(join(await installed(name), "node_modules/.bin", name), args, { stdio: "inherit" });
if (error !== undefined) throw error;
process.exitCode = status ?? 1;
