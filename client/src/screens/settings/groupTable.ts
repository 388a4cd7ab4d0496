/** The settings that describe groups, as stored: JSON texts by setting key. */
export const groupSettings = [
  'GroupRatio',
  'UserUsableGroups',
  'TopupGroupRatio',
  'ModelRequestRateLimitGroup',
] as const;
type GroupSetting = (typeof groupSettings)[number];
export type GroupTexts = Readonly<Record<GroupSetting, string>>;

export interface GroupRow {
  readonly name: string;
  /** Times the price of every call. */
  readonly ratio: number;
  /** Shown to users, who may choose the group; null: they may not. */
  readonly description: string | null;
  /** Times the price of a top-up; null: 1. */
  readonly topUpRatio: number | null;
  /** Requests and successful requests per period; null for the limits of the site. */
  readonly limit: readonly [requests: number, successes: number] | null;
}

/** @returns null unless the text is a JSON object whose values pass the test */
function table<Value>(text: string, test: (value: unknown) => value is Value): Record<string, Value> | null {
  try {
    const parsed: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
    const entries = Object.entries(parsed);
    return entries.every((entry): entry is [string, Value] => test(entry[1])) ? Object.fromEntries(entries) : null;
  } catch {
    return null;
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const isLimit = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(isNumber);

function tablesOf(texts: GroupTexts) {
  const ratios = table(texts.GroupRatio, isNumber);
  const usable = table(texts.UserUsableGroups, isText);
  const topUps = table(texts.TopupGroupRatio, isNumber);
  const limits = table(texts.ModelRequestRateLimitGroup, isLimit);
  return ratios && usable && topUps && limits ? { ratios, usable, topUps, limits } : null;
}

/**
 * The groups of all four settings, in the order of the ratios.
 * @returns null where a text cannot be shown as a table
 */
export function groupRows(texts: GroupTexts): GroupRow[] | null {
  const tables = tablesOf(texts);
  if (!tables) return null;
  const { ratios, usable, topUps, limits } = tables;
  const names = [...new Set([ratios, usable, topUps, limits].flatMap((one) => Object.keys(one)))];
  return names.map((name) => ({
    name,
    ratio: ratios[name] ?? 1,
    description: usable[name] ?? null,
    topUpRatio: topUps[name] ?? null,
    limit: limits[name] ?? null,
  }));
}

/** Returns the texts after a change of one group. Other groups are unchanged. A row of null removes the group. */
export function withGroup(texts: GroupTexts, name: string, row: Omit<GroupRow, 'name'> | null): Partial<GroupTexts> {
  const tables = tablesOf(texts);
  if (!tables) return {};
  const set = (all: Readonly<Record<string, unknown>>, value: unknown): string => {
    const { [name]: _before, ...others } = all;
    // A changed group keeps its position.
    return JSON.stringify(value === null ? others : { ...all, [name]: value }, null, 2);
  };
  const next: GroupTexts = {
    GroupRatio: set(tables.ratios, row && row.ratio),
    UserUsableGroups: set(tables.usable, row && row.description),
    TopupGroupRatio: set(tables.topUps, row && row.topUpRatio),
    ModelRequestRateLimitGroup: set(tables.limits, row && row.limit),
  };
  const isSame = (key: GroupSetting) =>
    JSON.stringify(JSON.parse(texts[key].trim() === '' ? '{}' : texts[key])) === JSON.stringify(JSON.parse(next[key]));
  return Object.fromEntries(groupSettings.filter((key) => !isSame(key)).map((key) => [key, next[key]]));
}
