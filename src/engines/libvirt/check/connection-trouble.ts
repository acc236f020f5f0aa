// Explains a failed connection to a host, and what to do, by the messages of virsh. Pure; used by meeting.ts. The
// messages are libvirt's, OpenSSH's and GnuTLS's; the first matching row counts.

import type { LibvirtHostSettings } from "../settings/host.ts";

interface Trouble {
  readonly detail: string;
  readonly advice: string;
}

type Words = string | ((host: LibvirtHostSettings) => string);

/** As a URI, which can have a port, and with the configured key. */
const byHand = ({ uri }: LibvirtHostSettings) => {
  const [, server = "<host>", key] = /^qemu\+ssh:\/\/([^/]+)\/(?:.*[?&]keyfile=([^&]+))?/.exec(uri) ?? [];
  return `as the user that runs Lessor: ssh ${key === undefined ? "" : `-i ${key} `}ssh://${server} true`;
};

const listener = ({ uri }: LibvirtHostSettings) => {
  if (uri.startsWith("qemu+ssh:")) return "check that sshd runs there on that port: systemctl enable --now ssh";
  const kind = uri.startsWith("qemu+tls:") ? "tls" : "tcp";
  return `on the host: systemctl enable --now libvirtd-${kind}.socket (or virtproxyd-${kind}.socket), and restart libvirtd`;
};

export const silence = "check that the host is up, that uri has its address, and that no firewall blocks it";

const rows: readonly { readonly complaint: RegExp; readonly detail: Words; readonly advice: Words }[] = [
  {
    complaint: /REMOTE HOST IDENTIFICATION HAS CHANGED|host key verification failed/i,
    detail: "its SSH host key is unknown here, or has changed",
    advice: (host) => `log in once manually and compare the key, ${byHand(host)}`,
  },
  {
    complaint: /permission denied \([a-z,-]*(publickey|password|keyboard)/i,
    detail: "it rejects Lessor's SSH key",
    advice: (host) =>
      `put the key into authorized_keys there (ssh-copy-id), and try ${byHand(host)}; a key with a passphrase needs an agent`,
  },
  {
    complaint: /could not resolve hostname|name or service not known|unable to resolve|temporary failure in name/i,
    detail: "its name cannot be resolved",
    advice: "correct uri, or the DNS",
  },
  {
    complaint: /cannot find 'ssh'|ssh: not found/i,
    detail: "there is no ssh on this machine",
    advice: "apt-get install openssh-client",
  },
  {
    complaint: /\b(nc|netcat|virt-ssh-helper)\b.*not found/i,
    detail: "it responds by SSH, but has no program that connects to libvirt",
    advice: "on the host: apt-get install libvirt-daemon-system netcat-openbsd",
  },
  {
    complaint: /polkit|socket.*permission denied|access denied|authentication (unavailable|failed: access)/i,
    detail: "Lessor's user there has no permission to use libvirt",
    advice: "on the host: usermod --append --groups libvirt <user>, and log in anew; or use root",
  },
  {
    complaint: /socket to '[^']*': (no such file|connection refused)|cannot connect to.*libvirt-sock/i,
    detail: "libvirt is not running there",
    advice: "on the host: apt-get install libvirt-daemon-system, and systemctl enable --now libvirtd",
  },
  {
    complaint: /cannot read (ca )?(certificate|private key)|unable to (set|import|load).*(certificate|key)/i,
    detail: "a certificate for TLS is missing on this machine, or cannot be read",
    advice:
      "put cacert.pem, clientcert.pem and clientkey.pem where libvirt looks (/etc/pki/CA, /etc/pki/libvirt, " +
      "/etc/pki/libvirt/private), or into the directory of ?pkipath=",
  },
  {
    complaint: /certificate.*(does not match|is not valid for)|owner does not match|not for this host/i,
    detail: "its certificate is for another name or address",
    advice: "use the name it was issued for in uri, or issue one for this name",
  },
  {
    complaint: /certificate.*(expired|not yet (active|valid))|not activated/i,
    detail: "a certificate is not valid at this time",
    advice: "renew it; if it should be valid, compare the clocks",
  },
  {
    complaint: /known issuer|not trusted|issuer is not/i,
    detail: "its certificate was not issued by the CA in cacert.pem",
    advice: "put the CA that issued it into cacert.pem",
  },
  {
    complaint: /tls handshake|certificate/i,
    detail: "it rejects Lessor's certificate, or the reverse",
    advice: "issue both by one CA, and check tls_allowed_dn_list in libvirtd.conf on the host",
  },
  {
    complaint: /sasl|authentication/i,
    detail: "it requires another kind of authentication",
    advice: "use qemu+ssh:// or qemu+tls://, or give ?authfile=",
  },
  { complaint: /connection refused/i, detail: "nothing listens there", advice: listener },
  { complaint: /no route to host|network is unreachable/i, detail: "there is no route to it", advice: silence },
  { complaint: /timed out|timeout/i, detail: "it does not respond", advice: silence },
];

/** `complaint`: what virsh printed. */
export function troubleOf(complaint: string, host: LibvirtHostSettings): Trouble {
  const row = rows.find((one) => one.complaint.test(complaint));
  if (row === undefined) return { detail: complaint === "" ? "the connection failed" : complaint, advice: silence };
  return { detail: said(row.detail, host), advice: said(row.advice, host) };
}

function said(words: Words, host: LibvirtHostSettings): string {
  return typeof words === "string" ? words : words(host);
}
