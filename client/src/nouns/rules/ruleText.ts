/** One entry of a list of rules, as it is stored. Fields that an editor does not know stay in it. */
export type RuleRow = Readonly<Record<string, unknown>>;

/** @returns null for any text that is not a JSON list of objects */
export function parseRules(text: string): RuleRow[] | null {
  try {
    const parsed: unknown = JSON.parse(text.trim() === '' ? '[]' : text);
    return Array.isArray(parsed) && parsed.every(isRow) ? parsed : null;
  } catch {
    return null;
  }
}

const isRow = (entry: unknown): entry is RuleRow =>
  typeof entry === 'object' && entry !== null && !Array.isArray(entry);

export const rulesText = (rows: readonly RuleRow[]): string => JSON.stringify(rows, null, 2);

/** The list with the entry at `index` moved by one. */
export function moved(rows: readonly RuleRow[], index: number, by: -1 | 1): RuleRow[] {
  const next = [...rows];
  const [row] = next.splice(index, 1);
  if (row) next.splice(index + by, 0, row);
  return next;
}

/** Texts of a field that should be a list of texts or numbers. */
export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => ['string', 'number'].includes(typeof each)).map(String) : [];

/** Non-empty lines. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The groups named by the setting GroupRatio, for suggestions. */
export function groupNames(ratios: string): string[] {
  try {
    const parsed: unknown = JSON.parse(ratios);
    return isRow(parsed) ? Object.keys(parsed) : [];
  } catch {
    return [];
  }
}

/** The callers of a rule or a capture. */
export interface CallerForm {
  readonly groups: string[];
  /** Ids, as typed. */
  readonly tokens: string[];
}

/** Whether each is an id of a token. */
export const areIds = (tokens: readonly string[]): boolean =>
  tokens.every((id) => /^[1-9]\d{0,9}$/.test(id) && Number(id) <= 2_147_483_647);

export const callersOf = (row: RuleRow): CallerForm => ({
  groups: textsOf(row['groups']),
  tokens: textsOf(row['tokens']),
});

/** Fields of the stored entry; absent ones mean every caller. */
export const callerFields = ({ groups, tokens }: CallerForm): RuleRow => ({
  ...(groups.length > 0 ? { groups } : {}),
  ...(tokens.length > 0 ? { tokens: tokens.map(Number) } : {}),
});

/** `regex:` entries that are no valid pattern. */
export const wrongPatterns = (words: readonly string[]): string[] =>
  words.filter((word) => {
    if (!word.startsWith('regex:')) return false;
    try {
      return new RegExp(word.slice('regex:'.length), 'giu').source === '(?:)';
    } catch {
      return true;
    }
  });

/** Rules of a field that holds text. @param check the problem, or true */
export const ofText = (check: (text: string) => string | true) => ({
  validate: (value: unknown): string | true => check(String(value)),
});
