// A light guest without the engine: what an engine would do at a host, by hand. Used by lab.test.ts.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { multipart } from "../../src/engines/guest/mime.ts";
import type { TestKey } from "../support/keys.ts";
import { run } from "../support/lab/run.ts";
import type { VmLab } from "./lab/lab.ts";

export interface HandMadeGuest {
  readonly uri: string;
  /** As `lab.ssh` takes it, without the command. */
  readonly login: { readonly ip: string; readonly user: string; readonly key: string };
}

/**
 * Defines and starts it; it answers some seconds later. Its console is in {name}.log beside its disk. `directory` is for
 * files of this call.
 */
export async function startGuest(
  lab: VmLab,
  hostName: string,
  name: string,
  key: TestKey,
  directory: string,
): Promise<HandMadeGuest> {
  const host = lab.hosts.find((one) => one.name === hostName);
  if (host === undefined) throw new Error(`The lab has no host ${hostName}`);
  const ip = host.guestSubnet.replace(/0\/24$/, "5");
  const on = (...args: string[]) => lab.virsh(hostName, args);
  const seed = await seedFor(name, key, directory);
  const size = `${(await readFile(seed)).length}`;
  await on("vol-create-as", lab.pool, `${name}.iso`, size, "--format", "raw");
  await on("vol-upload", `${name}.iso`, seed, "--pool", lab.pool);
  const backing = ["--backing-vol", lab.light.image, "--backing-vol-format", "qcow2"];
  await on("vol-create-as", lab.pool, `${name}.qcow2`, "2G", "--format", "qcow2", ...backing);
  const reservation = `<host mac='${mac}' ip='${ip}'/>`;
  await on("net-update", lab.network, "add", "ip-dhcp-host", reservation, "--live", "--config");
  await lab.virsh(hostName, ["define", "/dev/stdin"], domainXml(lab, name));
  await on("start", name);
  return { uri: host.uri, login: { ip, user: "root", key: key.file } };
}

const mac = "52:54:00:00:00:05";

function domainXml({ light, network }: VmLab, name: string): string {
  const at = (file: string) => `/var/lib/libvirt/images/${file}`;
  return `<domain type='qemu'>
  <name>${name}</name>
  <memory unit='MiB'>512</memory>
  <vcpu>1</vcpu>
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
    <kernel>${at(light.kernel)}</kernel>
    <initrd>${at(light.initrd)}</initrd>
    <cmdline>${light.commandLine}</cmdline>
  </os>
  <features><acpi/></features>
  <on_reboot>restart</on_reboot>
  <devices>
    <disk type='file' device='disk'>
      <driver name='qemu' type='qcow2' cache='unsafe'/><source file='${at(`${name}.qcow2`)}'/>
      <target dev='vda' bus='virtio'/><serial>root</serial>
    </disk>
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw'/><source file='${at(`${name}.iso`)}'/>
      <target dev='vdb' bus='virtio'/><readonly/>
    </disk>
    <interface type='network'>
      <mac address='${mac}'/><source network='${network}'/><model type='virtio'/>
      <filterref filter='clean-traffic'/>
    </interface>
    <serial type='pty'><log file='${at(`${name}.log`)}'/><target port='0'/></serial>
    <rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>
    <controller type='usb' model='none'/>
    <memballoon model='none'/>
  </devices>
</domain>`;
}

/** A boot hook that lets root in with the key, and a script. */
async function seedFor(name: string, key: TestKey, directory: string): Promise<string> {
  const hook = `#cloud-boothook
#!/bin/sh
mkdir -p /root/.ssh
echo '${key.publicKey}' >/root/.ssh/authorized_keys
echo "$INSTANCE_ID" >/run/hook
[ -e /etc/ssh/ssh_host_ed25519_key ] || ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
`;
  const script = "#!/bin/sh\necho ran >>/var/script\n";
  const userData = multipart([
    { contentType: "text/cloud-boothook", body: Buffer.from(hook) },
    { contentType: "text/x-shellscript", body: Buffer.from(script) },
  ]);
  const [user, meta] = [join(directory, "user-data"), join(directory, "meta-data")];
  await writeFile(user, userData);
  await writeFile(meta, `instance-id: i-${name}\n`);
  const iso = join(directory, "seed.iso");
  await run("genisoimage", ["-quiet", "-volid", "cidata", "-joliet", "-rock", "-output", iso, user, meta]);
  return iso;
}
