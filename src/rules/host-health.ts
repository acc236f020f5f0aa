// Problems of hosts that respond: the findings as one table, with their meaning, the remedy and the
// thresholds. Engines judge what they read by it (engines/*), the service keeps the findings with the host
// (rental/hosts/health.ts), and the control interface, metrics, the command line, the console and the documents take
// the words from here. A finding changes nothing about where instances are placed.

/** `critical`: it stops instances or the engine's access soon, or does already. */
export const healthSeverities = ["warning", "critical"] as const;
export type HealthSeverity = (typeof healthSeverities)[number];

interface HealthCodeTraits {
  /** What it means, for documents and tooltips: one sentence. */
  readonly meaning: string;
  /** What the operator does: one sentence. */
  readonly remedy: string;
  /** From when on it is found, by severity; for documents. */
  readonly thresholds: string;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Times in seconds; shares of one. */
export const healthThresholds = {
  freeDisk: { warning: 0.1, critical: 0.03 },
  clockSkewSeconds: { warning: 2, critical: 30 },
  /** How long one restart is shown, and how many within how long are too many. */
  restarts: { shownSeconds: HOUR, many: 3, withinSeconds: DAY },
  certificateSeconds: { warning: 14 * DAY, critical: 2 * DAY },
} as const;

export const healthCodes = {
  "storage-pool-error": {
    meaning: "The storage pool does not exist, is not active or reports an error.",
    remedy: "Start or repair the pool on the host; until then no instance can be created there.",
    thresholds: "always critical",
  },
  "disk-space-low": {
    meaning: "The storage pool is nearly full; a full one pauses instances that write.",
    remedy: "Free space in the pool or enlarge it, and cordon the host until then.",
    thresholds: "less than 10 % free: warning; less than 3 %: critical",
  },
  "clock-skew": {
    meaning: "The clock of the host differs from the clock of Lessor.",
    remedy: "Synchronize both with a time server, such as with systemd-timesyncd or chrony.",
    thresholds: "more than 2 s: warning; more than 30 s: critical",
  },
  "daemon-restarted": {
    meaning: "The daemon of the host restarted, or the host did.",
    remedy: "Read the log of the daemon and of the kernel; cordon a host that keeps restarting it.",
    thresholds: "within the last hour: warning; three times within 24 hours: critical",
  },
  "certificate-expiring": {
    meaning: "A certificate of the connection to the host expires soon; without it the host is unreachable.",
    remedy: "Renew the certificate, and update lessor.yaml if it pins it.",
    thresholds: "within 14 days: warning; within 2 days: critical",
  },
} as const satisfies Record<string, HealthCodeTraits>;
export type HealthCode = keyof typeof healthCodes;

// Object.keys returns strings; these are the keys of the table, in its order.
export const healthCodeNames = Object.keys(healthCodes) as readonly HealthCode[];

/** What was found on a host. `message`: what exactly, one sentence; equal texts mean that nothing has changed. */
export interface HostFinding {
  readonly code: HealthCode;
  readonly severity: HealthSeverity;
  readonly message: string;
}

/**
 * How an engine tells that a host's daemon restarted. `run`: what identifies the daemon's current run, such as a process
 * id: another one means a restart. `restartedAt`: when it noticed the last restart.
 */
export type DaemonSign = { readonly run: string } | { readonly restartedAt: Date };

/** The code of this name; undefined for any other text, such as a code of a later version. */
export function healthCodeNamed(word: string): HealthCode | undefined {
  return healthCodeNames.find((known) => known === word);
}

/** Whether the word is a severity. */
export function isHealthSeverity(word: string): word is HealthSeverity {
  return healthSeverities.some((known) => known === word);
}

/** The worst finding of each code, in the order of the table. */
export function worstOfEach(findings: readonly HostFinding[]): HostFinding[] {
  return healthCodeNames.flatMap((code) => {
    const same = findings.filter((finding) => finding.code === code);
    return same.find(({ severity }) => severity === "critical") ?? same[0] ?? [];
  });
}

/** The worst severity of them; undefined: none. */
export function worstSeverity(findings: readonly Pick<HostFinding, "severity">[]): HealthSeverity | undefined {
  return healthSeverities.findLast((severity) => findings.some((finding) => finding.severity === severity));
}

/** `problem`: what is wrong with which pool, such as "the pool default is not active". */
export function poolFinding(problem: string): HostFinding {
  return { code: "storage-pool-error", severity: "critical", message: sentence(problem) };
}

/** Of a pool with so many bytes; nothing for a pool without a size. */
export function diskFinding(pool: string, freeBytes: number, allBytes: number): HostFinding | undefined {
  if (!(allBytes > 0)) return undefined;
  const share = freeBytes / allBytes;
  const severity = below(share, healthThresholds.freeDisk);
  // Whole numbers, so that a few written bytes are no news.
  const message = `The pool ${pool} has ${Math.max(Math.floor(share * 100), 0)} % free of ${size(allBytes)}.`;
  return severity && { code: "disk-space-low", severity, message };
}

/** `skewSeconds`: positive if the host's clock is ahead of this one. */
export function clockFinding(skewSeconds: number): HostFinding | undefined {
  const { warning, critical } = healthThresholds.clockSkewSeconds;
  const by = Math.abs(skewSeconds);
  if (by <= warning) return undefined;
  const message = `Its clock is ${Math.round(by)} s ${skewSeconds > 0 ? "ahead of" : "behind"} the clock of Lessor.`;
  return { code: "clock-skew", severity: by > critical ? "critical" : "warning", message };
}

/** `restarts`: when the daemon restarted. */
export function restartFinding(restarts: readonly Date[], now: Date): HostFinding | undefined {
  const { shownSeconds, many, withinSeconds } = healthThresholds.restarts;
  const within = (seconds: number) => restarts.filter((at) => now.getTime() - at.getTime() < seconds * 1000);
  const [recent, ofDay] = [within(shownSeconds), within(withinSeconds)];
  const last = ofDay.toSorted((one, other) => one.getTime() - other.getTime()).at(-1);
  if (last === undefined) return undefined;
  if (ofDay.length >= many) {
    const message = `Its daemon restarted ${ofDay.length} times in 24 hours, last at ${last.toISOString()}.`;
    return { code: "daemon-restarted", severity: "critical", message };
  }
  if (recent.length === 0) return undefined;
  return { code: "daemon-restarted", severity: "warning", message: `Its daemon restarted at ${last.toISOString()}.` };
}

/** `which` in words, such as "The certificate of the server". */
export function certificateFinding(which: string, expires: Date, now: Date): HostFinding | undefined {
  const left = (expires.getTime() - now.getTime()) / 1000;
  const severity = below(left, healthThresholds.certificateSeconds);
  const message = `${which} ${left > 0 ? "expires" : "expired"} at ${expires.toISOString()}.`;
  return severity && { code: "certificate-expiring", severity, message };
}

function below(value: number, limits: Record<HealthSeverity, number>): HealthSeverity | undefined {
  if (value < limits.critical) return "critical";
  return value < limits.warning ? "warning" : undefined;
}

function size(bytes: number): string {
  return `${Math.round(bytes / 1000 ** 3)} GB`;
}

/** With a capital first letter and one period. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}
