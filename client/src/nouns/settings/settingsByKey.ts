import { priceSettings, priceSyncSettings } from './priceSettings.js';
import type { Setting } from './settingKinds.js';
import { sectionsOf, tabs, type SectionId, type Tab } from './settingsCatalog.js';
import { providers } from './signInProviders.js';

const allSections = (): { readonly section: SectionId; readonly settings: readonly Setting[] }[] => [
  ...Object.values(sectionsOf)
    .flat()
    .map(({ id, settings }) => ({ section: id, settings })),
  { section: 'signIn', settings: providers.flatMap(({ enabled, settings }) => [enabled, ...settings]) },
  { section: 'prices', settings: [...priceSettings, ...priceSyncSettings] },
];

/** All settings of the screen by key, with their sections. */
export const settingsByKey: ReadonlyMap<string, { readonly section: SectionId; readonly setting: Setting }> = new Map(
  allSections().flatMap(({ section, settings }) =>
    settings.map((setting) => [setting.key, { section, setting }] as const),
  ),
);

/** The address of a setting on the screen, where it is scrolled to and marked. */
export function settingAddress(key: string): string {
  const section = settingsByKey.get(key)?.section ?? 'general';
  if (section === 'prices') return '/setting?tab=operation&section=prices&view=json';
  return `/setting?tab=${tabOfSection(section)}&find=${encodeURIComponent(key)}`;
}

export const tabOfSection = (id: SectionId): Tab =>
  id === 'prices'
    ? 'operation'
    : (tabs.find((tab) => sectionsOf[tab].some((section) => section.id === id)) ?? 'operation');
