// The error of the configuration. Invariant: its message names a setting and says what is allowed, and never holds a
// configured value, because values may be secrets and messages reach logs and terminals.

/** Thrown by everything in config; program.ts shows the message and exits. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}
