// What keeps tenants apart: the filter against false addresses, which every machine's network card names, and the bridge's
// port isolation. Whether it does, the probe instances show (check/isolation.ts).

import { type Finding, ok, problem } from "../../check/index.ts";
import { unless } from "../virsh/virsh-error.ts";
import { on, type Subject } from "./subject.ts";

const filter = "clean-traffic";

export async function* checkFilter({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = on(place, "isolation");
  const found = await unless("noSuchFilter", place.virsh.call(["nwfilter-dumpxml", filter], { signal }));
  if (found === undefined) {
    return yield problem(
      what,
      `there is no filter ${filter}, without which no machine starts`,
      "on the host: apt-get install libvirt-daemon-config-nwfilter, and systemctl restart libvirtd",
    );
  }
  yield ok(what, `port isolation, and the filter ${filter} (MAC, IPv4 and ARP) for each machine`);
}
