// What is wrong when a host cannot be connected to, and what to do, from what virsh complains of. Pure; used by
// meeting.ts. The words are libvirt's, OpenSSH's and GnuTLS's; the first row that fits counts.

import type { LibvirtHostSettings } from "../settings/host.ts";

interface Trouble {
  readonly detail: string;
  readonly advice: string;
}

type Words = string | ((host: LibvirtHostSettings) => string);

/** As a URI, which may have a port, and with the key that libvirt is told to use. */
const byHand = ({ uri }: LibvirtHostSettings) => {
  const [, server = "<host>", key] = /^qemu\+ssh:\/\/([^/]+)\/(?:.*[?&]keyfile=([^&]+))?/.exec(uri) ?? [];
  return `as the user that runs Lessor: ssh ${key === undefined ? "" : `-i ${key} `}ssh://${server} true`;
};

const listener = ({ uri }: LibvirtHostSettings) => {
  if (uri.startsWith("qemu+ssh:")) return "is sshd running there, on that port? systemctl enable --now ssh";
  const kind = uri.startsWith("qemu+tls:") ? "tls" : "tcp";
  return `on the host: systemctl enable --now libvirtd-${kind}.socket (or virtproxyd-${kind}.socket), and restart libvirtd`;
};

export const silence = "is the host up, the address in uri right, and no firewall between?";

const rows: readonly { readonly complaint: RegExp; readonly detail: Words; readonly advice: Words }[] = [
  {
    complaint: /REMOTE HOST IDENTIFICATION HAS CHANGED|host key verification failed/i,
    detail: "its SSH host key is not known here, or not the one that was",
    advice: (host) => `log in once by hand and compare the key, ${byHand(host)}`,
  },
  {
    complaint: /permission denied \([a-z,-]*(publickey|password|keyboard)/i,
    detail: "it refuses our SSH key",
    advice: (host) =>
      `put the key into authorized_keys there (ssh-copy-id), and try ${byHand(host)}; a key with a passphrase needs an agent`,
  },
  {
    complaint: /could not resolve hostname|name or service not known|unable to resolve|temporary failure in name/i,
    detail: "its name is not known",
    advice: "correct uri, or the DNS",
  },
  {
    complaint: /cannot find 'ssh'|ssh: not found/i,
    detail: "there is no ssh on this machine",
    advice: "apt-get install openssh-client",
  },
  {
    complaint: /\b(nc|netcat|virt-ssh-helper)\b.*not found/i,
    detail: "it answers by SSH, and has no program there that reaches libvirt",
    advice: "on the host: apt-get install libvirt-daemon-system netcat-openbsd",
  },
  {
    complaint: /polkit|socket.*permission denied|access denied|authentication (unavailable|failed: access)/i,
    detail: "our user there may not use libvirt",
    advice: "on the host: usermod --append --groups libvirt <user>, and log in anew; or use root",
  },
  {
    complaint: /socket to '[^']*': (no such file|connection refused)|cannot connect to.*libvirt-sock/i,
    detail: "libvirt does not run there",
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
    detail: "it refuses our certificate, or we its",
    advice: "issue both by one CA, and look at tls_allowed_dn_list in libvirtd.conf on the host",
  },
  {
    complaint: /sasl|authentication/i,
    detail: "it wants another proof of who we are",
    advice: "use qemu+ssh:// or qemu+tls://, or give ?authfile=",
  },
  { complaint: /connection refused/i, detail: "nothing listens there", advice: listener },
  { complaint: /no route to host|network is unreachable/i, detail: "there is no route to it", advice: silence },
  { complaint: /timed out|timeout/i, detail: "it does not answer", advice: silence },
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
