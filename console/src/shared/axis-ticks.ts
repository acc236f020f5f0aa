// The ticks of a chart's money axis: even steps of 1, 2 or 5 from nothing to above the highest bar, all with as many digits.
// Pure; used by the charts of usage and revenue.

interface Axis {
  /** In dollars, from 0; the last is at least the highest value. */
  readonly ticks: readonly number[];
  readonly label: (value: number) => string;
}

const mostSteps = 5;

/** `highest`: in dollars. */
export function moneyAxis(highest: number): Axis {
  const step = evenStep(highest > 0 ? highest / mostSteps : 0.2);
  const count = Math.max(1, Math.ceil(highest / step - 1e-9));
  const digits = step >= 1 ? 0 : Math.max(2, -Math.floor(Math.log10(step) + 1e-9));
  // From text, so that three tenths are 0.3.
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number((index * step).toFixed(digits)));
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return { ticks, label: (value) => `$${value.toLocaleString("en", format)}` };
}

/** The least of 1, 2, 5, 10, … times a power of ten that is not below `least`. */
function evenStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}
