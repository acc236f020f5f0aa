// The lab itself: what every other test on the cluster builds upon.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { makeKey } from "../support/keys.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { imageAlias } from "./lab/image.ts";
import { labOf } from "./lab/lab.ts";

const lab = labOf(inject("lab"));
const run = promisify(execFile);

const csv = async (args: readonly string[]) =>
  (await lab.lxc([...args, "--format", "csv"])).trim().split("\n").filter(Boolean);

/** Heartbeats of the cluster come every ten seconds. */
const soon = { timeout: 120_000, interval: 200 };
const operational = () =>
  csv(["cluster", "list"]).then((lines) => lines.filter((line) => line.includes("Fully operational")));

it("has three members, and all of them are fully operational", async () => {
  await expect.poll(operational, soon).toHaveLength(3);
  expect(lab.members.map(({ name }) => name)).toEqual(["h1", "h2", "h3"]);
});

it("has the image that operators build", async () => {
  expect(await csv(["image", "list", imageAlias, "--columns", "lt"])).toEqual([`${imageAlias},CONTAINER`]);
});

it("answers over HTTPS to a client that it trusts, with the certificate that was told", async () => {
  const { certificate, key, serverFingerprint } = await lab.clientCertificate();
  const [cert, keyText] = await Promise.all([readFile(certificate), readFile(key)]);
  const ask = (url: string, credentials: object) =>
    new Promise<{ fingerprint: string; auth: unknown }>((resolve, reject) => {
      // The fingerprint is what counts: the certificate names no host.
      const asking = request(
        `${url}/1.0`,
        { rejectUnauthorized: false, agent: false, ...credentials },
        async (answer) => {
          const { socket } = asking;
          if (!(socket instanceof TLSSocket)) return reject(new Error("not over TLS"));
          const fingerprint = socket.getPeerCertificate().fingerprint256.replaceAll(":", "").toLowerCase();
          const body = JSON.parse((await answer.toArray()).join(""));
          resolve({ fingerprint, auth: body.metadata.auth });
        },
      );
      asking.on("error", reject).end();
    });
  for (const { url } of lab.members) {
    expect(await ask(url, { cert, key: keyText })).toEqual({ fingerprint: serverFingerprint, auth: "trusted" });
    expect(await ask(url, {})).toMatchObject({ auth: "untrusted" });
  }
});

describe("a container on the second member", () => {
  const name = "lab-guest";
  const login = { member: "h2", ip: "", user: "root", key: "" };
  const directory = mkdtempSync(join(tmpdir(), "lessor-test-"));

  beforeAll(async () => {
    const key = await makeKey(directory, "guest");
    login.key = key.file;
    const userData = `#cloud-config\n${JSON.stringify({ disable_root: false, users: [{ name: "root", ssh_authorized_keys: [key.publicKey] }] })}`;
    await lab.lxc([
      "launch",
      imageAlias,
      name,
      "--target",
      "h2",
      "--quiet",
      "--config",
      `cloud-init.user-data=${userData}`,
    ]);
    await vi.waitFor(async () => {
      login.ip = (await csv(["list", name, "--columns", "4"])).join("").split(" ")[0] ?? "";
      expect(await lab.ssh({ ...login, command: "true" })).toMatchObject({ code: 0 });
    }, soon);
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    // The member whose daemon has just come back may refuse some calls until it has caught up with the others.
    await vi.waitFor(() => lab.clean(), soon);
  });

  it("lets in who has the key, and nobody else", async () => {
    expect(await lab.ssh({ ...login, command: "hostname" })).toMatchObject({ code: 0, stdout: `${name}\n` });
    const other = await makeKey(await temporaryDirectory(), "other");
    const refused = await lab.ssh({ ...login, key: other.file, command: "true" });
    expect(refused).toMatchObject({ code: 255, stderr: expect.stringContaining("Permission denied") });
    expect(await lab.ssh({ ...login, key: undefined, password: "guess", command: "true" })).toMatchObject({
      code: 255,
    });
  });

  it("is reached through the probe command, as ssh's ProxyCommand", async () => {
    const values: Readonly<Record<string, string>> = { host: "h2", ip: login.ip, port: "22" };
    const words = lab.probeCommand.map((word) =>
      word.replace(/\{(host|ip|port)\}/g, (_, one: string) => values[one] ?? ""),
    );
    const proxy = words.map((word) => `'${word}'`).join(" ");
    const options = [
      "StrictHostKeyChecking=no",
      "UserKnownHostsFile=/dev/null",
      "BatchMode=yes",
      `ProxyCommand=${proxy}`,
    ];
    const args = ["-F", "none", "-i", login.key, ...options.flatMap((one) => ["-o", one]), `root@${login.ip}`];
    // More than any buffer holds, in both directions.
    const { stdout } = await run(
      "bash",
      ["-c", 'head -c 2000000 /dev/zero | ssh "$@" "cat | wc -c; head -c 2000000 /dev/zero"', "bash", ...args],
      { maxBuffer: 4_000_000, timeout: 120_000 },
    );
    expect(stdout.slice(0, 8)).toBe("2000000\n");
    expect(stdout).toHaveLength(2_000_008);
  });

  it("has nothing in it that another machine of the image has too", async () => {
    const identity = "cat /etc/machine-id; ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub";
    const twin = "another-guest";
    onTestFinished(async () => void (await lab.lxc(["delete", "--force", twin])));
    await lab.lxc(["launch", imageAlias, twin, "--target", "h3", "--quiet"]);
    const ofTwin = () => lab.lxc(["exec", twin, "--", "sh", "-c", identity]).catch(() => "");
    await expect.poll(ofTwin, soon).toContain("ED25519");
    const { stdout } = await lab.ssh({ ...login, command: identity });
    const [mine, twins] = [stdout.trim().split("\n"), (await ofTwin()).trim().split("\n")];
    expect(mine).toHaveLength(2);
    expect(mine[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(mine.filter((line) => twins.includes(line))).toEqual([]);
  });

  it("has no user with a password and no failed unit", async () => {
    const { stdout } = await lab.ssh({
      ...login,
      command: "grep -vE '^[^:]+:[*!]' /etc/shadow; systemctl --failed --plain --no-legend",
    });
    expect(stdout).toBe("");
  });

  it("runs on while its member's daemon is killed, which comes back", async () => {
    await lab.killMember("h2");
    expect(await lab.ssh({ ...login, command: "true" })).toMatchObject({ code: 0 });
    await expect.poll(() => csv(["list", name, "--columns", "s"]), soon).toEqual(["ERROR"]);
    await lab.startMember("h2");
    await expect.poll(operational, soon).toHaveLength(3);
    await expect.poll(() => csv(["list", name, "--columns", "s"]), soon).toEqual(["RUNNING"]);
    expect(await lab.ssh({ ...login, command: "true" })).toMatchObject({ code: 0 });
  });
});
