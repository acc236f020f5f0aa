// Files for guests over libvirt's protocol, from a stand-in for its daemon. With a real one and a real guest:
// test/vm/evictions.test.ts.

import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/engine-calls.ts";
import { FakeDaemon, program, type Received } from "../../../test/support/fake-libvirt/fake-daemon.ts";
import { filesPort } from "../guest/files.ts";
import { procedures } from "./rpc/connection.ts";
import { openLinkedVirsh } from "./rpc/linked-virsh.ts";
import { XdrWriter } from "./rpc/xdr.ts";
import { openVirsh } from "./virsh/virsh.ts";
import { writeGuestFile } from "./write-file.ts";

const [stream, more, ended] = [3, 2, 0];
const file = { path: "/run/lessor/notice.json", text: "text" };
const id = randomUUID();

/** A host whose guest responds so to a line; `undefined`: never. */
async function begin(responses: (token: string) => readonly string[], refusal?: string) {
  const lines: string[] = [];
  const sends = ({ serial }: Received, text: string, status = more) => {
    const body = new XdrWriter().fixed(Buffer.from(text));
    daemon.send(program, procedures.openChannel, stream, serial, status, body);
  };
  const daemon: FakeDaemon = await FakeDaemon.start((call) => {
    if (call.type === stream) {
      const line = call.body.rest().toString();
      if (line === "") return undefined;
      lines.push(line);
      for (const text of responses(line.split(" ")[1] ?? "")) sends(call, text, text === "" ? ended : more);
      return undefined;
    }
    if (call.procedure === procedures.authentications) return new XdrWriter().uint(1).uint(0);
    if (call.procedure !== procedures.openChannel) return new XdrWriter();
    expect(call.body.text()).toBe(`lessor-${id}`);
    call.body.skip(20);
    expect(call.body.someText()).toBe(filesPort);
    return refusal ?? new XdrWriter();
  });
  const write = (signal = AbortSignal.timeout(5000), text: string | null = file.text) =>
    writeGuestFile({ virsh: openLinkedVirsh(daemon.uri) }, id, { ...file, text }, signal);
  const isClosed = () => daemon.sockets.every((socket) => socket.destroyed);
  return { lines, write, isClosed };
}

describe("a file for a guest", () => {
  it("is written once the guest says so, over a connection that is closed then", async () => {
    // A response in two parts, the first of a multiple of four bytes, after a late one to another line.
    const { lines, write, isClosed } = await begin((token) => [
      "done 00\n",
      `done ${token.slice(0, 7)}`,
      `${token.slice(7)}\n`,
    ]);
    await write();
    expect(lines).toEqual([expect.stringMatching(/^put [0-9a-f]{16} \/run\/lessor\/notice\.json dGV4dA==\n$/)]);
    await eventually(isClosed).toBe(true);
    await write(undefined, null);
    expect(lines[1]).toMatch(/^remove [0-9a-f]{16} \/run\/lessor\/notice\.json\n$/);
    expect(lines[1]?.split(" ")[1]).not.toBe(lines[0]?.split(" ")[1]);
  });

  it.each([
    ["that floods", () => Array.from({ length: 3 }, () => "x".repeat(512))],
    ["whose channel ends", () => [""]],
  ])("is not written into one %s", async (_, responses) => {
    const { write, isClosed } = await begin(responses);
    await expect(write()).rejects.toMatchObject({ kind: "unavailable", code: "guest-silent" });
    await eventually(isClosed).toBe(true);
  });

  it("is not written into one that is silent, or responds to another line, until time is up", async () => {
    const { write, isClosed } = await begin(() => ["done 00\n"]);
    await expect(write(AbortSignal.timeout(300))).rejects.toMatchObject({ name: "TimeoutError" });
    await eventually(isClosed).toBe(true);
  });

  it("is not written where the machine has no channel, nor where only virsh can connect", async () => {
    const { write, isClosed } = await begin(() => [], "no channel device found");
    await expect(write()).rejects.toMatchObject({ kind: "unavailable", code: "guest-silent" });
    await eventually(isClosed).toBe(true);
    const byVirsh = { virsh: openVirsh("qemu:///system") };
    const written = writeGuestFile(byVirsh, id, file, AbortSignal.timeout(5000));
    await expect(written).rejects.toMatchObject({ kind: "unavailable", code: "guest-silent" });
  });
});
