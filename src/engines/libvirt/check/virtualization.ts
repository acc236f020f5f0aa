// Whether the host runs guests as its settings say: proved by one, and how long that took.

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
    return yield problem(what, `there is no QEMU for ${capabilities.arch}`, `on the host: apt-get install ${name}`);
  }
  const lap = stopwatch();
  try {
    await verifyVirtualization(place, signal);
  } catch (error) {
    signal.throwIfAborted();
    const words = error instanceof VirshError && error.complaint !== "" ? error.complaint : wordsOf(error);
    return yield problem(what, words, advice[accelerator]);
  }
  const how = accelerator === "kvm" ? "KVM" : "software, as the settings say: slow, for tests";
  yield ok(what, `a guest ran by ${how}, and was gone after ${lap()}`);
}

const advice = {
  kvm:
    "switch virtualisation on in the firmware (VT-x, AMD-V), and on the host: modprobe kvm_intel (or kvm_amd); " +
    "if the host is a virtual machine itself, allow nesting; for tests: accelerator: emulated",
  emulated: "look at /var/log/libvirt/qemu on the host, and at the free memory there",
} as const;
