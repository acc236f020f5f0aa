// Runs the boot script without root: on a directory that stands for the guest's disk, with stand-ins for the commands that
// need root, found through PATH. Each stand-in notes how it was called and does as much of its work as a test can see.
// Used by the tests of src/engines/guest/.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { GuestSpec } from "../../../src/engines/engine.ts";
import { bootScript, type Delivery } from "../../../src/engines/guest/boot-script.ts";
import { secretsFor, secretsPath } from "../../../src/engines/guest/secrets.ts";
import { temporaryRoot } from "../temporary-root.ts";
import { sampleGuest } from "./sample-guest.ts";

/** A Debian-like disk before its first boot. */
const disk: Readonly<Record<string, string>> = {
  "etc/passwd": "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n",
  "etc/shadow": "root:*:1:0:99999:7:::\n",
  "etc/group": "root:x:0:\nsudo:x:27:\nvideo:x:44:\n",
  "etc/skel/.bashrc": "# for all\n",
  "etc/hostname": "image\n",
  "etc/hosts": "127.0.0.1 localhost\n127.0.1.1 image\n",
  "etc/ssh/sshd_config": "# Debian\nInclude /etc/ssh/sshd_config.d/*.conf\nPasswordAuthentication yes\n",
  "etc/ssh/ssh_host_rsa_key": "the image's",
  "root/.ssh/authorized_keys": "the image's\n",
  "proc/sys/kernel/hostname": "image\n",
  "dev/console": "",
  "bin/bash": "",
  mounted: "",
};

/** Each is run by sh, after a line that notes the call. */
const standIns: Readonly<Record<string, string>> = {
  useradd: `for name; do :; done
    echo "$name:x:1000:1000::/home/$name:/bin/bash" >>"$LESSOR_ROOT/etc/passwd"
    echo "$name:*:1:::::" >>"$LESSOR_ROOT/etc/shadow"
    mkdir -p "$LESSOR_ROOT/home/$name" && cp -R "$LESSOR_ROOT/etc/skel/." "$LESSOR_ROOT/home/$name"`,
  usermod: "",
  chpasswd: `cat >>"$LESSOR_ROOT/chpasswd"`,
  chown: "",
  sync: "",
  "ssh-keygen": `while [ "$1" != -f ]; do shift; done; echo new >"$2"; echo new >"$2.pub"`,
  setpriv: `PATH=$both; while [ "$1" != sh ]; do shift; done; exec "$@"`,
  mountpoint: `grep -qx "$2" "$LESSOR_ROOT/mounted"`,
  stat: `cat "$LESSOR_ROOT/owner" 2>/dev/null || echo 0`,
  sleep: `[ ! -e "$LESSOR_ROOT/on-sleep" ] || . "$LESSOR_ROOT/on-sleep"`,
};

export interface Boot {
  readonly status: number | null;
  readonly output: string;
  /** Every call of a stand-in at this boot, with its arguments, and with the disk's directory as "". */
  readonly calls: readonly string[];
}

export interface BootOptions {
  /** Instead of what the script has. */
  readonly patienceSeconds?: number;
  readonly instanceId?: string;
  /** The power is cut at the stand-in that makes so many calls of this boot (or one more, in a pipe), before its work. */
  readonly cutAt?: number;
  /** How the guest gets its secrets and file systems; "file" unless told. */
  readonly delivery?: Delivery;
}

export class BootTrial {
  readonly #base = mkdtempSync(join(temporaryRoot(), "lessor-boot-"));
  readonly root: string = join(this.#base, "disk");
  readonly guest: GuestSpec;

  constructor(changes: Partial<GuestSpec> = {}) {
    this.guest = { ...sampleGuest, ...changes };
    for (const [path, text] of Object.entries(disk)) this.write(path, text);
    for (const [name, work] of Object.entries(standIns)) this.fakeProgram(name, work);
    chmodSync(join(this.root, "bin/bash"), 0o755);
    this.deliver();
  }

  /** Replaces a command: `work` is what it does after its call was noted. */
  fakeProgram(name: string, work: string): void {
    const path = join(this.#base, "commands", name);
    mkdirSync(dirname(path), { recursive: true });
    // The stand-ins are no stand-ins to each other. The process group is the boot's own (see boot): all of it goes, as in
    // a power cut. Each call is one line, and no process is started for it: there are thousands in a test.
    const note = `both=$PATH PATH=\${PATH#*:} calls=0
      set -f; IFS='\n'; echo "${name}" $* >>"$LESSOR_ROOT/calls"; unset IFS; set +f
      while read -r _; do calls=$((calls + 1)); done <"$LESSOR_ROOT/calls"
      [ "$calls" -lt "$CUT_AT" ] || kill -9 0`;
    writeFileSync(path, `#!/bin/sh\n${note}\n${work}\n`, { mode: 0o755 });
  }

  /** Has the real command run, and notes its calls. */
  noteCallsOf(name: string): void {
    this.fakeProgram(name, `exec ${name} "$@"`);
  }

  /** What a stand-in does before anything replaced it. */
  workOf(name: string): string {
    return standIns[name] ?? "";
  }

  /** Puts the secrets into the guest, as an engine does. */
  deliver(guest: GuestSpec = this.guest): void {
    this.write(secretsPath, secretsFor(guest));
  }

  /** One boot by this shell. `status` is null where the power was cut. */
  boot(shell: string, options: BootOptions = {}): Boot {
    this.write("calls", "");
    const { patienceSeconds, instanceId = "i-1", cutAt, delivery = "file" } = options;
    const script = bootScript(this.guest, delivery);
    const file = join(this.#base, "boot.sh");
    writeFileSync(
      file,
      patienceSeconds === undefined
        ? script
        : script.replace(/^patience_seconds=.*$/m, `patience_seconds=${patienceSeconds}`),
    );
    const { status, stdout, stderr } = spawnSync("setsid", ["--wait", shell, file], {
      env: {
        PATH: `${join(this.#base, "commands")}:${process.env.PATH}`,
        LESSOR_ROOT: this.root,
        INSTANCE_ID: instanceId,
        CUT_AT: `${cutAt ?? Number.MAX_SAFE_INTEGER}`,
      },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 15_000,
      encoding: "utf8",
    });
    const calls = this.read("calls")
      .replaceAll(this.root, "")
      .split("\n")
      .map((call) => call.trim())
      .filter((call) => call !== "");
    return { status, output: `${stdout}${stderr}`, calls };
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** Permission bits, of the file itself where it is a link. */
  mode(path: string): string {
    return (lstatSync(join(this.root, path)).mode & 0o777).toString(8);
  }

  remove(): void {
    rmSync(this.#base, { recursive: true, force: true });
  }
}
