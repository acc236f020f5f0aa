// The options of a check, for every engine. Used by the check of each engine.

export interface CheckOptions {
  /** Undefined: no test instances. */
  readonly probe:
    | {
        /** The catalog's name, or an alias; undefined: the first of the settings, or else the first that exists. */
        readonly image: string | undefined;
        /** For each instance, until it is ready. */
        readonly deadlineSeconds: number;
      }
    | undefined;
  /** Where programs are searched, in the form of PATH. */
  readonly path: string;
  /** Called with the current step, in a few words. */
  readonly onProgress: (what: string) => void;
}
