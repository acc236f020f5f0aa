import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { FakeDaemon, keepalive, program, type Respond } from "../../../../test/support/fake-libvirt/fake-daemon.ts";
import { fakeProgram } from "../../../../test/support/stand-in.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { says } from "../virsh/virsh-error.ts";
import { procedures } from "./connection.ts";
import { openLinkedVirsh } from "./linked-virsh.ts";
import { XdrWriter } from "./xdr.ts";

const domain = (name: string) => new XdrWriter().text(name).fixed(Buffer.alloc(16, 7)).uint(3);
const events = ["event", "--all", "--loop", "--timestamp"];

/** A host without a password. */
function usual(more: Respond = () => new XdrWriter().text("h1")): Respond {
  return (call) => {
    if (call.procedure === procedures.authentications) return new XdrWriter().uint(1).uint(0);
    if (call.procedure === procedures.open || call.procedure === procedures.registerEvent) return new XdrWriter();
    return more(call);
  };
}

async function begin(respond: Respond, uriOf = (daemon: FakeDaemon) => daemon.uri) {
  const daemon = await FakeDaemon.start(respond);
  const byVirsh: string[] = [];
  const told: string[] = [];
  const left = (what: string) => {
    byVirsh.push(what);
    return Promise.resolve("of virsh\n");
  };
  const virsh: Virsh = {
    call: (args) => left(args.join(" ")),
    all: (commands) => left(commands.map((args) => args.join(" ")).join("; ")),
    bytes: async () => Buffer.from(await left("bytes")),
    follow: (commands) => {
      void left(commands.map((args) => args.join(" ")).join("; "));
      return () => void told.push("virsh was ended");
    },
    console: () => Promise.reject(new Error("BUG: not expected here")),
  };
  const linked = openLinkedVirsh(uriOf(daemon), virsh);
  const follow = () =>
    linked.follow([["hostname"], events], {
      onLine: (line) => told.push(line),
      onEnd: (why) => told.push(`end: ${why}`),
    });
  return { daemon, linked, follow, told, byVirsh };
}

async function connected(respond: Respond = usual(), uriOf?: (daemon: FakeDaemon) => string) {
  const stand = await begin(respond, uriOf);
  const end = stand.follow();
  await eventually(() => stand.told).toEqual(["connected"]);
  return { ...stand, end };
}

describe("what a host is asked", () => {
  it("goes to virsh while its events are not followed", async () => {
    const { linked, byVirsh, daemon } = await begin(usual());
    expect(await linked.call(["hostname"], { signal: signal() })).toBe("of virsh\n");
    expect([byVirsh, daemon.sockets.length]).toEqual([["hostname"], 0]);
  });

  it("goes over the connection that its events come by, also while that is being opened", async () => {
    const { linked, follow, byVirsh, daemon } = await begin(usual());
    follow();
    expect(await linked.call(["hostname"], { signal: signal() })).toBe("h1\n");
    expect([byVirsh, daemon.sockets.length]).toEqual([[], 1]);
  });

  it("is answered as virsh prints it", async () => {
    const { linked } = await connected(
      usual(({ procedure, body }) => {
        if (procedure === procedures.deviceNames) return new XdrWriter().uint(2).text("pci_2").text("pci_1");
        if (procedure === procedures.domainStats) {
          const one = new XdrWriter().uint(1).fixed(domain("a b").bytes).uint(2);
          return one.text("state.state").uint(1).uint(5).text("state.reason").uint(1).uint(1);
        }
        if (procedure === procedures.domainByName) return domain(body.text());
        return new XdrWriter().text(`<of>${body.text()}</of>`);
      }),
    );
    const ask = (...args: string[]) => linked.call(args, { signal: signal() });
    expect(await ask("nodedev-list", "--cap", "pci")).toBe("pci_1\npci_2\n");
    expect(await ask("domstats", "--raw", "--state", "--nowait")).toBe(
      "Domain: 'a b'\n  state.state=5\n  state.reason=1\n",
    );
    expect(await ask("dumpxml", "ü")).toBe("<of>ü</of>\n");
    expect(await ask("nodedev-dumpxml", "pci_1")).toBe("<of>pci_1</of>\n");
  });

  it.each([
    ["another command", ["start", "x"]],
    ["a command with more words", ["dumpxml", "x", "--inactive"]],
    ["an option for a name", ["dumpxml", "--help"]],
    ["a command that an object has", ["constructor"]],
    ["nothing", []],
  ])("%s goes to virsh", async (_what, args) => {
    const { linked, byVirsh } = await connected();
    expect(await linked.call(args, { signal: signal() })).toBe("of virsh\n");
    expect(byVirsh).toEqual([args.join(" ")]);
  });

  it("with an input goes to virsh", async () => {
    const { linked, byVirsh } = await connected();
    await linked.call(["hostname"], { signal: signal(), input: "x" });
    expect(byVirsh).toEqual(["hostname"]);
  });

  it("fails with libvirt's message; of several only the last one's counts", async () => {
    const gone = "Domain not found: no domain with matching name 'x'";
    const { linked } = await connected(
      usual(({ procedure }) => (procedure === procedures.domainByName ? gone : new XdrWriter().text("h1"))),
    );
    const error = await failure(linked.call(["dumpxml", "x"], { signal: signal() }));
    expect([says(error, "noSuchDomain"), says(error, "noSuchPool")]).toEqual([true, false]);
    expect(await linked.all([["dumpxml", "x"], ["hostname"]], { signal: signal() })).toBe("h1\n");
    expect(
      says(await failure(linked.all([["hostname"], ["dumpxml", "x"]], { signal: signal() })), "noSuchDomain"),
    ).toBe(true);
  });

  it("ends with its signal where the host does not respond", async () => {
    const { linked } = await connected(usual(() => undefined));
    const ending = new AbortController();
    const asked = failure(linked.call(["hostname"], { signal: ending.signal }));
    ending.abort(new Error("enough"));
    expect(await asked).toMatchObject({ message: "enough" });
  });

  it("goes to virsh where as many calls are blocked as a daemon reads", async () => {
    const { linked, byVirsh, daemon } = await connected(usual(() => undefined));
    const ending = new AbortController();
    const blocked = Array.from({ length: 5 }, () => failure(linked.call(["capabilities"], { signal: ending.signal })));
    await eventually(
      () => daemon.received.filter(({ procedure }) => procedure === procedures.capabilities).length,
    ).toBe(5);
    ending.abort();
    await Promise.all(blocked);
    expect(await linked.call(["hostname"], { signal: signal() })).toBe("of virsh\n");
    expect(byVirsh).toEqual(["hostname"]);
  });

  it("goes to virsh where the connection is lost meanwhile", async () => {
    const { linked, byVirsh, daemon, told } = await connected(usual(() => undefined));
    const asked = linked.call(["hostname"], { signal: signal() });
    await eventually(() => daemon.received.at(-1)?.procedure).toBe(procedures.hostname);
    daemon.sockets[0]?.destroy();
    expect(await asked).toBe("of virsh\n");
    expect([byVirsh.length, told.filter((line) => line.startsWith("end: ")).length]).toEqual([1, 1]);
  });

  it("waits while a daemon restarts, and is unreachable without a process if that takes longer", async () => {
    const { linked, byVirsh, daemon, told, follow } = await connected();
    const ask = () => linked.call(["hostname"], { signal: signal() });
    daemon.sockets[0]?.destroy();
    await eventually(() => told).toEqual(["connected", "end: the connection was closed"]);
    const asked = ask();
    follow();
    expect(await asked).toBe("h1\n");
    daemon.sockets[1]?.destroy();
    await eventually(() => told.length).toBe(4);
    expect(says(await failure(ask()), "unreachable")).toBe(true);
    expect(says(await failure(ask()), "unreachable")).toBe(true);
    expect(byVirsh).toEqual([]);
  });
});

describe("a daemon that is broken", () => {
  it("is understood in pieces of any size", async () => {
    const long = "x".repeat(3_000_000);
    const { linked, daemon } = await connected(usual(() => undefined));
    const asked = linked.call(["hostname"], { signal: signal() });
    await eventually(() => daemon.received.at(-1)?.procedure).toBe(procedures.hostname);
    const [socket] = daemon.sockets;
    const body = new XdrWriter().text(long).bytes;
    const header = new XdrWriter()
      .uint(28 + body.length)
      .uint(program)
      .uint(1)
      .uint(procedures.hostname)
      .uint(1);
    // The fifth call: authentication, open and two kinds of events come before it.
    const message = Buffer.concat([header.uint(5).uint(0).bytes, body]);
    for (const [from, to] of [
      [0, 3],
      [3, 20],
      [20, 29],
      [29, 100_000],
      [100_000, message.length],
    ]) {
      socket?.write(message.subarray(from, to));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await asked).toBe(`${long}\n`);
  });

  it.each([
    ["an error without its end", 1, new XdrWriter().uint(42)],
    ["an answer without its end", 0, new XdrWriter().uint(100)],
  ])("that sends %s is left to virsh, and its connection ends", async (_what, status, body) => {
    const { linked, daemon, told } = await connected(usual(() => undefined));
    const asked = linked.call(["hostname"], { signal: signal() });
    await eventually(() => daemon.received.at(-1)?.procedure).toBe(procedures.hostname);
    daemon.send(program, procedures.hostname, 1, 5, status, body);
    expect(await asked).toBe("of virsh\n");
    await eventually(() => told.at(-1)).toMatch(/^end: .*cannot be read/);
  });

  it("that announces more entries than it sends is left to virsh", async () => {
    const { linked } = await connected(usual(() => new XdrWriter().uint(0xffff_ffff)));
    expect(await linked.call(["nodedev-list", "--cap", "pci"], { signal: signal() })).toBe("of virsh\n");
  });

  it("that asks for signs of life and reads none loses its connection", async () => {
    const { daemon, told } = await connected();
    const [socket] = daemon.sockets;
    socket?.pause();
    const ping = new XdrWriter().uint(28).uint(keepalive).uint(1).uint(1).uint(2).uint(0).uint(0).bytes;
    socket?.write(Buffer.concat(Array.from({ length: 100_000 }, () => ping)));
    await eventually(() => told.at(-1)).toBe("end: libvirt does not read what it is sent");
  });
});

describe("events", () => {
  it("are told in the words of virsh, as far as the engine knows them", async () => {
    const { daemon, told } = await connected();
    const tell = (message: number, ...numbers: number[]) => {
      const body = new XdrWriter().fixed(domain("lessor-x").bytes);
      for (const number of numbers) body.uint(number);
      daemon.send(program, message, 2, 0, 0, body);
    };
    tell(107, 6, 1);
    tell(107, 5, 0);
    tell(169);
    tell(170, 0, 0);
    const of = "for domain 'lessor-x'";
    await eventually(() => told.slice(1)).toEqual([
      `- -: event 'lifecycle' ${of}: Shutdown Finished after guest request`,
      `- -: event 'lifecycle' ${of}: 5 0`,
      `- -: event 'reboot' ${of}`,
    ]);
  });

  it("are left to virsh where a password is wanted", async () => {
    const wants = await begin(() => new XdrWriter().uint(1).uint(1));
    const end = wants.follow();
    await eventually(() => wants.byVirsh).toEqual([`hostname; ${events.join(" ")}`]);
    end();
    expect(wants.told).toEqual(["virsh was ended"]);
  });

  it("end without a process where nothing can be reached", async () => {
    const nowhere = await begin(usual(), () => "qemu:///system?socket=/nowhere");
    nowhere.follow();
    const asked = nowhere.linked.call(["hostname"], { signal: signal() });
    expect(says(await failure(asked), "unreachable")).toBe(true);
    await eventually(() => nowhere.told).toEqual([expect.stringContaining("end: connect ENOENT")]);
    expect(nowhere.byVirsh).toEqual([]);
  });

  it("end once, with the connection, and nothing is told after that or after they were ended", async () => {
    const { daemon, told, end } = await connected();
    daemon.sockets[0]?.end();
    await eventually(() => told).toEqual(["connected", "end: the connection was closed"]);
    end();
    const another = await connected();
    another.end();
    another.daemon.send(program, 169, 2, 0, 0, domain("lessor-x"));
    await eventually(() => another.daemon.sockets[0]?.destroyed).toBe(true);
    expect(another.told).toEqual(["connected"]);
  });

  it("end where something else than libvirt speaks", async () => {
    const { daemon, told } = await connected();
    daemon.sockets[0]?.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    await eventually(() => told.at(-1)).toBe("end: a message of libvirt cannot be read: no message of its protocol");
  });
});

it("a sign of life that libvirt asks for is given", async () => {
  const { daemon } = await connected();
  daemon.send(keepalive, 1, 2);
  await eventually(() => daemon.received.at(-1)).toMatchObject({ program: keepalive, procedure: 2 });
});

it("ssh is run as libvirt runs it, and ends with the connection", async () => {
  const bridge = `const s = require("net").connect(process.argv[1]); process.stdin.pipe(s); s.pipe(process.stdout)`;
  const directory = await fakeProgram({
    ssh: `printf '%s\\n' "$@" >"$HERE/words"; for word; do last=$word; done; eval "exec $last"`,
    "virt-ssh-helper": `exec '${process.execPath}' --eval '${bridge}' "$(cat "$HERE/path")"`,
  });
  const { daemon, end } = await connected(usual(), ({ path }) => {
    writeFileSync(join(directory, "path"), path);
    return "qemu+ssh://root@gpu-1:2222/system?keyfile=/key&no_tty=1";
  });
  expect(readFileSync(join(directory, "words"), "utf8").split("\n").slice(0, 14)).toEqual([
    ...["-p", "2222", "-l", "root", "-i", "/key", "-T", "-o", "BatchMode=yes", "-e", "none", "--", "gpu-1"],
    expect.stringMatching(
      /^sh -c 'if command -v virt-ssh-helper .*; then virt-ssh-helper qemu:\/\/\/system; else .*fi'$/,
    ),
  ]);
  end();
  await eventually(() => daemon.sockets[0]?.destroyed).toBe(true);
});
