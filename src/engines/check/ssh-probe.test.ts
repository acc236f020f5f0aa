import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lines } from "../../../test/support/check-stand.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { checkSshProbe } from "./ssh-probe.ts";

const command = (word: string, path: string) =>
  lines(checkSshProbe({ sshProbe: { kind: "command", command: [word, "{ip}"], port: 22 } }, path));

async function programs(): Promise<string> {
  const directory = await temporaryDirectory();
  writeFileSync(join(directory, "knock"), "#!/bin/sh\n");
  chmodSync(join(directory, "knock"), 0o755);
  writeFileSync(join(directory, "notes"), "");
  mkdirSync(join(directory, "folder"));
  return directory;
}

describe("the SSH probe", () => {
  it("by TCP needs nothing", async () => {
    expect(await lines(checkSshProbe({ sshProbe: { kind: "tcp", port: 2222 } }, ""))).toEqual([
      "ok SSH probe: a connection from this machine to port 2222 of the guest",
    ]);
  });

  it("by a command is fine where that is on the PATH, or where it is said to be", async () => {
    const directory = await programs();
    expect(await command("knock", `/nowhere:${directory}`)).toEqual(["ok SSH probe: by the command knock"]);
    expect(await command(join(directory, "knock"), "")).toEqual([expect.stringMatching(/^ok/)]);
  });

  it.each(["nothing", "notes", "folder"])("by a command that is no program (%s) is a problem", async (word) => {
    const directory = await programs();
    expect(await command(word, directory)).toEqual([
      expect.stringContaining(`problem SSH probe: ${word} is not on this machine's PATH -> install it`),
    ]);
    expect(await command(join(directory, word), "")).toEqual([
      expect.stringContaining("is not a program on this machine"),
    ]);
  });
});
