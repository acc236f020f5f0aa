// The command line's beginning, and nothing else: `lessor serve` runs the service and loads nothing of the others; all others
// are described in cli/command-table.ts and below, and loaded when they are asked for. Begun by main.ts.

import type { CommandTable } from "./cli/command-table.ts";
import type { Print } from "./start-sequence.ts";

/** Runs until a signal. What keeps it from starting is told in a sentence, and is exit code 1. */
async function runService(): Promise<void> {
  // Who has to know whether something could be shown awaits it; to others a reader that is gone is no error.
  process.stdout.on("error", () => {});
  const show: Print = (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
    });
  const [{ loadConfig, secretVariables }, { serve }] = await Promise.all([
    import("./config.ts"),
    import("./server.ts"),
  ]);
  try {
    const config = loadConfig({ env: process.env, cwd: process.cwd() });
    for (const name of secretVariables) delete process.env[name];
    await serve(config, show);
  } catch (error) {
    process.stderr.write(`${sentence(error)}\n`);
    process.exitCode = 1;
  }
}

/** Runs any other command; gives the exit code. */
async function runCommand(args: readonly string[]): Promise<number> {
  const [{ runCommandLine }, { clientCommands }, { exitCodes }, { shellOf }, { ownVersion }] = await Promise.all([
    import("./cli/run.ts"),
    import("./cli/command-table.ts"),
    import("./cli/exit-codes.ts"),
    import("./cli/shell.ts"),
    import("./startup/version.ts"),
  ]);
  quietPipes();
  const commands = { ...clientCommands, ...besideCommands };
  const code = await runCommandLine(args, shellOf({ env: { ...process.env }, version: ownVersion(), commands }));
  // A request without an answer would keep the program here; Ctrl-C is not to wait for it.
  if (code === exitCodes.interrupted.code) process.exit(code);
  return code;
}

/**
 * A reader that has enough, such as head, is no error, and what there is to say has no one to hear it. Who only does not read
 * notices and progress still wants what was asked for.
 */
function quietPipes(): void {
  const closed = (then: () => void) => (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    then();
  };
  process.stdout.on(
    "error",
    closed(() => process.exit(0)),
  );
  process.stderr.on(
    "error",
    closed(() => {}),
  );
}

const beside = "For operators, on the server itself:";

/** The commands that work beside the service, with its settings. */
const besideCommands: CommandTable = {
  serve: {
    group: beside,
    summary: "run the service; settings come from the environment and lessor.yaml (docs/reference/settings.md)",
    load: async () => ({ define: (command) => void command.action(runService) }),
  },
  engine: {
    group: beside,
    summary: "check engines",
    load: () => import("./operator/commands/engine.ts"),
  },
  backup: {
    group: beside,
    summary: "back up the whole database to one file, also while the service runs",
    load: () => import("./operator/commands/backup.ts"),
  },
  restore: {
    group: beside,
    summary: "restore a backup into an empty database",
    load: () => import("./operator/commands/restore.ts"),
  },
  image: {
    group: beside,
    summary: "build and import images",
    load: async () => {
      const files = await Promise.all([
        import("./cli/commands/image-build.ts"),
        import("./operator/commands/image-import.ts"),
      ]);
      return { define: (command, shell) => files.forEach((file) => void file.define(command, shell)) };
    },
  },
};

/** A sentence, and what to do, for what people can mend; a stack for what we must. */
function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message.startsWith("BUG")) return error.stack ?? error.message;
  return "suggestion" in error && error.suggestion ? `${error.message}\n${error.suggestion}` : error.message;
}

// Last, for all of the above has to be there.
const [, , ...args] = process.argv;
if (args[0] === "serve" && args.length === 1) await runService();
else process.exitCode = await runCommand(args);
