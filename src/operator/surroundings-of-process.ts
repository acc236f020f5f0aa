// The surroundings of this process: its environment, directory and streams. Used by the commands of commands/.

import { statusLine } from "./status-line.ts";
import type { Surroundings } from "./surroundings.ts";

export function besideService(): Surroundings {
  return {
    env: process.env,
    cwd: process.cwd(),
    print: (line) => void process.stdout.write(`${line}\n`),
    tell: (line) => void process.stderr.write(`${line}\n`),
    status: statusLine(process.stderr),
  };
}
