// Where the built console lies (npm run build:console). Used by the fixed service and by the test of its size.

import { resolve } from "node:path";

export const builtConsole = resolve(import.meta.dirname, "../../../dist/console");
