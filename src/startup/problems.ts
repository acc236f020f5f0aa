// Rewords system errors of valid settings that do not work, with the setting's name and what to do. Used by
// start-sequence.ts.

import type { Config } from "../config.ts";

/** DATABASE_URL leads to no accessible database. The URL is not repeated: it can contain a password. */
export function unreachable(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const why =
    hints[code] ?? (/^(28|3D)/.test(code) ? "the server rejects the user, the password or the database" : undefined);
  if (why === undefined) return error;
  return new Error(`DATABASE_URL: ${why} (${code}). Check the address and that PostgreSQL is running.`, {
    cause: error,
  });
}

/** A port or address that cannot be opened. */
export function portProblem(
  error: unknown,
  config: Pick<Config, "host" | "listeners"> & Partial<Pick<Config, "metricsPort">>,
): unknown {
  const code = codeOf(error);
  if (code === "EADDRINUSE" || code === "EACCES") {
    const port = error instanceof Error && "port" in error ? Number(error.port) : undefined;
    const named = config.listeners.find((one) => one.port === port)?.name;
    const listener = named ?? (port === config.metricsPort ? "metrics" : undefined);
    const setting =
      listener === "main"
        ? "LESSOR_PORT"
        : listener === "reference"
          ? "LESSOR_REFERENCE_PORT"
          : listener === "metrics"
            ? "LESSOR_METRICS_PORT"
            : `the port of ${listener}`;
    const why = code === "EACCES" ? "requires more privileges" : "is in use by another program";
    return new Error(`${setting}: port ${port} ${why}. Choose another port; 0 uses any free port.`, { cause: error });
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new Error(
      `LESSOR_HOST: ${config.host} is not an address of this machine. Use one of its addresses, 127.0.0.1 or 0.0.0.0.`,
      {
        cause: error,
      },
    );
  }
  return error;
}

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the server is not PostgreSQL",
  ENOENT: "the socket does not exist",
  ENOTFOUND: "the host does not exist",
  EAI_AGAIN: "the host name cannot be resolved",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host is unreachable",
};

function codeOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
    if (cause instanceof AggregateError) return codeOf(cause.errors[0]);
  }
  return undefined;
}
