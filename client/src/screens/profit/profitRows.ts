import type { ProfitQuery, UsageDimension } from './profit.generated.js';

type Page = NonNullable<ProfitQuery['usage']>;
export type ProfitRow = Page['items'][number];
type Key = ProfitRow['key'];

/** The views of the table, as the URL names them, with the dimensions of the query. */
export const profitViews = {
  channel: ['CHANNEL'],
  model: ['MODEL'],
  user: ['USER'],
  key: ['CHANNEL', 'UPSTREAM_KEY'],
  group: ['GROUP'],
} as const satisfies Readonly<Record<string, readonly UsageDimension[]>>;
export type ProfitView = keyof typeof profitViews;

export const isProfitView = (text: string): text is ProfitView => Object.hasOwn(profitViews, text);

/** Returns an id that is unique among the rows of one view. */
export const idOf = ({ channelId, upstreamKeyName, modelName, userId, group }: Key): string =>
  JSON.stringify([channelId, upstreamKeyName, modelName, userId, group]);

/** Returns the name of a row; of deleted channels and users their id. */
export function nameOf(view: ProfitView, key: Key, unnamed: string): string {
  if (view === 'model') return key.modelName ?? '';
  if (view === 'group') return key.group ?? '';
  if (view === 'user') return key.username ?? `#${key.userId ?? 0}`;
  return key.channelId === 0 ? unnamed : (key.channelName ?? `#${key.channelId ?? 0}`);
}

/** Returns the filter of the usage log that shows the calls of a row; null where the log has none for it. */
export function logFilterOf(view: ProfitView, key: Key): Readonly<Record<string, string>> | null {
  if (view === 'model') return { modelName: key.modelName ?? '' };
  if (view === 'group') return { group: key.group ?? '' };
  if (view === 'user') return key.username ? { username: key.username } : null;
  return key.channelId ? { channelId: String(key.channelId) } : null;
}

/** The margin as a share of the known sales; null without any. */
export const shareOf = ({ cost }: ProfitRow['metrics']): number | null =>
  cost && cost.usd > 0 ? cost.marginUsd / cost.usd : null;
