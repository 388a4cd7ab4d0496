/** Whether the text is a complete local time, `YYYY-MM-DDTHH:mm`, that exists. `Date` alone accepts parts of one. */
export const isLocalTime = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text) && !Number.isNaN(new Date(text).getTime());
