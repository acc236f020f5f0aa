// What customers write, full of everything that XML, YAML, MIME, a shell or a terminal would take for its own: it reaches
// the guest byte for byte, or the interface refuses it. Nothing on the way carries it out.

import { existsSync } from "node:fs";
import { beforeAll, expect, inject, it } from "vitest";
import { direct, marketplace } from "../conformance/variants.ts";
import { makeKey } from "../support/keys.ts";
import { envSeen, launchBy } from "../support/service/rental.ts";
import type { Customer, Service } from "../support/service/service.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, nothingLeft, startService } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const whenOver = afterFile();

/** What it would leave behind, in the guest or on the host, if anything carried it out. */
const trace = "/tmp/carried-out";
const shell = `"; touch ${trace}; ' ; $(touch ${trace}) \`touch ${trace}\` | touch ${trace} & ${"$"}{HOME} !! \\`;
const xml = `]]></name><on_reboot>destroy</on_reboot><!-- &amp; &#0; &lt; <![CDATA[ %pe; <?xml version="1.0"?>`;
const yaml = `"}\n#cloud-config\nruncmd: [touch ${trace}]\n- &a *a\n? !!python/object/apply:os.system ["touch ${trace}"]\n---\n...\n\t: |`;
const mime = "\nMIME-Version: 1.0\nContent-Type: text/x-shellscript\n\n#!/bin/sh\n--===============lessor==--\n.\n";
const secretsEnd = "\nlessor_secrets='complete'\nlessor_env='x'\n";
/** All control characters but NUL, of both kinds. */
const controls = [
  ...Array.from({ length: 31 }, (_, index) => index + 1),
  0x7f,
  ...Array.from({ length: 32 }, (_, i) => 0x80 + i),
]
  .map((code) => String.fromCharCode(code))
  .join("");
const unicode = "\u2028\u2029\ufeff\ufffe\uffff\u202e\u{10ffff} Grüße 🦭 e\u0301";

const envVars = {
  SHELL_WORDS: shell,
  XML_WORDS: xml,
  YAML_WORDS: yaml,
  MIME_WORDS: mime,
  SECRETS_WORDS: secretsEnd,
  CONTROLS: controls,
  UNICODE: unicode,
  LINE_ENDS: "\r\n\r\r\n\n",
  LONG: "'\"\\".repeat(1365),
  // Names that shells keep for themselves, or that objects have.
  __proto__name: "a",
  constructor: "b",
  _: "c",
};

/** Display names must not hold control characters; these are all of one line. */
const name = `</name>"'$(touch ${trace})&<b>{{7*7}}🦭`.slice(0, 64);

/** It runs, notes every byte of itself, and ends before what is no shell's any more. */
const command = `cp "$0" /root/command-seen\nexit 0\n${shell}\n${xml}\n${yaml}\n${mime}\n${controls}\n${unicode}\nEOF`;

let service: Service;
let ann: Customer;
let [withEnv, withCommand] = ["", ""];
const keyComment = `it's <b>&amp; "$(touch ${trace})" \`id\` {{7*7}} ü`;

beforeAll(async () => {
  service = await startService(lab, { whenOver });
  ann = await service.customer("ann");
  const other = await makeKey(await temporaryDirectory(0o700, whenOver), "other");
  const [kind, base64] = other.publicKey.split(" ");
  const key = { name: "hostile", public_key: `${kind} ${base64} ${keyComment}` };
  await service.call("POST", `${service.urls.marketplace}/ssh-keys`, ann.token, key);
  const order = { ssh_key_names: ["key", "hostile"], env_vars: envVars, name };
  withEnv = await launchBy(marketplace, service, ann, order);
  withCommand = await launchBy(direct, service, ann, { command, instanceName: name });
  await Promise.all([withEnv, withCommand].map((id) => service.until(id, "active")));
});

it("values of environment variables reach the guest byte for byte", async () => {
  const { _, ...seen } = await envSeen(service, withEnv, ann, Object.keys(envVars));
  const { _: __, ...expected } = envVars;
  expect(seen).toEqual(expected);
  // A shell sets "_" itself; the file says what was ordered.
  expect(await service.inside(withEnv, ann, "grep -c ^_=.*c .env")).toBe("1\n");
});

it("a command is run as the script that it is, with each of its bytes", async () => {
  // It runs when the machine is up, so a little later than SSH answers.
  const wait = "for i in $(seq 600); do sudo test -s /root/command-seen && break; sleep 0.2; done";
  const seen = await service.inside(withCommand, ann, `${wait}; sudo base64 -w0 /root/command-seen`);
  expect(Buffer.from(seen, "base64").toString()).toBe(`#!/bin/sh\n${command}`);
});

it("a name is shown as it was given, and the host name is a plain one made of it", async () => {
  for (const [id, path] of [
    [withEnv, `${service.urls.marketplace}/instances/`],
    [withCommand, `${service.urls.direct}/instance/`],
  ] as const) {
    expect(JSON.stringify(await service.call("GET", `${path}${id}`, ann.token))).toContain(JSON.stringify(name));
    expect(await service.inside(id, ann, "hostname; cat /etc/hostname")).toMatch(
      /^(name-touch-tmp-carried-out-b-7-7-[0-9a-f]{8}\n)\1$/,
    );
  }
});

it("keys are in the guest each on a line of its own, whatever their comments say", async () => {
  const lines = (await service.inside(withEnv, ann, "cat .ssh/authorized_keys")).trim().split("\n");
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/^ssh-ed25519 AAAA[A-Za-z0-9+/]+=*( |$)/);
});

it("nothing of it was carried out, in the guests or on their hosts", async () => {
  for (const id of [withEnv, withCommand]) {
    const { host } = await service.show(id);
    const look = `ls ${trace} 2>/dev/null; sudo ls /root${trace} 2>/dev/null; true`;
    expect(await service.inside(id, ann, look)).toBe("");
    const xmlOnHost = await lab.virsh(host, ["dumpxml", `lessor-${id}`]);
    expect(xmlOnHost).toContain("<on_reboot>restart</on_reboot>");
    expect(xmlOnHost).not.toContain("touch");
  }
  expect(existsSync(trace)).toBe(false);
});

it.each<[string, object, string]>([
  ["a name with a line break", { name: "a\n</name>" }, "name"],
  ["a name with an escape sequence", { name: "\u001b]0;x\u0007" }, "name"],
  ["a name with half of a surrogate pair", { name: "\ud800" }, "name"],
  ["a key of a variable that is no name", { env_vars: { "A$(id)": "x" } }, "env_vars"],
  ["a key of a variable with a line break", { env_vars: { "A\nB": "x" } }, "env_vars"],
  ["a variable that programs are led by", { env_vars: { LD_PRELOAD: "/tmp/x.so" } }, "env_vars"],
  ["a value with NUL", { env_vars: { A: "a\0b" } }, "env_vars"],
  ["a value with half of a surrogate pair", { env_vars: { A: "\udc00" } }, "env_vars"],
])("%s is refused, and nothing is launched", async (_what, part, field) => {
  const order = { ...marketplace.launch.body({ type: "small", region: "lab", keys: ["key"] }), ...part };
  const url = `${service.urls.marketplace}${marketplace.launch.path}`;
  const { status, text } = await service.ask("POST", url, ann.token, order);
  expect(status).toBe(400);
  expect(Object.keys(JSON.parse(text).field_errors).join()).toMatch(new RegExp(`^${field}`));
});

it.each([
  ["NUL", "echo a\0b"],
  ["half of a surrogate pair", "echo \ud800"],
])("a command with %s is refused", async (_what, refused) => {
  const order = { ...direct.launch.body({ type: "small", region: "lab", keys: ["key"] }), command: refused };
  const { status, text } = await service.ask("POST", `${service.urls.direct}${direct.launch.path}`, ann.token, order);
  expect(status).toBe(400);
  expect(Object.keys(JSON.parse(text).field_errors)).toEqual(["command"]);
});

it.each([
  ["a key with options before it", (line: string) => `command="touch ${trace}" ${line}`],
  ["two keys in one", (line: string) => `${line}\n${line}`],
  ["a key with an escape sequence in its comment", (line: string) => `${line} \u001b[2J`],
])("%s is refused", async (_what, spoil) => {
  const key = { name: "spoiled", public_key: spoil(ann.key.publicKey) };
  const { status } = await service.ask("POST", `${service.urls.marketplace}/ssh-keys`, ann.token, key);
  expect(status).toBe(400);
});

it.each(["../../etc", "a b", "$(id)", "<x>", "-rf", "a\nb", ""])(
  "a file system called %j is refused",
  async (called) => {
    const order = { name: called, region: "lab", size_gb: 1 };
    const { status } = await service.ask("POST", `${service.urls.control}/file-systems`, ann.token, order);
    expect(status).toBe(400);
  },
);

it("all of it is gone when they are terminated", async () => {
  await service.empty([ann]);
  await nothingLeft(lab);
});
