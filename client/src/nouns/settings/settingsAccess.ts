import { may, type Permission } from '../../lib/permissions.js';
import type { SessionUser } from '../../lib/sessionUser.js';
import { priceKeys, priceSyncSettings } from './priceSettings.js';
import { sectionsOf, tabs, type Section, type SectionId, type Tab } from './settingsCatalog.js';
import { settingsByKey } from './settingsByKey.js';

/** Sections whose content the server refuses without this permission. `OPTIONS` does not open them. */
const sectionNeeds: Partial<Readonly<Record<SectionId, Permission>>> = {
  prices: 'PRICES',
  groupRatios: 'PRICES',
  budgets: 'BUDGETS',
};

const keysOf = (settings: readonly { readonly key: string }[], permission: Permission) =>
  settings.map(({ key }) => [key, permission] as const);

/** Settings that the server also shows to holders of this permission without `OPTIONS`. */
const alsoShownTo: ReadonlyMap<string, Permission> = new Map([
  ...priceKeys.map((key) => [key, 'PRICES'] as const),
  ...keysOf(priceSyncSettings, 'PRICES_SYNC'),
  ...sectionsOf.system
    .filter(({ id }) => id === 'payment' || id === 'statements')
    .flatMap(({ settings }) => keysOf(settings, 'PAYMENTS_SETTINGS')),
]);

const syncKeys = new Set(priceSyncSettings.map(({ key }) => key));

/** Whether the user sees this setting on the screen. */
export function mayOpenSetting(user: SessionUser | null, key: string): boolean {
  const section = settingsByKey.get(key)?.section;
  const needed = section && sectionNeeds[section];
  if (needed && !may(user, needed)) return false;
  // The schedule of price sync is on the view of price lists, which needs its own permission.
  if (syncKeys.has(key)) return may(user, 'PRICES_SYNC');
  const own = alsoShownTo.get(key);
  return may(user, 'OPTIONS', ...(own ? [own] : []));
}

/** The sections of a tab for a user, with the settings that the user sees. */
export const sectionsFor = (user: SessionUser | null, tab: Tab): readonly Section[] =>
  sectionsOf[tab]
    .map(({ id, settings }) => ({ id, settings: settings.filter(({ key }) => mayOpenSetting(user, key)) }))
    .filter(({ id, settings }) =>
      id === 'budgets' ? may(user, 'BUDGETS') && may(user, 'OPTIONS') : settings.length > 0,
    );

/** The names of all sections of a tab for a user, with those that have no settings of their own. */
export const sectionIdsFor = (user: SessionUser | null, tab: Tab): readonly SectionId[] => [
  ...sectionsFor(user, tab).map(({ id }) => id),
  ...(tab === 'operation' && may(user, 'PRICES') ? (['prices'] as const) : []),
  ...(tab === 'other' && may(user, 'OPTIONS') ? (['version'] as const) : []),
];

/** The tabs that have a section for the user. */
export const tabsFor = (user: SessionUser | null): readonly Tab[] =>
  tabs.filter((tab) => sectionIdsFor(user, tab).length > 0);
