// Removes a lab when the process that started it is gone: see support/lab/guard.ts.

import { guard } from "../../support/lab/guard.ts";
import { clusterLabs } from "./layout.ts";

await guard(clusterLabs.layoutOf(Number(process.argv[2])));
