// Command lines of the documents that cannot run in a test, and why. Invariant: short, each with its reason; a rule that no
// document needs any more fails commands.program.test.ts. What is listed here is still read by bash, and `lessor` asked whether it
// knows the options.

/** Programs that are not here, or that would change the machine. `lessor …` by its first word. */
export const programs: Readonly<Record<string, string>> = {
  "apt-get": "installs packages of the system, as root",
  chown: "to a user that only an installed Lessor has",
  docker: "needs a container engine; test/packaging/containers.test.ts holds what it would build",
  incus: "needs a server of Incus",
  lspci: "shows a server's hardware",
  lxc: "needs a server of LXD",
  openstack: "needs a cloud of OpenStack",
  rabbitmqctl: "needs RabbitMQ; test/openstack has a user with these rights",
  runuser: "as a user that only an installed Lessor has",
  scp: "needs a host",
  sky: "SkyPilot is not installed here",
  ssh: "needs a host",
  "ssh-copy-id": "needs a host",
  "ssh-keygen": "needs OpenSSH, for the host of the next line",
  systemctl: "needs a running systemd",
  "systemd-analyze": "needs systemd; test/packaging/unit.test.ts runs it where it is",
  terraform: "Terraform is not installed here",
  "update-grub": "changes how the machine boots",
  useradd: "adds a user to the system",
  virsh: "needs a libvirt host; test/vm has real ones",
  "lessor engine": "needs clusters or hosts; test/cluster and test/vm run it on real ones",
  "lessor image": "builds for minutes as root, or needs a cluster; test/cluster and test/vm use it",
  "lessor restore": "needs an empty database beside this one; test/start/backup.program.test.ts runs it",
};

/** Single lines, without the comment behind them. */
export const lines: Readonly<Record<string, string>> = {
  "npm ci && npm start": "every test of test/start starts it",
  "npm ci && npm test": "this is it",
  'cd "$(npm root -g)/lessor/packaging"':
    "Lessor is not installed; test/package/package.program.test.ts has the helper",
  "npm install --global lessor-0.1.0.tgz": "test/package/package.program.test.ts packs it and installs it",
  "openssl x509 -noout -fingerprint -sha256 -in /var/lib/incus/server.crt": "the certificate is on a server of Incus",
  "openssl x509 -noout -fingerprint -sha256 -in /var/lib/incus/cluster.crt": "the certificate is on a cluster of Incus",
  "lessor emails test ops@acme.example": "needs a mail server; test/cli/emails.test.ts has one",
  "lessor keys retire <id>": "only an old key can be retired; test/start/keys.program.test.ts does it",
};

/** Lines that begin so need what is not here. */
export const beginnings: Readonly<Record<string, string>> = {
  'lessor stop training --reason "Fans': "needs a running instance; test/cli/move.test.ts has one",
  "lessor move": "needs a stopped instance and another host; test/cli/move.test.ts has both",
  "lessor hosts declare-lost": "needs a host that fails; test/cli/declare-lost.test.ts has one",
  "lessor hosts fence": "needs a host that fails; src/http/control/hosts/fence.test.ts has one",
  "lessor maintenance defer": "needs maintenance of the customer's hosts; test/cli/maintenance.test.ts has some",
  "sed -i 's|https://cloud.lambdalabs.com": "changes a program that is not installed here",
};
