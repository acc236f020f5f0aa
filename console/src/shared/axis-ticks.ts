// The ticks of a chart's money axis: even steps of 1, 2 or 5 from nothing, or below the lowest value, to above the highest
// one, all with as many digits. Pure; used by the charts of usage, revenue and the balance.

interface Axis {
  /** In dollars; 0 is one of them, the first is at most the lowest value, the last at least the highest. */
  readonly ticks: readonly number[];
  readonly label: (value: number) => string;
}

const mostSteps = 5;

/** In dollars; `lowest` is at most 0, and `highest` at least 0. */
export function moneyAxis(highest: number, lowest = 0): Axis {
  const step = evenStep(highest > lowest ? (highest - lowest) / mostSteps : 0.2);
  const first = -Math.ceil(-lowest / step - 1e-9);
  const count = Math.max(1, Math.ceil(highest / step - 1e-9) - first);
  const digits = step >= 1 ? 0 : Math.max(2, -Math.floor(Math.log10(step) + 1e-9));
  // From text, so that three tenths are 0.3.
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number(((first + index) * step).toFixed(digits)));
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const label = (value: number) => `${value < 0 ? "−" : ""}$${Math.abs(value).toLocaleString("en", format)}`;
  return { ticks, label };
}

/** The least of 1, 2, 5, 10, … times a power of ten that is not below `least`. */
function evenStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}
