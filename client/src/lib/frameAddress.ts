/** The URL of a page to show in a frame, if the text is a URL. Only https pages can be framed. */
export function frameAddress(text: string): string | null {
  const trimmed = text.trim();
  return /^https:\/\/\S+$/.test(trimmed) ? trimmed : null;
}
