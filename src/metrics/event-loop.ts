// Measures the event loop's lag, by how late a timer fires. Used by http to reject requests before they queue without
// limit (overload.ts), and for the metrics of the loop.

import { performance } from "node:perf_hooks";
import type { Metrics } from "./metrics.ts";

export interface EventLoop {
  /** The minimum lag of the last two ticks, in milliseconds: a single late tick is only a burst. */
  lagMs(): number;
  /** Ends the timer. */
  close(): void;
}

const tickMs = 100;
/** A lag is shown for at least one scrape interval of the usual length. */
const shownMs = 15_000;

/** `now` is a parameter for the test: monotonic milliseconds. */
export function watchEventLoop(metrics: Metrics, now: () => number = () => performance.now()): EventLoop {
  let expected = now() + tickMs;
  let last = 0;
  let before = 0;
  const peaks: { at: number; lag: number }[] = [];

  const timer = setInterval(() => {
    before = last;
    last = Math.max(0, now() - expected);
    expected = now() + tickMs;
    remember(last);
  }, tickMs);
  timer.unref();

  /** Only values that may still become the maximum of the window are kept. */
  function remember(lag: number): void {
    while (peaks.length > 0 && (peaks.at(-1)?.lag ?? 0) <= lag) peaks.pop();
    peaks.push({ at: now(), lag });
    while ((peaks[0]?.at ?? now()) < now() - shownMs) peaks.shift();
  }

  metrics.onScrape(() => {
    const { active, idle } = performance.eventLoopUtilization();
    metrics.setTotal("lessor_event_loop_active_seconds_total", {}, active / 1000);
    metrics.setTotal("lessor_event_loop_idle_seconds_total", {}, idle / 1000);
    metrics.setTotal("lessor_event_loop_turns_total", {}, performance.nodeTiming.uvMetricsInfo.loopCount);
    metrics.set("lessor_event_loop_lag_seconds", {}, (peaks[0]?.lag ?? 0) / 1000);
  });

  return {
    lagMs: () => Math.min(before, Math.max(last, now() - expected)),
    close: () => clearInterval(timer),
  };
}
