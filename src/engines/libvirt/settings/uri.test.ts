import { describe, expect, it } from "vitest";
import { refusalOf } from "../../../../test/support/setting-rules.ts";
import { resolveUri } from "./uri.ts";

const name = "libvirt[0].hosts[0].uri in lessor.yaml";
const refusal = (text: string) => refusalOf(() => resolveUri(text, name));

describe("a libvirt URI", () => {
  it.each([
    "qemu:///system",
    "qemu:///system?socket=/run/libvirt/virtqemud-sock",
    "qemu:///system?mode=direct",
    "qemu+tls://gpu-1/system",
    "qemu+tls://gpu-1.example.com:16515/system?pkipath=/etc/lessor/pki",
    "qemu+tls://[fd00::1]/system?authfile=/etc/lessor/auth.conf",
    "qemu+tcp://127.0.0.1/system",
    "qemu+tcp://10.1.2.3:16510/system",
    "qemu+tcp://172.31.255.255/system",
    "qemu+tcp://192.168.1.1/system",
    "qemu+tcp://[::1]/system",
    "qemu+tcp://[fd12::7]:16509/system",
    "qemu+ssh://gpu-1/system?no_tty=1",
    "qemu+ssh://root@gpu_alias/system?no_tty=1&keyfile=/etc/lessor/id_ed25519",
  ])("may be %s, and stays as it is", (text) => {
    expect(resolveUri(text, name).uri).toBe(text);
  });

  it.each([
    ["qemu+ssh://gpu-1/system", "qemu+ssh://gpu-1/system?no_tty=1"],
    ["qemu+ssh://root@10.1.2.3:2222/system", "qemu+ssh://root@10.1.2.3:2222/system?no_tty=1"],
    ["qemu+ssh://a.b-c_d@[fd00::1]/system", "qemu+ssh://a.b-c_d@[fd00::1]/system?no_tty=1"],
    ["qemu+ssh://gpu-1/system?proxy=native", "qemu+ssh://gpu-1/system?proxy=native&no_tty=1"],
    ["qemu+ssh://gpu-1/system?keyfile=/a&socket=/b", "qemu+ssh://gpu-1/system?keyfile=/a&socket=/b&no_tty=1"],
  ])("over ssh never asks a person: %s", (text, uri) => {
    expect(resolveUri(text, name).uri).toBe(uri);
  });
});

describe("a URI of another kind", () => {
  it.each([
    "",
    "hunter2",
    "gpu-1",
    "qemu:///session",
    "qemu:///system/",
    "qemu:///system#hunter2",
    "qemu://hunter2/system",
    "qemu+unix:///system",
    "qemu+libssh2://hunter2/system",
    "qemu+libssh://hunter2/system",
    "qemu+ext://hunter2/system",
    "QEMU+SSH://hunter2/system",
    "xen+ssh://hunter2/system",
    "test:///default",
    "qemu+ssh:///system",
    "qemu+ssh://hunter2",
    "qemu+ssh://hunter2/",
    "qemu+ssh://hunter2/system/x",
    "qemu+ssh://hunter2/../system",
    " qemu:///system",
    "qemu:///system\n",
    "qemu:///system?socket=/run/x\n",
  ])("is refused with what it may be: %j", (text) => {
    const said = refusal(text);
    expect(said).toContain(`${name} must be qemu:///system for this machine, or qemu+ssh://user@host/system`);
    expect(said).not.toContain("hunter2");
  });
});

describe("who is in a URI", () => {
  it.each([
    ["a password", "qemu+ssh://root:hunter2@gpu-1/system"],
    ["an empty password", "qemu+ssh://root:@gpu-1/system"],
    ["a user who is an option of ssh", "qemu+ssh://-oProxyCommand=hunter2@gpu-1/system"],
    ["a host that is an option of ssh", "qemu+ssh://-oProxyCommand=hunter2/system"],
    ["a host that begins with a hyphen", "qemu+tls://-hunter2/system"],
    ["a label that begins with a hyphen", "qemu+tls://a.-hunter2/system"],
    ["a user over TLS", "qemu+tls://hunter2@gpu-1/system"],
    ["a user over TCP", "qemu+tcp://hunter2@10.0.0.1/system"],
    ["two users", "qemu+ssh://hunter2@root@gpu-1/system"],
    ["no user before the @", "qemu+ssh://@hunter2/system"],
    ["a space", "qemu+ssh://root@hunter 2/system"],
    ["a line break", "qemu+ssh://root@hunter2\n/system"],
    ["a zero byte", "qemu+ssh://root@hunter2\0/system"],
    ["an escape", "qemu+ssh://root@hunter2%2fx/system"],
    ["words for a shell", "qemu+ssh://root@$(hunter2)/system"],
    ["an address that is none", "qemu+ssh://[hunter2]/system"],
    ["an address with a zone", "qemu+ssh://[fe80::1%25eth0]/system"],
    ["an address without brackets", "qemu+ssh://fd00::1/system"],
    ["an empty label", "qemu+ssh://hunter2..example.com/system"],
    ["a port that is none", "qemu+ssh://hunter2:ssh/system"],
    ["the port 0", "qemu+ssh://hunter2:0/system"],
    ["a port beyond all ports", "qemu+ssh://hunter2:65536/system"],
    ["a port on this machine", "qemu://:22/system"],
  ])("is never %s", (_, text) => {
    const said = refusal(text);
    expect(said).toContain(`${name} must be qemu:///system for this machine, or`);
    expect(said).toContain("without a password; a user only for ssh");
    expect(said).not.toContain("hunter");
  });
});

describe("qemu+tcp://, where nobody proves who he is", () => {
  it.each([
    "8.8.8.8",
    "172.32.0.1",
    "192.169.0.1",
    "0.0.0.0",
    "169.254.169.254",
    "[2001:db8::1]",
    "[::]",
    "[::ffff:8.8.8.8]",
    "gpu-1.internal",
    "localhost",
    "127.1",
    "2130706433",
  ])("is refused to %s", (host) => {
    const said = refusal(`qemu+tcp://${host}/system`);
    expect(said).toContain(`${name} must not be qemu+tcp:// except to a loopback or private IP address: it has no`);
    expect(said).toContain("Use qemu+ssh:// or qemu+tls://.");
    expect(said).not.toContain(host);
  });
});

describe("what stands after the ? of a URI", () => {
  it.each([
    ["runs a program here", "ssh", "command=/tmp/hunter2"],
    ["runs a program on the host", "ssh", "netcat=/tmp/hunter2"],
    ["takes any host for the right one", "ssh", "no_verify=1"],
    ["takes any host for the right one", "tls", "no_verify=1"],
    ["could become that by one letter", "tls", "no_verify=0"],
    ["weakens TLS", "tls", "no_sanity=1"],
    ["weakens TLS", "tls", "tls_priority=hunter2"],
    ["names another hypervisor", "tls", "name=qemu:///hunter2"],
    ["is silently ignored over ssh", "ssh", "known_hosts=/hunter2"],
    ["is silently ignored over ssh", "ssh", "known_hosts_verify=ignore"],
    ["is silently ignored over ssh", "ssh", "sshauth=hunter2"],
    ["is unknown to libvirt, and so for the host's shell", "ssh", "bogus=hunter2"],
    ["belongs to another transport", "tls", "keyfile=/hunter2"],
    ["belongs to another transport", "ssh", "pkipath=/hunter2"],
    ["belongs to another transport", "tcp", "socket=/hunter2"],
    ["is there twice", "ssh", "keyfile=/a&keyfile=/hunter2"],
    ["is in other letters", "ssh", "KEYFILE=/hunter2"],
    ["is escaped", "ssh", "%6beyfile=/hunter2"],
    ["is a name that every object has", "ssh", "constructor=hunter2"],
    ["is nothing", "ssh", ""],
    ["ends in nothing", "ssh", "no_tty=1&"],
    ["is told apart by a semicolon, as libvirt may", "ssh", "bogus;command=/hunter2"],
  ])("is refused where it %s: %s, %s", (_, transport, query) => {
    const said = refusal(`qemu+${transport}://10.0.0.1/system?${query}`);
    expect(said).toContain(`${name} can have after the "?" only, each at most once: `);
    expect(said).toContain(`(for qemu+${transport}://).`);
    expect(said).not.toContain("hunter2");
  });

  it.each([
    ["keyfile", "keyfile="],
    ["keyfile", "keyfile"],
    ["keyfile", "keyfile=hunter2"],
    ["keyfile", "keyfile=~/hunter2"],
    ["keyfile", "keyfile=/hunter2;command=/x"],
    ["keyfile", "keyfile=/hunter2%00"],
    ["keyfile", "keyfile=/hunter2 x"],
    ["socket", "socket=/run/$(hunter2)"],
    ["socket", "socket=/run/'hunter2'"],
    ["socket", `socket=/${"hunter2".repeat(40)}`],
    ["no_tty", "no_tty=0"],
    ["proxy", "proxy=hunter2"],
    ["mode", "mode=hunter2"],
    ["mode", "mode=direct=hunter2"],
  ])("has a rule for the value of %s: %j", (key, query) => {
    const said = refusal(`qemu+ssh://gpu-1/system?${query}`);
    expect(said).toContain(`${name} must have, as its ${key}, `);
    expect(said).not.toContain("hunter2");
  });
});

describe("URIs of one daemon", () => {
  const daemon = (text: string) => resolveUri(text, name).daemon;

  it.each([
    ["qemu+ssh://root@gpu-1/system", "qemu+ssh://lessor@GPU-1./system?keyfile=/x"],
    ["qemu+ssh://gpu-1/system", "qemu+ssh://gpu-1:22/system"],
    ["qemu+ssh://gpu-1/system", "qemu+tls://gpu-1:16514/system"],
    ["qemu+tls://[fd00::1]/system", "qemu+tls://[FD00:0:0::0:1]/system"],
    ["qemu:///system", "qemu:///system?mode=auto"],
  ])("are the same in other words: %s, %s", (one, other) => {
    expect(daemon(one)).toBe(daemon(other));
  });

  it.each([
    ["qemu+ssh://gpu-1/system", "qemu+ssh://gpu-2/system"],
    ["qemu+ssh://gateway:2201/system", "qemu+ssh://gateway:2202/system"],
    ["qemu+tcp://127.0.0.1:16510/system", "qemu+tcp://127.0.0.1:16511/system"],
    ["qemu:///system?socket=/run/a", "qemu:///system?socket=/run/b"],
    ["qemu:///system", "qemu:///system?socket=/run/b"],
  ])("are told apart by host, port and socket: %s, %s", (one, other) => {
    expect(daemon(one)).not.toBe(daemon(other));
  });
});
