// A process that outlives the one that started a lab, whatever ends that (kill -9, Ctrl-C), and then removes the lab.
// It knows by the end of its standard input, which the other holds open. Started by lab.ts with the slot's number.

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanLab } from "./clean.ts";
import { layoutOf } from "./layout.ts";
import { release, takeOver } from "./slot.ts";

const layout = layoutOf(Number(process.argv[2]));

process.stdin.resume();
await once(process.stdin, "end");
// In vain where the lab was stopped in order. The owner may take a moment to be gone.
for (let attempts = 0; attempts < 100; attempts++) {
  if (takeOver(layout)) {
    await cleanLab(layout);
    release(layout);
    break;
  }
  await sleep(50);
}
