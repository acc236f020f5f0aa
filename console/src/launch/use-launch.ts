// Launches once for each press of the button; attempt.ts chooses the key.

import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type LaunchAnswer, LessorError } from "../../../src/client/client.ts";
import { useSession } from "../api/session-context.tsx";
import { type Attempt, isFinal, nextAttempt, randomKey } from "./attempt.ts";
import type { LaunchRequest } from "./order.ts";

export interface Launching {
  readonly isPending: boolean;
  readonly error: Error | null;
  /** The result is unknown; retrying is safe. */
  readonly isLost: boolean;
  /**
   * The instances, or the launch that waits; undefined if it was not launched or the result is unknown. Never throws. `key`: the Idempotency-Key, so
   * that the request launches only once wherever it is sent; default: one for this attempt.
   */
  readonly launch: (body: LaunchRequest, key?: string) => Promise<LaunchAnswer | undefined>;
}

export function useLaunch(): Launching {
  const { client } = useSession();
  const queries = useQueryClient();
  const attempt = useRef<Attempt | undefined>(undefined);
  const [state, setState] = useState<Omit<Launching, "launch">>({ isPending: false, error: null, isLost: false });

  const launch = async (body: LaunchRequest, key?: string) => {
    const present = nextAttempt(attempt.current, JSON.stringify(body), () => key ?? randomKey());
    attempt.current = present;
    setState({ isPending: true, error: null, isLost: false });
    try {
      const { data, error, response } = await client.POST("/instances", {
        params: { header: { "Idempotency-Key": present.key } },
        body,
      });
      attempt.current = { ...present, answered: isFinal(response.status) };
      if (data === undefined) throw new LessorError(response.status, error);
      setState({ isPending: false, error: null, isLost: false });
      const touched = ["instances", "launches", "account", "offers", "quote", "reservations", "reservation-calendar"];
      void queries.invalidateQueries({ predicate: ({ queryKey }) => touched.includes(String(queryKey[0])) });
      return data.data;
    } catch (error) {
      const isLost = !(error instanceof LessorError) || error.status >= 500;
      setState({ isPending: false, error: error instanceof Error ? error : new Error(String(error)), isLost });
      return undefined;
    }
  };
  return { ...state, launch };
}
