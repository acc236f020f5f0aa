// Removes a lab when the process that started it is gone: see support/lab/guard.ts.

import { guard } from "../../support/lab/guard.ts";
import { openStackLabs } from "./layout.ts";

await guard(openStackLabs.layoutOf(Number(process.argv[2])));
