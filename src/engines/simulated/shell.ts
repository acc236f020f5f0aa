// The responses of the simulated shell: a few common commands, based on the machine's row; for the rest, a note that it
// is simulated. Nothing runs. Pure. Used by terminal.ts.

export interface SimulatedMachine {
  readonly hostname: string;
  readonly image: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly gpus: readonly { readonly model: string; readonly memoryGib: number; readonly address: string }[];
}

/** Lines for the screen, or what the shell does. */
export type Reply = readonly string[] | "clear" | "exit";

export const notice = "This is a simulated machine: nothing you type is executed. Try `help`.";

const kernel = "6.8.0-simulated";

export function replyTo(line: string, machine: SimulatedMachine): Reply {
  const [command = "", ...words] = line.trim().split(/\s+/);
  if (command === "") return [];
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (known !== undefined) return known.reply(machine, words);
  const name = command.length > 64 ? `${command.slice(0, 64)}…` : command;
  return [`${name}: not available in a simulated machine. Try \`help\`.`];
}

interface Command {
  readonly help: string;
  readonly reply: (machine: SimulatedMachine, words: readonly string[]) => Reply;
}

const commands: Readonly<Record<string, Command>> = {
  help: {
    help: "list commands",
    reply: () => [
      "A simulated shell. Commands:",
      ...Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(12)} ${help}`),
    ],
  },
  "nvidia-smi": { help: "list GPUs", reply: ({ gpus }) => gpuTable(gpus) },
  uname: {
    help: "show the system; -a for details",
    reply: ({ hostname }, words) => [
      words.includes("-a") ? `Linux ${hostname} ${kernel} #1 SMP simulated x86_64 GNU/Linux` : "Linux",
    ],
  },
  hostname: { help: "show the host name", reply: ({ hostname }) => [hostname] },
  whoami: { help: "show the current user", reply: () => ["root"] },
  pwd: { help: "show the current directory", reply: () => ["/root"] },
  nproc: { help: "count processors", reply: ({ vcpus }) => [`${vcpus}`] },
  free: {
    help: "show memory",
    reply: ({ memoryGib }) => [
      "               total        used        free",
      `Mem:  ${[`${memoryGib}Gi`, "1Gi", `${Math.max(memoryGib - 1, 0)}Gi`].map((size) => size.padStart(12)).join("")}`,
    ],
  },
  df: {
    help: "show storage",
    reply: ({ storageGb }) => [
      "Filesystem      Size  Used Avail Mounted on",
      `/dev/vda1  ${[`${storageGb}G`, "4G", `${Math.max(storageGb - 4, 0)}G`].map((size) => size.padStart(6)).join("")} /`,
    ],
  },
  cat: {
    help: "show a file; /etc/os-release names the image",
    reply: ({ image }, [file]) =>
      file === "/etc/os-release"
        ? [`PRETTY_NAME="${image} (simulated)"`, "NAME=Simulated", "ID=simulated"]
        : [`cat: ${file ?? "nothing"}: no such file in a simulated machine.`],
  },
  ls: { help: "list files (there are none)", reply: () => [] },
  echo: { help: "print the arguments", reply: (_machine, words) => [words.join(" ").replace(/^(["'])(.*)\1$/, "$2")] },
  date: { help: "show the date and time", reply: () => [new Date().toUTCString()] },
  clear: { help: "clear the screen", reply: () => "clear" },
  exit: { help: "end this session", reply: () => "exit" },
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
