// What the stand-in of a shell answers: a few commands that people try first, about the machine as its row has it, and for
// all else that it is simulated. Nothing runs. Pure. Used by terminal.ts.

/** A simulated machine as its terminal shows it. */
export interface SimulatedMachine {
  readonly hostname: string;
  readonly image: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly gpus: readonly { readonly model: string; readonly memoryGib: number; readonly address: string }[];
}

/** Lines for the screen; or what the shell does. */
export type Reply = readonly string[] | "clear" | "exit";

export const notice = "This is a simulated machine: nothing that you type runs anywhere. Try `help`.";

const kernel = "6.8.0-simulated";

/** What to show for a line that was entered. */
export function replyTo(line: string, machine: SimulatedMachine): Reply {
  const [command = "", ...words] = line.trim().split(/\s+/);
  if (command === "") return [];
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (known !== undefined) return known.reply(machine, words);
  const name = command.length > 64 ? `${command.slice(0, 64)}…` : command;
  return [`${name}: this machine is simulated and has no such program. \`help\` shows what it has.`];
}

interface Command {
  readonly help: string;
  readonly reply: (machine: SimulatedMachine, words: readonly string[]) => Reply;
}

const commands: Readonly<Record<string, Command>> = {
  help: {
    help: "what there is",
    reply: () => [
      "A stand-in for a shell in a simulated machine. It has:",
      ...Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(12)} ${help}`),
    ],
  },
  "nvidia-smi": { help: "the GPUs of this machine", reply: ({ gpus }) => gpuTable(gpus) },
  uname: {
    help: "the system; -a for all of it",
    reply: ({ hostname }, words) => [
      words.includes("-a") ? `Linux ${hostname} ${kernel} #1 SMP simulated x86_64 GNU/Linux` : "Linux",
    ],
  },
  hostname: { help: "the name of this machine", reply: ({ hostname }) => [hostname] },
  whoami: { help: "who you are", reply: () => ["root"] },
  pwd: { help: "where you are", reply: () => ["/root"] },
  nproc: { help: "how many processors there are", reply: ({ vcpus }) => [`${vcpus}`] },
  free: {
    help: "how much memory there is",
    reply: ({ memoryGib }) => [
      "               total        used        free",
      `Mem:  ${[`${memoryGib}Gi`, "1Gi", `${Math.max(memoryGib - 1, 0)}Gi`].map((size) => size.padStart(12)).join("")}`,
    ],
  },
  df: {
    help: "how much storage there is",
    reply: ({ storageGb }) => [
      "Filesystem      Size  Used Avail Mounted on",
      `/dev/vda1  ${[`${storageGb}G`, "4G", `${Math.max(storageGb - 4, 0)}G`].map((size) => size.padStart(6)).join("")} /`,
    ],
  },
  cat: {
    help: "/etc/os-release tells the image",
    reply: ({ image }, [file]) =>
      file === "/etc/os-release"
        ? [`PRETTY_NAME="${image} (simulated)"`, "NAME=Simulated", "ID=simulated"]
        : [`cat: ${file ?? "nothing"}: this machine is simulated and has no such file.`],
  },
  ls: { help: "the files here, of which there are none", reply: () => [] },
  echo: { help: "what you say", reply: (_machine, words) => [words.join(" ").replace(/^(["'])(.*)\1$/, "$2")] },
  date: { help: "what time it is", reply: () => [new Date().toUTCString()] },
  clear: { help: "an empty screen", reply: () => "clear" },
  exit: { help: "the end of this session", reply: () => "exit" },
};

function gpuTable(gpus: SimulatedMachine["gpus"]): string[] {
  if (gpus.length === 0) return ["No devices were found. (This simulated machine has no GPUs.)"];
  const rule = `+${"-".repeat(77)}+`;
  const row = (text: string) => `| ${text.padEnd(75).slice(0, 75)} |`;
  return [
    rule,
    row("NVIDIA-SMI 570.00 (simulated)      Driver: 570.00      CUDA: 12.8"),
    rule,
    row("GPU  Name                            Bus-Id             Memory-Usage  Util"),
    rule,
    ...gpus.map(({ model, memoryGib, address }, index) =>
      row(
        `${`${index}`.padStart(3)}  ${model.slice(0, 31).padEnd(31)} ${address.padEnd(16)} ${`0MiB / ${memoryGib * 1024}MiB`.padStart(18)}  0%`,
      ),
    ),
    rule,
    row("No running processes found: nothing runs in a simulated machine."),
    rule,
  ];
}
