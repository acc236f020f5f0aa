// Shared by the steps of the check: a region of the cloud, and what the credentials are.

import type { Finding } from "../../check/finding.ts";
import { ApiError } from "../client/api-error.ts";
import type { Project } from "../client/session.ts";
import type { Cloud, Region } from "../cloud.ts";

export interface Subject {
  readonly cloud: Cloud;
  readonly region: Region;
  readonly project: Project;
}

export type Step = (subject: Subject, signal: AbortSignal) => AsyncGenerator<Finding>;

/** The subject of a finding, with its region if there are several. */
export function called({ cloud, region }: Subject, what: string): string {
  return cloud.regions.length === 1 ? what : `${what} in ${region.settings.region}`;
}

/** Undefined: the cloud does not let the credentials see it. Throws other errors. */
export async function ifAllowed<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}
