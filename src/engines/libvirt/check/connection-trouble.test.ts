import { describe, expect, it } from "vitest";
import { hostSettings } from "../../../../test/support/fake-libvirt/stand.ts";
import { troubleOf } from "./connection-trouble.ts";

const at = (complaint: string, uri = "qemu+ssh://root@gpu-1:2222/system?no_tty=1") =>
  troubleOf(complaint, hostSettings({ name: "gpu-1", uri }));
const failed = "failed to connect to the hypervisor; ";

describe("a host that cannot be connected to", () => {
  // Those of libvirt 9.0, OpenSSH 9.2 and GnuTLS 3.7.
  it.each([
    ["Cannot recv data: Host key verification failed.: Connection reset by peer", /host key is unknown/, /manually/],
    [
      "Cannot recv data: root@gpu-1: Permission denied (publickey,password).: Connection reset by peer",
      /SSH key/,
      /ssh-copy-id/,
    ],
    [
      "Cannot recv data: ssh: Could not resolve hostname gpu-1: Name or service not known: Connection reset by peer",
      /name cannot be resolved/,
      /DNS/,
    ],
    [
      "Cannot recv data: ssh: connect to host gpu-1 port 2222: Connection refused: Connection reset by peer",
      /nothing listens/,
      /sshd/,
    ],
    [
      "Cannot recv data: ssh: connect to host gpu-1 port 2222: Connection timed out: Connection reset by peer",
      /does not respond/,
      /firewall/,
    ],
    ["Cannot recv data: sh: 1: nc: not found: Connection reset by peer", /no program that connects/, /netcat-openbsd/],
    [
      "Failed to connect socket to '/var/run/libvirt/libvirt-sock': Permission denied",
      /no permission to use libvirt/,
      /--groups libvirt/,
    ],
    [
      "authentication unavailable: no polkit agent available to authenticate action 'org.libvirt.unix.manage'",
      /no permission to use libvirt/,
      /root/,
    ],
    [
      "Failed to connect socket to '/var/run/libvirt/libvirt-sock': No such file or directory",
      /is not running/,
      /enable --now libvirtd/,
    ],
    [
      "Cannot read CA certificate '/etc/pki/CA/cacert.pem': No such file or directory",
      /certificate for TLS is missing/,
      /pkipath/,
    ],
    [
      "authentication failed: Failed to verify peer's certificate: The certificate hasn't got a known issuer",
      /not issued by the CA/,
      /cacert/,
    ],
    ["Certificate [session] owner does not match the hostname gpu-1", /another name/, /uri/],
    ["The client certificate /x/clientcert.pem has expired", /not valid at this time/, /clocks/],
    ["unable to connect to server at 'gpu-1:16514': No route to host", /no route/, /firewall/],
  ])("by %s says why, and what to do", (complaint, detail, advice) => {
    const trouble = at(`${failed}${complaint}`);
    expect(trouble.detail).toMatch(detail);
    expect(trouble.advice).toMatch(advice);
  });

  it("is told how to log in there by hand, with the port and the key", () => {
    expect(at(`${failed}Host key verification failed.`).advice).toContain("ssh ssh://root@gpu-1:2222 true");
    const uri = "qemu+ssh://root@gpu-1/system?proxy=auto&keyfile=/etc/lessor/key&no_tty=1";
    expect(at(`${failed}Host key verification failed.`, uri).advice).toContain(
      "ssh -i /etc/lessor/key ssh://root@gpu-1 true",
    );
  });

  it("by TLS that nobody offers is told which socket to switch on", () => {
    const trouble = at(`${failed}unable to connect to server at 'h:16514': Connection refused`, "qemu+tls://h/system");
    expect(trouble.advice).toContain("libvirtd-tls.socket");
  });

  it("in words that are not known is told in these words", () => {
    expect(at("something new")).toEqual({
      detail: "something new",
      advice: expect.stringContaining("check that the host is up"),
    });
    expect(at("").detail).toBe("the connection failed");
  });
});
