// The one error of the configuration. Invariant: its message names a setting and says what is allowed, and never holds a
// value that was set, because values may be secrets and messages reach logs and terminals.

/** Thrown by everything in config; program.ts shows the message as it is and ends. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}
