// Times in inputs of the type datetime-local, which have no zone: as UTC. Pure. Used by the forms of coupons and of
// maintenance.

/** The value of the input for a time: to the second, so that an unchanged value is sent back as it was. */
export const utcInput = (moment: string): string => new Date(moment).toISOString().slice(0, 19);

/** The value of the input as a time. The service rejects any other than a time at its field. */
export function utcMoment(text: string): string {
  if (text === "") return text;
  return `${text.length === 16 ? `${text}:00` : text}Z`;
}
