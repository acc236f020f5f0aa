// The fake libvirt that other tests trust, held to a real one: the same commands, the same answers and the same events.

import { expect, inject, it } from "vitest";
import { openVirsh } from "../../src/engines/libvirt/virsh/virsh.ts";
import { FakeLibvirt } from "../support/fake-libvirt/fake-libvirt.ts";
import { transcript } from "../support/fake-libvirt/transcript.ts";
import { vmLabOf } from "./lab/lab.ts";

it("the fake answers as a real libvirt does", async () => {
  const lab = vmLabOf(inject("vmLab"));
  const [host] = lab.hosts;
  if (host === undefined) throw new Error("BUG: a lab without hosts");
  const prefix = host.guestSubnet.replace(/\.0\/24$/, "");
  const signal = AbortSignal.timeout(120_000);
  const real = await transcript(
    { virsh: openVirsh(host.uri), network: lab.network, addresses: [`${prefix}.201`, `${prefix}.202`] },
    signal,
  );
  const fake = new FakeLibvirt({ hosts: ["h1"] });
  const virsh = fake.virsh(fake.world.host("h1").uri);
  const made = await transcript({ virsh, network: "default", addresses: ["127.66.1.201", "127.66.1.202"] }, signal);
  expect(real.some((line) => line.endsWith(refused)) ? withRefusal(made) : made).toEqual(real);
});

/** What a real libvirt says of a QEMU that ended before its monitor was asked, instead of QEMU's words and an event. */
const refused = "failed to connect to monitor socket: Connection refused";

/** What the fake would say if its QEMU, which never ends that soon, had done so. */
function withRefusal(made: readonly string[]): string[] {
  return made
    .filter((line) => line !== "event 'control-error' for domain 'fake-test-1'")
    .map((line) => line.replace(/internal error: QEMU ended: qemu: could not open kernel file .*/, refused));
}
