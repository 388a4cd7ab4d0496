import type { TFunction } from 'i18next';
import { may } from '../../../lib/permissions.js';
import type { SessionUser } from '../../../lib/sessionUser.js';
import type { SiteStatus } from '../../../lib/site-status.js';
import { requestAddress } from '../../../nouns/objects/addresses.js';
import { mayOpenSetting } from '../../../nouns/settings/settingsAccess.js';
import { settingAddress, settingsByKey } from '../../../nouns/settings/settingsByKey.js';
import { navigationFor } from '../navigation.js';

/** A screen, an action or an object that the palette opens. */
export interface PaletteEntry {
  readonly id: string;
  readonly group: string;
  readonly label: string;
  /** Further words by which the entry is found. They are not shown. */
  readonly words?: string;
  readonly to: string;
}

/** Screens, actions and settings that the user may open. */
export function paletteEntries(user: SessionUser | null, status: SiteStatus, t: TFunction): PaletteEntry[] {
  const entry = (group: string, to: string, label: string, words = ''): PaletteEntry => ({
    id: `${group} ${to}`,
    group,
    to,
    label,
    words,
  });
  const screens = t('palette.screens');
  const pages = navigationFor(user, status).flatMap(({ entries }) =>
    entries.flatMap(({ path, label, children }) =>
      children
        ? children.map((child) => entry(screens, child.path, child.name))
        : [entry(screens, path, t(`shell.${label}`), path)],
    ),
  );
  const actions = t('palette.actions');
  const tasks = [
    entry(actions, '/token?row=new', t('tokens.create')),
    ...(may(user, 'CHANNELS_WRITE') ? [entry(actions, '/channel/add', t('channels.add'))] : []),
    ...(may(user, 'USERS_WRITE') ? [entry(actions, '/user?row=new', t('users.add'))] : []),
    ...(may(user, 'CODES') ? [entry(actions, '/redemption?row=new', t('redemptions.create'))] : []),
    ...(may(user, 'PRICES') ? [entry(actions, '/setting?tab=operation&section=prices', t('settings.openPrices'))] : []),
  ];
  const settings = [...settingsByKey.values()]
    .filter(({ setting }) => mayOpenSetting(user, setting.key))
    .map(({ section, setting }) =>
      entry(
        t('shell.settings'),
        settingAddress(setting.key),
        `${t(`settings.sections.${section}`)}: ${t(`settings.rows.${setting.name}`)}`,
        setting.key,
      ),
    );
  const ownLog = may(user, 'LOGS_READ') ? [] : [entry(screens, '/log', t('logs.ownTitle'))];
  return [...pages, ...ownLog, ...tasks, ...settings];
}

/**
 * Minimum length of the query for settings. Without it, settings would hide the other entries before anything is typed.
 */
const settingsFrom = 2;
const maxShown = 30;

/** Returns the entries that contain every word of the query, those with matching beginnings first. */
export function matchingEntries(entries: readonly PaletteEntry[], query: string, settings: string): PaletteEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = ({ label, words: more = '' }: PaletteEntry) => `${label} ${more}`.toLowerCase();
  const found = entries.filter(
    (entry) =>
      (entry.group !== settings || query.trim().length >= settingsFrom) &&
      words.every((word) => text(entry).includes(word)),
  );
  // The entries of a group stay together, because the list draws a heading for each sequence.
  return found.slice(0, maxShown);
}

/** Matches ids of requests as responses and the log have them: a time of 23 digits, then letters and digits. */
const requestIdPattern = /^\d{23}[0-9A-Za-z]{8,17}$/;

/** Returns an entry that opens a request, if the text looks like a request id. */
export function requestEntry(query: string, t: TFunction): PaletteEntry[] {
  const id = query.trim();
  if (!requestIdPattern.test(id)) return [];
  return [{ id: 'request', group: t('shell.logs'), label: t('palette.request', { id }), to: requestAddress(id) }];
}
