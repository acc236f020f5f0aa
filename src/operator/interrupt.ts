// Ctrl-C (and SIGTERM, and a terminal or a reader of the output that goes away) for commands that have something to put
// away first: the first aborts a signal, the second Ctrl-C ends the program at once.

/** As a shell has it for a program that SIGINT ended. */
export const interruptedExitCode = 130;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export class Interrupted extends Error {
  override name = "Interrupted";
}

/** Runs `work` with a signal that Ctrl-C aborts. `onFirst` is called then, to say that it has been heard. */
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
