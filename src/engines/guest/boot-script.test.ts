import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { BootTrial } from "../../../test/support/guest/boot-trial.ts";
import { awkwardValues, sampleGuest } from "../../../test/support/guest/sample-guest.ts";
import type { GuestSpec } from "../engine.ts";
import { patienceSeconds } from "./boot-script.ts";
import { envFile } from "./env-file.ts";
import { secretsFor, secretsPath } from "./secrets.ts";

const shells = ["sh", "dash", "bash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);
const trials: BootTrial[] = [];
afterEach(() => {
  for (const trial of trials.splice(0)) trial.remove();
});

function newGuest(changes: Partial<GuestSpec> = {}): BootTrial {
  const trial = new BootTrial(changes);
  trials.push(trial);
  return trial;
}

const keys = `${sampleGuest.sshKeys.join("\n")}\n`;
const envVars = Object.fromEntries(awkwardValues.map((value, index) => [`V${index}`, value]));
const secrets = { envVars, password: "123456789012345", jupyterToken: "jupyter-secret" };

describe.each(shells)("a first boot by %s", (shell) => {
  it("makes the login user, with a home, the groups there are, and the rights of root", () => {
    const guest = newGuest();
    const { status, calls } = guest.boot(shell);
    expect(status).toBe(0);
    expect(calls).toContain("useradd --create-home --shell /bin/bash --password * --groups sudo,video renter");
    expect(guest.read("etc/sudoers.d/90-lessor")).toBe("renter ALL=(ALL:ALL) NOPASSWD:ALL\n");
    expect(guest.mode("etc/sudoers.d/90-lessor")).toBe("440");
  });

  it("lets in exactly the keys of the order, and nobody as root", () => {
    const guest = newGuest();
    guest.boot(shell);
    expect(guest.read("home/renter/.ssh/authorized_keys")).toBe(keys);
    expect([guest.mode("home/renter/.ssh"), guest.mode("home/renter/.ssh/authorized_keys")]).toEqual(["700", "600"]);
    expect(guest.has("root/.ssh/authorized_keys")).toBe(false);
  });

  it("names the host, for good, for now and in its own hosts file", () => {
    const guest = newGuest();
    guest.boot(shell);
    expect(guest.read("etc/hostname")).toBe("trainer-1234abcd\n");
    expect(guest.read("proc/sys/kernel/hostname")).toBe("trainer-1234abcd\n");
    expect(guest.read("etc/hosts")).toBe("127.0.0.1 localhost\n127.0.1.1 trainer-1234abcd\n");
  });

  it("writes .env, the password and the Jupyter token, byte for byte", () => {
    const guest = newGuest(secrets);
    guest.boot(shell);
    expect(guest.read("home/renter/.env")).toBe(envFile(envVars));
    expect(guest.mode("home/renter/.env")).toBe("600");
    expect(guest.read("chpasswd")).toBe("renter:123456789012345\n");
    expect(guest.read("var/lib/lessor/jupyter-token")).toBe("jupyter-secret");
    expect(guest.mode("var/lib/lessor/jupyter-token")).toBe("600");
  });

  it("says on the console what was done, and shows no secret there or in an argument of a command", () => {
    const guest = newGuest(secrets);
    const { output, calls } = guest.boot(shell);
    expect(guest.read("dev/console")).toMatch(/^lessor: ssh-keys: done\n[\s\S]*lessor: ready\n$/m);
    for (const secret of ["123456789012345", "jupyter-secret", "it's"]) {
      expect(output + guest.read("dev/console") + calls.join("\n")).not.toContain(secret);
    }
  });

  it("is not done again at the next boot: what the renter changed stays, but .env is written anew", () => {
    const guest = newGuest(secrets);
    guest.boot(shell);
    guest.write("home/renter/.ssh/authorized_keys", "the renter's own\n");
    guest.write("etc/hostname", "renamed\n");
    guest.write("home/renter/.env", "edited");
    const { status, calls } = guest.boot(shell);
    expect(status).toBe(0);
    expect(guest.read("home/renter/.ssh/authorized_keys")).toBe("the renter's own\n");
    expect(guest.read("etc/hostname")).toBe("renamed\n");
    expect(guest.read("home/renter/.env")).toBe(envFile(envVars));
    expect(calls.filter((call) => !call.startsWith("setpriv"))).toEqual([]);
  });
});

describe("the SSH server", () => {
  const first = "PasswordAuthentication no\nKbdInteractiveAuthentication no\n";

  it("takes no passwords where none was ordered, and host keys that no image holds", () => {
    const guest = newGuest();
    const before = guest.read("etc/ssh/sshd_config");
    guest.boot("sh");
    expect(guest.read("etc/ssh/sshd_config.d/00-lessor.conf")).toBe(first);
    expect(guest.read("etc/ssh/sshd_config")).toBe(before);
    expect(readdirSync(join(guest.root, "etc/ssh")).filter((name) => /^ssh_host_.*key$/.test(name))).toEqual([
      "ssh_host_ecdsa_key",
      "ssh_host_ed25519_key",
    ]);
  });

  it("takes a password where one was ordered", () => {
    const guest = newGuest({ password: "12345", sshKeys: [] });
    guest.boot("sh");
    expect(guest.read("etc/ssh/sshd_config.d/00-lessor.conf")).toMatch(/^PasswordAuthentication yes$/m);
    expect(guest.read("home/renter/.ssh/authorized_keys")).toBe("");
  });

  it.each([
    ["has no Include", "Port 22\n"],
    ["has it only in a comment", "#Include /etc/ssh/sshd_config.d/*.conf\n"],
    ["speaks of passwords before it", "passwordauthentication=yes\nInclude /etc/ssh/sshd_config.d/*.conf\n"],
    ["has it only for some", "Match User x\n  Include /etc/ssh/sshd_config.d/*.conf\n"],
    ["does not end with a line break", "Port 22\nUsePAM yes"],
  ])("is told in its own file, once, where that file %s", (_, text) => {
    const guest = newGuest();
    guest.write("etc/ssh/sshd_config", text);
    guest.boot("sh");
    const written = guest.read("etc/ssh/sshd_config");
    expect(written).toBe(`# lessor: begin\n${first}# lessor: end\n${text.trimEnd()}\n`);
    guest.boot("sh", { instanceId: "i-2" });
    expect(guest.read("etc/ssh/sshd_config")).toBe(written);
  });

  it("lets root in by key where root is the login user, and root keeps its groups", () => {
    const guest = newGuest({ loginUser: "root" });
    const { status, calls } = guest.boot("sh");
    expect(status).toBe(0);
    expect(guest.read("root/.ssh/authorized_keys")).toBe(keys);
    expect(guest.read("etc/ssh/sshd_config.d/00-lessor.conf")).toMatch(/^PermitRootLogin prohibit-password$/m);
    expect(guest.has("etc/sudoers.d/90-lessor")).toBe(false);
    expect(calls.filter((call) => /^user/.test(call))).toEqual([]);
  });
});

describe("an image that has the login user", () => {
  function imported(changes: Partial<GuestSpec> = {}): BootTrial {
    const guest = newGuest(changes);
    guest.write("etc/passwd", `${guest.read("etc/passwd")}renter:x:1001:1001::/srv/renter:/bin/zsh\n`);
    guest.write("etc/shadow", `${guest.read("etc/shadow")}renter:$y$known:1:::::\n`);
    guest.write("srv/renter/.ssh/authorized_keys", "the image's\n");
    guest.write("srv/renter/.ssh/authorized_keys2", "the image's\n");
    return guest;
  }

  it("keeps the user, but neither its keys nor its password", () => {
    const guest = imported();
    const { calls } = guest.boot("sh");
    expect(guest.read("srv/renter/.ssh/authorized_keys")).toBe(keys);
    expect(guest.has("srv/renter/.ssh/authorized_keys2")).toBe(false);
    expect(calls).toContain("usermod --password * renter");
    expect(calls).toContain("usermod --append --groups sudo,video renter");
    expect(calls.filter((call) => call.startsWith("useradd"))).toEqual([]);
  });

  it("loses its password before the ordered one has come", () => {
    const guest = imported({ password: "12345" });
    guest.write(secretsPath, "");
    const { calls } = guest.boot("sh", { patienceSeconds: 0 });
    expect(calls).toContain("usermod --password * renter");
  });

  it("may have .ssh as a link, which is replaced", () => {
    const guest = newGuest();
    guest.write("etc/passwd", `${guest.read("etc/passwd")}renter:x:1001:1001::/srv/renter:/bin/zsh\n`);
    guest.write("elsewhere/kept", "");
    mkdirSync(join(guest.root, "srv/renter"), { recursive: true });
    symlinkSync(join(guest.root, "elsewhere"), join(guest.root, "srv/renter/.ssh"));
    guest.boot("sh");
    expect(lstatSync(join(guest.root, "srv/renter/.ssh")).isDirectory()).toBe(true);
    expect(readdirSync(join(guest.root, "elsewhere"))).toEqual(["kept"]);
  });

  it("that has only a group of that name gets the user in it", () => {
    const guest = newGuest();
    guest.write("etc/group", "root:x:0:\nrenter:x:500:\n");
    expect(guest.boot("sh").calls).toContain(
      "useradd --create-home --shell /bin/bash --password * --gid renter renter",
    );
  });

  it("that was made of a rented machine is prepared anew, as cloud-init's instance id tells", () => {
    const guest = newGuest();
    guest.boot("sh", { instanceId: "i-1" });
    guest.write("home/renter/.ssh/authorized_keys", "the former renter's\n");
    guest.boot("sh", { instanceId: "i-2" });
    expect(guest.read("home/renter/.ssh/authorized_keys")).toBe(keys);
  });
});

describe("a guest whose secrets come late", () => {
  it("waits for the whole file, with its keys already in place", () => {
    const guest = newGuest(secrets);
    const whole = secretsFor(guest.guest);
    guest.write(secretsPath, whole.slice(0, whole.length - 5));
    guest.write("whole", whole);
    guest.write(
      "on-sleep",
      `ls "$LESSOR_ROOT/home/renter/.ssh" >"$LESSOR_ROOT/seen"; cp "$LESSOR_ROOT/whole" "$LESSOR_ROOT${secretsPath}"`,
    );
    expect(guest.boot("sh").status).toBe(0);
    expect(guest.read("seen")).toBe("authorized_keys\n");
    expect(guest.read("home/renter/.env")).toBe(envFile(envVars));
  });

  it("goes on without them when its patience ends, fails aloud, and completes itself at the next boot", () => {
    const guest = newGuest(secrets);
    guest.write(secretsPath, "");
    const { status, calls } = guest.boot("sh", { patienceSeconds: 1 });
    expect(status).toBe(1);
    expect(calls.filter((call) => call === "sleep 0.2")).toHaveLength(5);
    expect(guest.read("dev/console")).toMatch(/secrets: failed/);
    expect(guest.has("home/renter/.env")).toBe(false);
    expect(guest.read("home/renter/.ssh/authorized_keys")).toBe(keys);
    guest.deliver();
    expect(guest.boot("sh").status).toBe(0);
    expect(guest.read("chpasswd")).toBe("renter:123456789012345\n");
  });

  it("is patient for five minutes", () => {
    expect(patienceSeconds).toBe(300);
  });
});

describe("a step that fails", () => {
  it.each(["useradd", "ssh-keygen", "usermod", "chpasswd", "sync", "chown", "mktemp"])(
    "(%s) fails the boot aloud, and is done by the next boot at which it can be",
    (command) => {
      const guest = newGuest(secrets);
      if (command === "usermod") guest.write("etc/passwd", "renter:x:1001:1001::/home/renter:/bin/sh\n");
      guest.fakeProgram(command, "exit 1");
      const { status } = guest.boot("sh");
      expect(status).toBe(1);
      expect(guest.read("dev/console")).toMatch(/: failed\n[\s\S]*not everything could be done\n$/);
      if (command === "mktemp") guest.noteCallsOf(command);
      else guest.fakeProgram(command, guest.workOf(command));
      expect(guest.boot("sh").status).toBe(0);
      expect(guest.read("home/renter/.ssh/authorized_keys")).toBe(keys);
      expect(guest.read("home/renter/.env")).toBe(envFile(envVars));
      expect(guest.read("chpasswd")).toContain("renter:123456789012345\n");
    },
  );

  it.each(["ssh-keygen", "usermod", "chpasswd", "sync"])(
    "(%s) keeps neither the keys nor .env from being made",
    (command) => {
      const guest = newGuest(secrets);
      guest.fakeProgram(command, "exit 1");
      guest.boot("sh");
      expect(guest.read("home/renter/.ssh/authorized_keys")).toBe(keys);
      expect(guest.read("home/renter/.env")).toBe(envFile(envVars));
    },
  );

  it("does not undo what succeeded and the renter has changed since", () => {
    const guest = newGuest(secrets);
    guest.fakeProgram("ssh-keygen", "exit 1");
    guest.boot("sh");
    guest.write("home/renter/.ssh/authorized_keys", "the renter's own\n");
    guest.boot("sh");
    expect(guest.read("home/renter/.ssh/authorized_keys")).toBe("the renter's own\n");
  });

  it("ends at its first error: a password that was locked late is set again", () => {
    const guest = newGuest(secrets);
    guest.write("etc/shadow", "");
    guest.fakeProgram("usermod", "exit 1");
    guest.fakeProgram("useradd", `echo "renter:x:1:1::/home/renter:/bin/sh" >>"$LESSOR_ROOT/etc/passwd"`);
    guest.boot("sh");
    guest.fakeProgram("usermod", "");
    guest.boot("sh");
    expect(guest.read("chpasswd")).toBe("renter:123456789012345\n".repeat(2));
  });
});
