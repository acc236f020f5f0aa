// What an operator sets up once in libvirt on a GPU host (docs/how-to/operators/set-up-libvirt.md): its pool and its
// network, both called "lessor". Used by story.ts and secret/story.ts.

import type { Virsh } from "../../../src/engines/libvirt/virsh/virsh.ts";
import { poolDirectory } from "./gpu-host.ts";

/** Throws VirshError. */
export async function setUpLibvirt(virsh: Virsh): Promise<void> {
  const network = `<network><name>lessor</name><forward mode='route'/><bridge name='lessor0' stp='off'/>
    <ip address='203.0.113.1' netmask='255.255.255.192'>
      <dhcp><range start='203.0.113.2' end='203.0.113.62'/></dhcp></ip></network>`;
  await virsh.call(["net-define", "/dev/stdin"], { input: network, signal: soon() });
  await virsh.call(["net-start", "lessor"], { signal: soon() });
  await virsh.call(["pool-define-as", "lessor", "dir", "--target", poolDirectory], { signal: soon() });
  await virsh.call(["pool-start", "lessor"], { signal: soon() });
}

function soon(): AbortSignal {
  return AbortSignal.timeout(60_000);
}
