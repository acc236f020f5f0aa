import { describe, expect, it } from "vitest";
import { lines } from "../../../../test/support/check-stand.ts";
import { hostSettings } from "../../../../test/support/fake-libvirt/stand.ts";
import { addProgram } from "../../../../test/support/libvirt-check-stand.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { checkTools } from "./tools.ts";

async function check(programs: readonly string[], uri = "qemu:///system"): Promise<string[]> {
  const directory = await temporaryDirectory();
  for (const program of programs) addProgram(directory, program);
  return lines(checkTools({ hosts: [hostSettings({ name: "h1", uri })] }, directory));
}

describe("this machine's programs", () => {
  it("are fine where all are there, whichever makes the ISO image", async () => {
    expect(await check(["virsh", "script", "xorrisofs"])).toEqual(["ok programs: virsh, xorrisofs and script"]);
  });

  it("without virsh are told what to install, and nothing else is", async () => {
    expect(await check(["script", "genisoimage"])).toEqual([
      expect.stringMatching(/^problem programs: virsh is not .* -> apt-get install libvirt-clients$/),
    ]);
  });

  it("without one that makes ISO images cannot start machines", async () => {
    expect(await check(["virsh", "script"])).toEqual([
      expect.stringMatching(/^problem programs: none of genisoimage, .* -> apt-get install genisoimage/),
    ]);
  });

  it("without script only lack consoles", async () => {
    expect(await check(["virsh", "genisoimage"])).toEqual([
      expect.stringMatching(/^warning programs: the program script .* -> apt-get install bsdutils$/),
      "ok programs: virsh and genisoimage",
    ]);
  });

  it("need ssh only for hosts that are reached by it", async () => {
    const all = ["virsh", "script", "genisoimage"];
    expect(await check(all)).toHaveLength(1);
    expect((await check(all, "qemu+ssh://root@h1/system?no_tty=1"))[0]).toMatch(/ssh is not .*openssh-client/);
  });
});
