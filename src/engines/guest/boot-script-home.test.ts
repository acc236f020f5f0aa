import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { BootTrial } from "../../../test/support/guest/boot-trial.ts";
import { powerCuts } from "../../../test/support/guest/power-cuts.ts";
import { sampleGuest } from "../../../test/support/guest/sample-guest.ts";
import type { GuestSpec } from "../engine.ts";
import { envFile } from "./env-file.ts";

const trials: BootTrial[] = [];
afterEach(() => {
  for (const trial of trials.splice(0)) trial.remove();
});

function newGuest(changes: Partial<GuestSpec> = {}): BootTrial {
  const trial = new BootTrial(changes);
  trials.push(trial);
  return trial;
}

const envVars = { TOKEN: "it's\na secret\n" };
const content = envFile(envVars);
const home = "home/renter";

describe("the renter's .env", () => {
  it("is left alone where no variables were given", () => {
    const guest = newGuest();
    guest.boot("sh");
    expect(guest.has(`${home}/.env`)).toBe(false);
    guest.write(`${home}/.env`, "the renter's own");
    guest.boot("sh");
    expect(guest.read(`${home}/.env`)).toBe("the renter's own");
  });

  it("is written with the renter's own rights, so that no link there can lead root astray", () => {
    const guest = newGuest({ envVars });
    const { calls } = guest.boot("sh");
    const call = calls.find((one) => one.startsWith("setpriv"));
    expect(call).toMatch(/^setpriv --reuid 1000 --regid 1000 --clear-groups sh -c .*\.env\.lessor-XXXXXX/);
  });

  it("replaces a link, and leaves alone what that pointed to", () => {
    const guest = newGuest({ envVars });
    guest.boot("sh");
    guest.write("precious", "kept");
    rmSync(join(guest.root, home, ".env"));
    symlinkSync(join(guest.root, "precious"), join(guest.root, home, ".env"));
    expect(guest.boot("sh").status).toBe(0);
    expect(lstatSync(join(guest.root, home, ".env")).isFile()).toBe(true);
    expect([guest.read(`${home}/.env`), guest.read("precious")]).toEqual([content, "kept"]);
  });

  it("does not replace a directory of that name: the boot says so, and nothing else is left", () => {
    const guest = newGuest({ envVars });
    guest.boot("sh");
    rmSync(join(guest.root, home, ".env"));
    guest.write(`${home}/.env/bin/python`, "kept");
    const { status, output } = guest.boot("sh");
    expect([status, guest.read(`${home}/.env/bin/python`)]).toEqual([1, "kept"]);
    expect(output).toMatch(/lessor: env: failed/);
    expect(readdirSync(join(guest.root, home)).filter((name) => name.startsWith(".env"))).toEqual([".env"]);
  });

  it("takes what a power cut left of an earlier try away", () => {
    const guest = newGuest({ envVars });
    guest.boot("sh");
    guest.write(`${home}/.env.lessor-abcdef`, "half a sec");
    guest.boot("sh");
    expect(guest.has(`${home}/.env.lessor-abcdef`)).toBe(false);
  });

  it("has the secrets of this boot, not of an earlier one", () => {
    const guest = newGuest({ envVars });
    guest.boot("sh");
    guest.deliver({ ...guest.guest, envVars: { TOKEN: "new" } });
    guest.boot("sh");
    expect(guest.read(`${home}/.env`)).toBe("TOKEN='new'\n");
  });
});

describe("a file system", () => {
  const fileSystems = [
    { id: "1", name: "data", sizeGb: 1, mountPoint: "/mnt/data" },
    { id: "2", name: "more.data", sizeGb: 1, mountPoint: "/mnt/more.data" },
  ];
  const chowns = (guest: BootTrial) => guest.boot("sh").calls.filter((call) => call.includes("/mnt/"));

  function mounted(...names: string[]): BootTrial {
    const guest = newGuest({ fileSystems });
    for (const name of names) mkdirSync(join(guest.root, "mnt", name), { recursive: true });
    guest.write("mounted", names.map((name) => join(guest.root, "mnt", name)).join("\n"));
    return guest;
  }
  const handedOver = (guest: BootTrial) => chowns(guest).filter((call) => call.startsWith("chown"));

  it("that is new is handed over to the renter", () => {
    expect(handedOver(mounted("data", "more.data"))).toEqual([
      "chown 1000:1000 /mnt/data",
      "chown 1000:1000 /mnt/more.data",
    ]);
  });

  it("that has only lost+found is new", () => {
    const guest = mounted("data");
    mkdirSync(join(guest.root, "mnt/data/lost+found"));
    expect(handedOver(guest)).toEqual(["chown 1000:1000 /mnt/data"]);
  });

  it.each([".hidden", "..odd", "file"])("that holds something (%s) is left as it is", (name) => {
    const guest = mounted("data");
    guest.write(`mnt/data/${name}`, "");
    expect(handedOver(guest)).toEqual([]);
  });

  it("that belongs to somebody is left as it is", () => {
    const guest = mounted("data");
    guest.write("owner", "1000\n");
    expect(handedOver(guest)).toEqual([]);
  });

  it("that is not mounted is no failure, and is handed over at a boot at which it is", () => {
    const guest = mounted("data");
    guest.write("mounted", "");
    expect(guest.boot("sh")).toMatchObject({ status: 0, output: expect.stringContaining("/mnt/data: not mounted") });
    guest.write("mounted", join(guest.root, "mnt/data"));
    expect(handedOver(guest)).toEqual(["chown 1000:1000 /mnt/data"]);
  });
});

describe("a power cut in the middle of the first boot", () => {
  const secrets = { envVars, password: "123456789012345", jupyterToken: "token" };
  const commands = ["mkdir", "mktemp", "mv", "rm"];

  function wired(): BootTrial {
    const guest = newGuest(secrets);
    for (const command of commands) guest.noteCallsOf(command);
    // An sshd that must be told in its own file, which is the most to do.
    guest.write("etc/ssh/sshd_config", "Port 22\n");
    return guest;
  }

  /** What the renter finds, as far as it does not differ by chance. */
  const found = (guest: BootTrial) => ({
    keys: guest.read(`${home}/.ssh/authorized_keys`),
    env: guest.read(`${home}/.env`),
    password: guest.read("chpasswd").trimEnd().split("\n").at(-1),
    token: guest.read("var/lib/lessor/jupyter-token"),
    names: [guest.read("etc/hostname"), guest.read("etc/hosts")],
    sshd: guest.read("etc/ssh/sshd_config"),
    files: readdirSync(guest.root, { recursive: true, encoding: "utf8" }).sort(),
    marks: readdirSync(join(guest.root, "var/lib/lessor/done/i-1")).sort(),
  });

  it("at whatever command is made good by the next boot", () => {
    const whole = wired();
    const steps = whole.boot("sh").calls.length;
    expect(steps).toBeGreaterThan(30);
    const expected = found(whole);
    for (const cutAt of powerCuts(steps)) {
      const guest = wired();
      expect(guest.boot("sh", { cutAt }).status, `cut at ${cutAt}`).not.toBe(0);
      guest.boot("sh");
      expect(found(guest), `cut at ${cutAt}`).toEqual(expected);
      guest.remove();
    }
  });

  it("removes the locks that would keep the user from being made, once a try has begun", () => {
    const guest = newGuest();
    guest.write("etc/passwd.lock", "1");
    guest.fakeProgram("useradd", "exit 1");
    guest.boot("sh");
    expect(guest.has("etc/passwd.lock")).toBe(true);
    guest.fakeProgram("useradd", guest.workOf("useradd"));
    guest.boot("sh");
    expect(guest.has("etc/passwd.lock")).toBe(false);
    expect(guest.read(`${home}/.ssh/authorized_keys`)).toBe(`${sampleGuest.sshKeys.join("\n")}\n`);
  });

  it("gives a user that was made without a home its home", () => {
    const guest = newGuest();
    guest.write("etc/passwd", "renter:x:1000:1000::/home/renter:/bin/bash\n");
    expect(guest.boot("sh").calls).toEqual(
      expect.arrayContaining(["chown -R 1000:1000 /home/renter/.bashrc", "chown 1000:1000 /home/renter"]),
    );
    expect(guest.read(`${home}/.bashrc`)).toBe("# for all\n");
  });

  it("gives a user its home where an engine has mounted a file system below it before, and leaves that alone", () => {
    const guest = newGuest();
    guest.fakeProgram("useradd", guest.workOf("useradd").replace("mkdir -p", ": mkdir -p"));
    guest.write(`${home}/work/models/weights`, "");
    const chowns = guest.boot("sh").calls.filter((call) => call.startsWith("chown"));
    expect(chowns.filter((call) => call.includes("work") || /-R .*renter$/.test(call))).toEqual([]);
    expect(chowns).toContain("chown 1000:1000 /home/renter");
    expect(guest.read(`${home}/.bashrc`)).toBe("# for all\n");
  });
});
