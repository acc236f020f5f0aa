// Writes each HTTP request of the measured service to a file, a line of JSON each. Loaded into it with
// --import=file:///…/count-requests.ts?to=<file>; everything else of it is the program as it is. Used by runs/openstack/openstack.ts.

import { appendFileSync } from "node:fs";
import { observeRequests } from "./api-requests.ts";

const file = new URL(import.meta.url).searchParams.get("to");
if (file === null) throw new Error("BUG: no file to write to");
observeRequests((request) => appendFileSync(file, `${JSON.stringify(request)}\n`));
