export interface ChatLinkRow {
  readonly name: string;
  readonly link: string;
}

/** Parses a list of objects with one entry each: `[{ "name": "link" }]`. @returns null for any other text */
export function parseChatLinks(text: string): ChatLinkRow[] | null {
  try {
    const parsed: unknown = JSON.parse(text.trim() === '' ? '[]' : text);
    if (!Array.isArray(parsed)) return null;
    const rows = parsed.map((entry: unknown) => {
      const pairs = typeof entry === 'object' && entry !== null ? Object.entries(entry) : [];
      const [name, link] = pairs[0] ?? [];
      return pairs.length === 1 && name !== undefined && typeof link === 'string' ? { name, link } : null;
    });
    return rows.every((row) => row !== null) ? rows : null;
  } catch {
    return null;
  }
}

export const chatLinksText = (rows: readonly ChatLinkRow[]): string =>
  JSON.stringify(
    rows.map(({ name, link }) => ({ [name]: link })),
    null,
    2,
  );
