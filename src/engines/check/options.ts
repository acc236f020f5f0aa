// What a check is told by the command, whatever the engine. Used by the check of each engine.

export interface CheckOptions {
  /** Undefined: no probe instances. */
  readonly probe:
    | {
        /** The catalogue's name, or an alias; undefined: the first of the settings, or else that is there. */
        readonly image: string | undefined;
        /** For each instance, until it is usable. */
        readonly deadlineSeconds: number;
      }
    | undefined;
  /** Where programs are looked for, as PATH has it. */
  readonly path: string;
  /** Told what is going on, in a few words. */
  readonly onProgress: (what: string) => void;
}
