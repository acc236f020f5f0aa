// Whether the configured firmware is available to machines.

import { type Finding, ok, problem, warning } from "../../check/finding.ts";
import { unless } from "../virsh/virsh-error.ts";
import { readOne } from "../xml/read.ts";
import { on, type Subject } from "./subject.ts";

export async function* checkFirmware({ place, capabilities }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { host, settings, virsh } = place;
  if (settings.firmware !== "efi") return;
  const { arch } = capabilities;
  const virtType = host.accelerator === "kvm" ? "kvm" : "qemu";
  const machine = arch === "aarch64" ? "virt" : "q35";
  const order = ["domcapabilities", "--virttype", virtType, "--arch", arch, "--machine", machine];
  // A missing accelerator is reported by virtualization.ts.
  const text = await unless("noAccelerator", virsh.call(order, { signal }));
  if (text === undefined) return;
  const offered = readOne(text)
    .all("os", "enum")
    .filter((one) => one.attribute("name") === "firmware")
    .flatMap((one) => one.all("value").map((value) => value.text));
  const what = on(place, "firmware");
  if (offered.includes("efi")) return yield ok(what, "UEFI");
  // Images with a kernel of their own need no firmware.
  const images = Object.values(settings.images);
  const lacking = images.length > 0 && images.every(({ boot }) => boot !== undefined) ? warning : problem;
  const packageName = arch === "aarch64" ? "qemu-efi-aarch64" : "ovmf";
  yield lacking(what, "there is no UEFI", `on the host: apt-get install ${packageName}; or set firmware: bios`);
}
