// The command line as a person has it: typed into a real terminal, against the real program with its demo. What a program
// sees of it: test/cli.

import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Lessor, startLessor } from "../support/lessor.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { openTerminal, type TerminalSize } from "./terminal.ts";

const whenOver = afterFile();
let lessor: Lessor;
let address: string;
let token: string;

beforeAll(async () => {
  lessor = await startLessor(await temporaryDirectory(0o711, whenOver), {}, whenOver);
  address = new URL(lessor.shown("Control") ?? "").origin;
  token = lessor.shown("Customer token") ?? "";
});

/** A service with one instance, which is active after it was read a few times; gives its address. */
async function serviceWithOne(more: Readonly<Record<string, unknown>>): Promise<string> {
  let reads = 0;
  const server = createServer((_, response) => {
    reads += 1;
    const ready = reads > 3 ? { status: "active", progress: null } : {};
    const given = { id: "0a1b2c3d", ip: "10.0.0.1", login_user: "ubuntu", login: "ssh_key", simulated: false };
    const one = { ...given, failure: null, ...more, ...ready };
    const isList = reads === 1;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: isList ? [one] : one }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const escapeLetter = "\u001b";

/** A terminal of somebody who is signed in by the environment. */
const signedIn = (size: TerminalSize = {}, more: Record<string, string> = {}) =>
  openTerminal({ LESSOR_URL: address, LESSOR_TOKEN: token, ...more }, size);

describe("lessor login", () => {
  it("asks for address and token, shows the token nowhere, and keeps it to its owner", async () => {
    const home = await temporaryDirectory();
    const terminal = await openTerminal({ HOME: home });
    terminal.type("lessor login", "Enter");
    await terminal.sees("Address [http://127.0.0.1:8080]:");
    terminal.type(address, "Enter");
    await terminal.sees("Token (not shown):");
    terminal.type(token, "Enter");
    await terminal.sees("as demo; scopes: read, write.");
    expect(terminal.screen()).not.toContain(token.slice(0, 12));
    const path = join(home, ".config/lessor/config.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ profiles: { default: { url: address, token } } });
    terminal.type("lessor account", "Enter");
    await terminal.sees("Instances     ");
  });

  it("ends with Ctrl-C at the token, and leaves the terminal as it was", async () => {
    const terminal = await openTerminal({});
    terminal.type(`lessor login ${address}; echo code $?`, "Enter");
    await terminal.sees("Token (not shown):");
    terminal.press("C-c");
    await terminal.sees("code 130");
    terminal.type("echo seen", "Enter");
    await terminal.sees(/^seen$/m);
  });
});

describe("a launch", () => {
  it("shows the price, how far it is, and that nobody can log in to a simulated instance", async () => {
    const terminal = await signedIn();
    terminal.type("lessor launch gpu_1x_a6000 --name watched --no-key", "Enter");
    await terminal.sees("gpu_1x_a6000 in ");
    await terminal.sees("$0.80/h ($584.00 a month)");
    await terminal.sees(/watched: booting.*\(\d+ s\)/);
    await terminal.sees(/watched\s+active\s+203\.0\.113\./);
    // The line that changed is gone, as if it had never been.
    expect(terminal.screen()).not.toContain("watched: booting");
    expect(terminal.screen()).toContain("You can't log in to watched. It is simulated");
  });

  it("points out a name in use, and asks before another instance gets it", async () => {
    const terminal = await signedIn();
    terminal.type("lessor launch cpu_8x_general --name twice --no-key --no-wait", "Enter");
    await terminal.sees("lessor show twice");
    await terminal.clear();
    terminal.type("lessor launch cpu_8x_general --name twice --no-key --no-wait; echo code $?", "Enter");
    await terminal.sees("You already have an instance named twice. Go on? [y/N]");
    terminal.type("n", "Enter");
    await terminal.sees("code 1");
    await terminal.clear();
    terminal.type("lessor list | grep -c twice", "Enter");
    await terminal.sees(/^1$/m);
  });

  it("goes on when Ctrl-C ends the waiting, and that is said, with how to look at it", async () => {
    const terminal = await signedIn();
    terminal.type("lessor launch gpu_1x_a6000 --name going --no-key; echo code $?", "Enter");
    await terminal.sees("going: booting");
    terminal.press("C-c");
    await terminal.sees("code 130");
    expect(terminal.screen()).toContain("Stopped waiting. going is still booting and will be billed.");
    expect(terminal.screen()).toContain("lessor show going");
    expect(terminal.screen()).toContain("lessor terminate going");
    await terminal.clear();
    terminal.type("until lessor show going --json | grep '\"active\"'; do sleep 0.2; done", "Enter");
    await terminal.sees('"status": "active"');
  });
});

describe("lessor terminate", () => {
  it("says what is lost and asks; no keeps the machine, yes gives it back", async () => {
    const terminal = await signedIn();
    terminal.type("lessor launch cpu_8x_general --name doomed --no-key --no-wait", "Enter");
    await terminal.sees("lessor show doomed");
    await terminal.clear();
    terminal.type("lessor terminate doomed; echo code $?", "Enter");
    await terminal.sees("what is on its disk is lost");
    await terminal.sees("Go on? [y/N]");
    terminal.press("Enter");
    await terminal.sees("Canceled. Nothing was changed.");
    await terminal.sees("code 1");
    await terminal.clear();
    terminal.type("lessor terminate doomed; echo code $?", "Enter");
    await terminal.sees("Go on? [y/N]");
    terminal.type("y", "Enter");
    await terminal.sees(/doomed\s+terminat/);
    await terminal.sees("code 0");
  });
});

describe("a terminal", () => {
  it("that is narrow shows whole lines: columns go that matter less", async () => {
    const wide = await signedIn({ columns: 200 });
    wide.type("lessor types", "Enter");
    await wide.sees("REGIONS");
    expect(wide.screen()).toContain("DISK GB");
    const narrow = await signedIn({ columns: 40 });
    narrow.type("lessor types", "Enter");
    await narrow.sees("gpu_8x_h100_sxm5");
    const lines = narrow.screen().split("\n");
    expect(lines.find((line) => line.startsWith("TYPE"))).toMatch(/^TYPE +PRICE +FIT NOW$/);
    // A line that wrapped would begin with what belongs to the one before.
    expect(lines.filter((line) => !/^(\$|TYPE|cpu_|gpu_)/.test(line))).toEqual([]);
  });

  it("has colours, and with NO_COLOR none", async () => {
    const coloured = await signedIn();
    coloured.type("lessor types --region us-east-1", "Enter");
    await coloured.sees("gpu_1x_a10");
    expect(coloured.screen({ colours: true })).toContain(`${escapeLetter}[1mgpu_1x_a10`);
    const plain = await signedIn({}, { NO_COLOR: "1" });
    plain.type("lessor types --region us-east-1", "Enter");
    await plain.sees("gpu_1x_a10");
    expect(plain.screen({ colours: true })).not.toContain(escapeLetter);
  });

  it("into whose pager output goes gets no error when the reader has enough", async () => {
    const terminal = await signedIn();
    terminal.type(
      "lessor types | head -1; lessor events --follow --from-start --json | head -1; echo code $?",
      "Enter",
    );
    await terminal.sees("TYPE");
    await terminal.sees('"type":"token.created"');
    // That nobody reads any more shows with the next event.
    const other = await signedIn();
    other.type("until [ -e over ]; do lessor tokens create more > /dev/null; done", "Enter");
    await terminal.sees("code 0");
    other.press("C-c");
    expect(terminal.screen()).not.toMatch(/EPIPE|Error/);
  });
});

describe("lessor ssh", () => {
  it("runs ssh as the image's user, waits for a machine that boots, and gives on the exit code", async () => {
    const directory = await temporaryDirectory();
    writeFileSync(join(directory, "ssh"), '#!/bin/sh\necho "ssh got: $@"\nexit 7\n');
    chmodSync(join(directory, "ssh"), 0o755);
    // The demo's machines are simulated, and no ssh is run for those.
    const LESSOR_URL = await serviceWithOne({ name: "reached", status: "booting", progress: "starting" });
    const terminal = await signedIn({ columns: 200 }, { LESSOR_URL });
    terminal.type(`PATH=${directory}:$PATH`, "Enter");
    terminal.type("lessor ssh reached -L 8888:localhost:8888 nvidia-smi -l; echo code $?", "Enter");
    await terminal.sees(/ssh got: .*-o ConnectTimeout=15 ubuntu@10\.[\d.]+ -L 8888:localhost:8888 nvidia-smi -l/);
    await terminal.sees("code 7");
  });

  it("says at once that an instance is simulated, also one that is booting", async () => {
    const LESSOR_URL = await serviceWithOne({
      name: "rehearsed",
      status: "booting",
      progress: "starting",
      simulated: true,
    });
    const terminal = await signedIn({ columns: 200 }, { LESSOR_URL });
    terminal.type("lessor ssh rehearsed; echo code $?", "Enter");
    await terminal.sees("code 5");
    expect(terminal.screen()).toContain(
      "You can't log in to rehearsed. It is simulated, so its address does not respond.",
    );
    expect(terminal.screen()).not.toContain("rehearsed: booting");
  });
});

/** How each shell is begun, with nobody's settings, and told of the completion. */
const shells = {
  bash: ["source <(lessor completion bash)"],
  zsh: ["exec zsh -f", "autoload -Uz compinit; compinit -D; source <(lessor completion zsh)"],
  fish: [
    "exec fish --no-config",
    "function fish_prompt; echo -n '$ '; end; set -g fish_autosuggestion_enabled 0",
    "lessor completion fish | source",
  ],
};

describe.each(Object.entries(shells))("completion in %s", (shell, beginning) => {
  it("completes commands, options, and names that the service has", async () => {
    const terminal = await signedIn();
    terminal.type(`lessor launch cpu_8x_general --name ${shell}-completed --no-key --no-wait`, "Enter");
    await terminal.sees(`lessor show ${shell}-completed`);
    for (const line of [...beginning, "echo begun"]) terminal.type(line, "Enter");
    await terminal.sees(/^begun/m);
    await terminal.clear();
    terminal.type("lessor compl", "Tab");
    await terminal.sees("lessor completion");
    terminal.press("C-u");
    terminal.type(`lessor show ${shell}-c`, "Tab");
    await terminal.sees(`lessor show ${shell}-completed`);
    terminal.press("C-u");
    terminal.type("lessor launch gpu_1x_a60", "Tab");
    await terminal.sees("lessor launch gpu_1x_a6000");
    terminal.type("--reg", "Tab");
    await terminal.sees("lessor launch gpu_1x_a6000 --region");
    terminal.type("eu", "Tab");
    await terminal.sees("lessor launch gpu_1x_a6000 --region europe-central-1");
    terminal.press("C-u");
    terminal.type("lessor launch --qu", "Tab");
    await terminal.sees("lessor launch --quantity");
    terminal.press("C-u");
    // Several begin like that, and all of them are shown.
    terminal.type("lessor launch --", "Tab", "Tab");
    await terminal.sees("--max-lifetime");
  });
});
