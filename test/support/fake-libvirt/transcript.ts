// What a libvirt host answers to a fixed sequence of commands, and what it tells meanwhile, without what differs from
// host to host. The fake's and a real one's are the same: test/vm/fake-libvirt.test.ts holds that. It leaves nothing at
// the host but an empty directory in /run.

import { toOutput, type Virsh } from "../../../src/engines/libvirt/virsh/virsh.ts";
import { says, VirshError } from "../../../src/engines/libvirt/virsh/virsh-error.ts";
import { readOne } from "../../../src/engines/libvirt/xml/read.ts";

export interface TranscriptHost {
  readonly virsh: Virsh;
  readonly network: string;
  /** Two addresses of the network that nothing has. */
  readonly addresses: readonly [string, string];
}

/** A command; what it is given; and what of its output is looked at (undefined: all). */
type Step = readonly [args: readonly string[], input?: string | Buffer, look?: (output: string) => unknown];

const pool = "fake-test";
/** Another in each process: a directory in /run stays until its host starts anew. */
const directory = `/run/fake-test-${crypto.randomUUID()}`;
const [uuid1, uuid2] = ["6f1c7d0e-0000-4000-8000-000000000001", "6f1c7d0e-0000-4000-8000-000000000002"];
const [mac1, mac2] = ["52:54:00:fa:ce:01", "52:54:00:fa:ce:02"];

/** No firmware boots from a disk of less than a cylinder, which is 504 KiB. */
const diskBytes = 1024 ** 2;

/** Code for the first sector of a disk: resets the machine; waits for ever. */
const resets = sector(0xb0, 0xfe, 0xe6, 0x64, 0xf4, 0xeb, 0xfd);
const waits = sector(0xf4, 0xeb, 0xfd);

/** One line for each command, and then one for each event. */
export async function transcript(host: TranscriptHost, signal: AbortSignal): Promise<string[]> {
  const events: string[] = [];
  const listening = Promise.withResolvers<void>();
  const stop = host.virsh.follow([["hostname"], ["event", "--all", "--loop", "--timestamp"]], {
    onLine: (line) => {
      const event = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\+0000: (event '.*' for domain 'fake-test-.*)$/.exec(
        line,
      )?.[1];
      if (event === undefined) listening.resolve();
      // A reset may be told more than once.
      else if (event !== events.at(-1)) events.push(event);
    },
    onEnd: (why) => listening.reject(new Error(why)),
  });
  try {
    await listening.promise;
    await until(async () => {
      // The first line comes before the events are heard: what is told in the end proves that they were.
      await host.virsh.call(["define", "/dev/stdin"], { input: domain("fake-test-0", uuid1, "none"), signal });
      await host.virsh.call(["undefine", "fake-test-0"], { signal });
      return events.some((event) => event.endsWith("Removed"));
    }, signal);
    events.length = 0;
    const lines: string[] = [];
    for (const step of steps(host)) lines.push(await outcome(host, step, signal));
    lines.push(await proof(host, signal));
    for (const step of lastSteps) lines.push(await outcome(host, step, signal));
    await until(async () => events.at(-1)?.endsWith("'fake-test-2': Undefined Removed") === true, signal);
    return [...lines, ...events];
  } finally {
    stop();
  }
}

function steps({ network, addresses: [ip1, ip2] }: TranscriptHost): Step[] {
  const [one, two] = ["fake-test-1", "fake-test-2"];
  const reservation = (attributes: string) => ["ip-dhcp-host", `<host ${attributes}/>`, "--live", "--config"];
  const mine = (text: string) => text.split("\n").filter((line) => line.includes("fake-test"));
  const inPool = ["--pool", pool];
  return [
    [["pool-create", "/dev/stdin"], poolXml(pool, directory)],
    [["pool-create", "/dev/stdin", "--build"], poolXml(pool, directory)],
    [["pool-create", "/dev/stdin", "--build"], poolXml(pool, directory)],
    [["pool-create", "/dev/stdin"], poolXml("fake-test-b", directory).replace("-000000000009", "-000000000008")],
    [["pool-dumpxml", pool], "", (text) => readOne(text).one("target", "path")?.text],
    [["pool-dumpxml", "nothing"]],
    [["pool-refresh", "nothing"]],
    [["vol-list", pool]],
    [["vol-create", pool, "/dev/stdin"], volume("a.img", diskBytes)],
    [["vol-create", pool, "/dev/stdin"], volume("a.img", diskBytes)],
    [["vol-create", pool, "/dev/stdin"], volume("b/c", diskBytes)],
    [["vol-create", pool, "/dev/stdin"], "<volume><name>d</name></volume>"],
    [["vol-create", "nothing", "/dev/stdin"], volume("a.img", diskBytes)],
    [["vol-create", pool, "/dev/stdin"], volume("over.qcow2", 2 * diskBytes, `${directory}/a.img`)],
    [["vol-create", pool, "/dev/stdin"], volume("over2.qcow2", 2 * diskBytes, `${directory}/nothing.img`)],
    [["vol-dumpxml", ...inPool, "a.img"], "", volumeFacts],
    [["vol-dumpxml", ...inPool, "over.qcow2"], "", volumeFacts],
    [["vol-dumpxml", ...inPool, "nothing"]],
    [["vol-upload", ...inPool, "a.img", "/dev/stdin"], waits],
    [["vol-upload", ...inPool, "nothing", "/dev/stdin"], "x"],
    [["vol-upload", "--pool", "nothing", "a.img", "/dev/stdin"], "x"],
    [["vol-download", ...inPool, "a.img", "/dev/stdout", "--offset", "510", "--length", "4"], "", hex],
    [["vol-download", ...inPool, "a.img", "/dev/stdout", "--offset", `${diskBytes - 2}`, "--length", "40"], "", hex],
    [["vol-download", ...inPool, "a.img", "/dev/stdout", "--offset", `${diskBytes + 5}`, "--length", "4"], "", hex],
    [["vol-upload", ...inPool, "a.img", "/dev/stdin", "--offset", "600", "--length", "3"], "abc"],
    [["vol-download", ...inPool, "a.img", "/dev/stdout", "--offset", "598", "--length", "8"], "", hex],
    [["vol-download", ...inPool, "nothing", "/dev/stdout"]],
    [["vol-list", pool]],
    [["vol-list", "nothing"]],
    [["vol-delete", ...inPool, "nothing"]],
    [["nodedev-dumpxml", "pci_ffff_00_00_0"]],

    [["net-dumpxml", "nothing"]],
    [["net-dhcp-leases", "nothing"]],
    [["net-update", network, "add", ...reservation(`mac='${mac1}' ip='${ip1}'`)]],
    [["net-update", network, "add", ...reservation(`mac='${mac1}' ip='${ip1}'`)]],
    [["net-update", network, "add", ...reservation(`mac='${mac1}' ip='${ip2}'`)]],
    [["net-update", network, "add", ...reservation(`mac='${mac2}' ip='${ip1}'`)]],
    [["net-update", network, "add", ...reservation(`mac='wrong' ip='${ip1}'`)]],
    [["net-update", "nothing", "add", ...reservation(`mac='${mac2}' ip='${ip2}'`)]],
    [["net-dumpxml", network], "", (text) => hostsIn(text).filter(([mac]) => mac === mac1)],
    [["net-update", network, "delete", ...reservation(`mac='${mac2}'`)]],
    [["net-update", network, "delete", ...reservation(`mac='${mac1}' ip='${ip2}'`)]],
    [["net-update", network, "delete", ...reservation(`mac='${mac1}'`)]],

    [["nwfilter-dumpxml", "nothing"]],
    [["nwfilter-undefine", "nothing"]],
    [["nwfilter-define", "/dev/stdin"], filter("fake-test-f", uuid1)],
    [["nwfilter-define", "/dev/stdin"], filter("fake-test-f", uuid1)],
    [["nwfilter-define", "/dev/stdin"], filter("fake-test-f", uuid2)],
    [["nwfilter-define", "/dev/stdin"], filter("fake-test-g", uuid1)],
    [["nwfilter-list"], "", mine],
    [["nwfilter-dumpxml", "fake-test-f"], "", (text) => readOne(text).one("uuid")?.text],
    [["net-list", "--name"], "", (text) => text.split("\n").filter((line) => line.trim() === network)],

    [["define", "/dev/stdin"], domain(one, uuid1, "a.img")],
    [["define", "/dev/stdin"], domain(one, uuid1, "a.img", "<note/>")],
    [["define", "/dev/stdin"], domain(one, uuid2, "a.img")],
    [["define", "/dev/stdin"], domain(two, uuid1, "a.img")],
    [["define", "/dev/stdin"], domain(two, uuid2, "nothing.img")],
    [["define", "/dev/stdin"], domain("fake-test-/", crypto.randomUUID(), "a.img")],
    [["define", "/dev/stdin"], domain("fake-test-3", crypto.randomUUID(), "a.img").replace("'qemu'", "'odd'")],
    [["define", "/dev/stdin"], "<domain type='qemu'><name>fake-test-3</name></domain>"],
    [["list", "--all", "--name"], "", mine],
    [["list", "--all", "--uuid", "--name"], "", mine],
    [["domstate", one, "--reason"]],
    [["dumpxml", one], "", domainFacts],
    ...["domstate", "dumpxml", "start", "shutdown", "destroy", "undefine"].map((name): Step => [[name, "fake-test-x"]]),
    [["shutdown", one, "--mode", "acpi"]],
    [["destroy", one]],
    [["start", two]],
    [["domstate", two, "--reason"]],
    [["start", one]],
    [["start", one]],
    [["domstate", one]],
    [["domstate", one, "--reason"]],
    [["dumpxml", one], "", domainFacts],
    [["dumpxml", one, "--inactive"], "", domainFacts],
    [["domstats", "--raw", "--state", "--nowait"], "", (text) => statsIn(text)],
    [["create", "/dev/stdin"], domain(one, uuid1, "a.img")],
    [["define", "/dev/stdin"], domain(two, uuid2, "a.img")],
    [["start", two]],
    [["undefine", one, "--nvram"]],
    [["undefine", one, "--nvram"]],
    [["domstate", one, "--reason"]],
    [["destroy", one]],
    [["domstate", one, "--reason"]],
    [["start", two]],
    [["destroy", two]],
    [["domstate", two, "--reason"]],
    [["create", "/dev/stdin"], domain(one, uuid1, "nothing.img")],
    [["create", "/dev/stdin"], domain(one, uuid1, "a.img").replace(`'${pool}' volume`, "'nothing' volume")],
    [["create", "/dev/stdin"], domain(one, uuid1, "a.img", "", nic("nothing"))],
    [["create", "/dev/stdin"], domain(one, uuid1, "a.img", "", nic(network))],
    [["destroy", one]],
    [["create", "/dev/stdin"], domain(one, uuid1, "a.img", "", nic(network, "fake-test-g"))],
    [["create", "/dev/stdin"], domain(one, uuid1, "a.img", "", nic(network, "fake-test-f"))],
    [["nwfilter-undefine", "fake-test-f"]],
    [["create", "/dev/stdin"], domain(two, uuid1, "a.img")],
    [["destroy", one]],
    [["nwfilter-undefine", "fake-test-f"]],
    [
      ["create", "/dev/stdin"],
      domain(one, uuid1, "a.img", "", "<serial type='pty'><log file='/run/nothing/x' append='off'/></serial>"),
    ],
    [["create", "/dev/stdin"], domain(one, uuid1, "a.img").replace("</os>", "<kernel>/nothing</kernel></os>")],
    [
      ["create", "/dev/stdin"],
      domain(one, uuid1, "a.img")
        .replaceAll("'volume'", "'file'")
        .replace(/<source .*?>/, "<source file='/nothing'/>"),
    ],
    [["define", "/dev/stdin"], domain(one, uuid1, "a.img", "", hostDevice + hostDevice)],
  ];
}

const lastSteps: readonly Step[] = [
  [["undefine", "fake-test-2"]],
  [["vol-delete", "--pool", pool, "over.qcow2"]],
  [["vol-delete", "--pool", pool, "a.img"]],
  [["vol-delete", "--pool", pool, "a.img"]],
  [["vol-list", pool]],
  [["pool-destroy", pool]],
  [["vol-list", pool]],
  [["pool-destroy", pool]],
];

/** A domain that ends when its guest resets it, and whose guest does. */
async function proof({ virsh }: TranscriptHost, signal: AbortSignal): Promise<string> {
  await virsh.call(["vol-upload", "--pool", pool, "a.img", "/dev/stdin"], { input: resets, signal });
  const xml = domain("fake-test-1", uuid1, "a.img").replace(">restart<", ">destroy<");
  await virsh.call(["create", "/dev/stdin"], { input: xml, signal });
  await until(async () => {
    const state = virsh.call(["domstate", "fake-test-1"], { signal });
    return await state.then(
      () => false,
      (error: unknown) => says(error, "noSuchDomain"),
    );
  }, signal);
  return "the proof ends by itself";
}

async function outcome(
  { virsh, network, addresses }: TranscriptHost,
  step: Step,
  signal: AbortSignal,
): Promise<string> {
  const [args, input = "", look = (text: string) => text] = step;
  const names = [network, ...addresses, directory];
  const bare = (text: string) =>
    names.reduce((left, name, index) => left.replaceAll(name, ["NET", "IP1", "IP2", "DIR"][index] ?? ""), text);
  const options = { input, signal };
  const printed = args.includes(toOutput)
    ? virsh.bytes(args, options).then((bytes) => bytes.toString("latin1"))
    : virsh.call(args, options);
  const seen = await printed.then(
    (output) => JSON.stringify(look(output)),
    (error: unknown) => {
      if (error instanceof VirshError) return `fails: ${sameEverywhere(error.complaint)}`;
      throw error;
    },
  );
  return bare(`${args.join(" ")} → ${seen}`);
}

/** Without the words of QEMU that say when, and which of its devices. */
function sameEverywhere(complaint: string): string {
  return complaint
    .replace(/(process exited while connecting to monitor|qemu unexpectedly closed the monitor): /, "QEMU ended: ")
    .replace(/\d{4}-\S+Z qemu-system-x86_64: -device \{.*\}: /, "-device: ");
}

async function until(condition: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await condition())) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function poolXml(name: string, path: string): string {
  const uuid = "6f1c7d0e-0000-4000-8000-000000000009";
  return `<pool type='dir'><name>${name}</name><uuid>${uuid}</uuid><target><path>${path}</path></target></pool>`;
}

function volume(name: string, bytes: number, backing?: string): string {
  const format = backing === undefined ? "raw" : "qcow2";
  const under = backing === undefined ? "" : `<backingStore><path>${backing}</path><format type='raw'/></backingStore>`;
  const target = `<target><format type='${format}'/></target>`;
  return `<volume><name>${name}</name><capacity unit='bytes'>${bytes}</capacity>${target}${under}</volume>`;
}

const hostDevice =
  "<hostdev mode='subsystem' type='pci' managed='yes'><source>" +
  "<address domain='0x0000' bus='0x00' slot='0x1e' function='0x0'/></source></hostdev>";

function nic(network: string, filterName?: string): string {
  const filtered = filterName === undefined ? "" : `<filterref filter='${filterName}'/>`;
  return (
    `<interface type='network'><source network='${network}'/><mac address='${mac1}'/><model type='virtio'/>` +
    `${filtered}</interface>`
  );
}

function filter(name: string, uuid: string): string {
  return `<filter name='${name}' chain='root'><uuid>${uuid}</uuid></filter>`;
}

function domain(name: string, uuid: string, disk: string, note = "", devices = ""): string {
  return [
    `<domain type='qemu'><name>${name}</name><uuid>${uuid}</uuid>`,
    `<metadata><t:mark xmlns:t='urn:fake-test' is='one &amp; only'>${note.replace("<", "<t:")}</t:mark></metadata>`,
    "<memory unit='MiB'>64</memory><vcpu>1</vcpu>",
    "<os><type arch='x86_64' machine='q35'>hvm</type><boot dev='hd'/></os><features><acpi/></features>",
    "<on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot><on_crash>destroy</on_crash>",
    "<devices><disk type='volume' device='disk'><driver name='qemu' type='raw'/>",
    `<source pool='${pool}' volume='${disk}'/><target dev='vda' bus='virtio'/></disk>${devices}`,
    "<controller type='usb' model='none'/><memballoon model='none'/></devices></domain>",
  ].join("");
}

function domainFacts(text: string): unknown {
  const root = readOne(text);
  const mark = root.one("metadata", "t:mark");
  const hasId = root.attribute("id") !== undefined;
  return [root.one("name")?.text, root.one("uuid")?.text, hasId, mark?.attribute("is"), mark?.all("t:note").length];
}

function volumeFacts(text: string): unknown {
  const root = readOne(text);
  const paths = [["name"], ["key"], ["target", "path"], ["backingStore", "path"]].map(
    (path) => root.one(...path)?.text,
  );
  const format = root.one("target", "format")?.attribute("type");
  return [...paths, root.one("capacity")?.bytes, format, root.one("backingStore", "format")?.attribute("type")];
}

function hostsIn(text: string): (string | undefined)[][] {
  const hosts = readOne(text).all("ip", "dhcp", "host");
  return hosts.map((host) => ["mac", "ip"].map((name) => host.attribute(name)));
}

/** The blocks of the domains here, whose order means nothing. */
function statsIn(text: string): string[] {
  return text
    .split("\n\n")
    .flatMap((block) => (block.includes("fake-test") ? [block.trimEnd()] : []))
    .sort();
}

function hex(output: string): string {
  return Buffer.from(output, "latin1").toString("hex");
}

function sector(...code: readonly number[]): Buffer {
  const bytes = Buffer.alloc(512);
  Buffer.from(code).copy(bytes);
  bytes.writeUInt16BE(0x55aa, 510);
  return bytes;
}
