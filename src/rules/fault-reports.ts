// What a customer's report of a faulty GPU leads to, as the operator sets it (lessor.yaml `gpus.fault_reports`). Used by
// the settings and by rental/gpus/fault-reports.ts.

export interface FaultReportSettings {
  /** For how many instances an account can report faults in 24 hours. */
  readonly perDay: number;
  /** The last minutes of an instance's bill that are credited with its first report; 0: none. */
  readonly creditMinutes: number;
}

export const defaultFaultReports: FaultReportSettings = { perDay: 5, creditMinutes: 0 };
