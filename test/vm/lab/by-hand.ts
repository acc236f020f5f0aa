// A lab to look at: `node test/vm/lab/by-hand.ts` starts one, tells how it is reached, and keeps it until it is ended by
// Ctrl-C or SIGTERM.

import { once } from "node:events";
import { sshOptions } from "../../support/lab/ssh.ts";
import { startVmLab } from "./lab.ts";

const say = (text: string) => process.stdout.write(`${text}\n`);

const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
const began = performance.now();
const { lab, stop } = await startVmLab({ log: say });
say(`up after ${((performance.now() - began) / 1000).toFixed(1)} s, in slot ${lab.slot}\n`);
for (const { name, uri, namespace, uuid, guestSubnet } of lab.hosts) {
  say(
    `${name}  ${uri}  guests ${guestSubnet}  uuid ${uuid}\n    virsh -c ${uri} list --all\n    ip netns exec ${namespace} ip address`,
  );
}
say(`\nnetwork ${lab.network}, pool ${lab.pool} with ${lab.images.join(", ")}`);
say(`kernel's command line of the light guest: ${lab.light.commandLine}`);
say(`ssh ${sshOptions("KEY").join(" ")} USER@ADDRESS`);
say(`in another process: vmLabOf({ slot: ${lab.slot} })\n\nCtrl-C ends it.`);
// A process that waits for a signal only would end.
const alive = setInterval(() => {}, 3_600_000);
await ended;
clearInterval(alive);
await stop();
