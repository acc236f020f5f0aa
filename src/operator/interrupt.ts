// Handles Ctrl-C (and SIGTERM, and a closed terminal or output) for commands that must clean up: the first aborts a
// signal, the second ends the program at once.

/** The shell's exit code after SIGINT. */
export const interruptedExitCode = 130;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export class Interrupted extends Error {
  override name = "Interrupted";
}

/** Runs `work` with a signal that Ctrl-C aborts. `onFirst` is called then, to report it. */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  onFirst: () => void,
  source: Pick<NodeJS.Process, "on" | "off" | "exit" | "stdout"> = process,
): Promise<T> {
  const controller = new AbortController();
  const heard = () => {
    if (controller.signal.aborted) source.exit(interruptedExitCode);
    controller.abort(new Interrupted("interrupted"));
    onFirst();
  };
  // `lessor … | head`: each further line fails like the first.
  const unread = () => controller.abort(new Interrupted("nobody reads the output"));
  for (const signal of signals) source.on(signal, heard);
  source.stdout.on("error", unread);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) source.off(signal, heard);
    source.stdout.off("error", unread);
  }
}
