// A lab to look at: `node test/openstack/lab/by-hand.ts [rabbit]` starts one, tells how it is reached, and keeps it until it
// is ended by Ctrl-C or SIGTERM.

import { once } from "node:events";
import { startLab } from "./lab.ts";

const say = (text: string) => process.stdout.write(`${text}\n`);

const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
const began = performance.now();
const { lab, stop } = await startLab({ log: say, bus: process.argv[2] === "rabbit" ? "rabbit" : "memory" });
say(`up after ${((performance.now() - began) / 1000).toFixed(1)} s, in slot ${lab.slot}\n`);
say(`OS_CLIENT_CONFIG_FILE=${lab.cloudsFile} openstack --os-cloud ${lab.clouds.join("|")} server list`);
say(`services: ${lab.services.join(", ")}`);
say(`hosts: ${lab.hosts.map(({ name, gpus }) => `${name} (${gpus})`).join(", ")}`);
say(`in another process: labOf({ slot: ${lab.slot} })\n\nCtrl-C ends it.`);
// A process that waits for a signal only would end.
const alive = setInterval(() => {}, 3_600_000);
await ended;
clearInterval(alive);
await stop();
