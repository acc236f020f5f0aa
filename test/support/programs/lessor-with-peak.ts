// The program itself, that says at its end how much memory it took at most: `peak <KiB>` as the last line of its errors.

import { writeSync } from "node:fs";

process.on("exit", () => void writeSync(2, `peak ${process.resourceUsage().maxRSS}\n`));

await import("../../../src/main.ts");
