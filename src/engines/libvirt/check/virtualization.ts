// Whether the host runs guests as its settings say, verified by running one.

import { type Finding, ok, problem, wordsOf } from "../../check/finding.ts";
import { stopwatch } from "../../check/test-instance.ts";
import { VirshError } from "../virsh/virsh-error.ts";
import { verifyVirtualization } from "../virtualization.ts";
import { on, type Subject } from "./subject.ts";

export async function* checkAccelerator(
  { place, capabilities }: Subject,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { accelerator } = place.host;
  const what = on(place, "accelerator");
  if (!capabilities.emulators.some(({ arch }) => arch === capabilities.arch)) {
    const name = capabilities.arch === "aarch64" ? "qemu-system-arm" : "qemu-system-x86";
    return yield problem(
      what,
      `QEMU for ${capabilities.arch} is not installed`,
      `on the host: apt-get install ${name}`,
    );
  }
  const lap = stopwatch();
  try {
    await verifyVirtualization(place, signal);
  } catch (error) {
    signal.throwIfAborted();
    const words = error instanceof VirshError && error.complaint !== "" ? error.complaint : wordsOf(error);
    return yield problem(what, words, advice[accelerator]);
  }
  const how = accelerator === "kvm" ? "KVM" : "software emulation, as configured: slow, for tests";
  yield ok(what, `a guest ran with ${how}, and ended after ${lap()}`);
}

const advice = {
  kvm:
    "enable virtualization in the firmware (VT-x, AMD-V), and on the host: modprobe kvm_intel (or kvm_amd); " +
    "if the host is a virtual machine itself, enable nesting; for tests: accelerator: emulated",
  emulated: "read /var/log/libvirt/qemu on the host, and check its free memory",
} as const;
