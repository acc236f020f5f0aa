// Dispatches the command line: `lessor serve` runs the service and loads none of the others; all other commands are
// defined in cli/command-table.ts and below, and loaded on demand. Called by main.ts.

import type { CommandTable } from "./cli/command-table.ts";
import type { Print } from "./start-sequence.ts";

/** Runs until a signal. An error at start is printed as a message, with exit code 1. */
async function runService(): Promise<void> {
  // Callers that must know whether output was shown await it; for others a lost reader is no error.
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

/** Runs any other command; returns the exit code. */
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
  // A pending request would keep the process alive; Ctrl-C must not wait for it.
  if (code === exitCodes.interrupted.code) process.exit(code);
  return code;
}

/**
 * A reader that closes early, such as head, is no error, and the rest of the output is dropped. If only notices and
 * progress are unread, the command still completes.
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

/** The commands that run without the service, with its settings. */
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

/** A message and a suggestion for user errors, a stack trace for bugs. */
function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message.startsWith("BUG")) return error.stack ?? error.message;
  return "suggestion" in error && error.suggestion ? `${error.message}\n${error.suggestion}` : error.message;
}

// Last, because it needs everything above.
const [, , ...args] = process.argv;
if (args[0] === "serve" && args.length === 1) await runService();
else process.exitCode = await runCommand(args);
