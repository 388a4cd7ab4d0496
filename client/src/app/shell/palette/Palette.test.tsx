import { fireEvent, screen, waitFor } from '@testing-library/react';
import { session } from '../../../lib/session.js';
import { defaultStatus } from '../../../lib/site-status.js';
import { answers } from '../../../testing/lists.js';
import { renderScreen } from '../../../testing/renderScreen.js';
import { settingsByKey } from '../../../nouns/settings/settingsByKey.js';
import { Overlays } from './Overlays.js';
import { PaletteSearchDocument } from './palette.generated.js';
import { matchingEntries, paletteEntries, requestEntry } from './paletteEntries.js';

const user = { id: 3, username: 'mira', displayName: '', status: 1, group: 'default' };
const found = answers(PaletteSearchDocument, {
  users: {
    __typename: 'UserPage',
    items: [{ __typename: 'User', id: 9, username: 'noor', displayName: 'Noor Haddad' }],
  },
  channels: { __typename: 'ChannelPage', items: [{ __typename: 'Channel', id: 4, name: 'North Europe' }] },
  tokens: {
    __typename: 'TokenPage',
    items: [{ __typename: 'Token', id: 6, name: 'notebook', user: { __typename: 'User', username: 'noor' } }],
  },
  enabledModels: ['gpt-4o', 'org/nova-2', 'nova-1'],
});
const open = (role: number) => {
  session.start({ ...user, role });
  return renderScreen({ path: '/token', routes: [{ path: '*', element: <Overlays /> }], mocks: [found] as never });
};
afterEach(() => session.end());

const press = (key: string, more: object = {}) => fireEvent.keyDown(document.body, { key, ...more });
const field = () => screen.findByRole('combobox', { name: 'Search screens, settings, users and channels' });

it('opens with Ctrl K and with ⌘ K, goes to what is chosen, and closes with Escape', async () => {
  const { location } = await open(100);
  press('k', { ctrlKey: true });
  fireEvent.change(await field(), { target: { value: 'redemption' } });
  fireEvent.click(await screen.findByRole('option', { name: 'Redemption codes' }));
  expect(location()).toBe('/redemption');
  await waitFor(() => {
    expect(screen.queryByRole('dialog')).toBeNull();
  });
  press('k', { metaKey: true });
  fireEvent.keyDown(await field(), { key: 'Escape' });
  await waitFor(() => {
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

it('finds users and channels by name, for admins', async () => {
  const { location } = await open(10);
  press('k', { ctrlKey: true });
  fireEvent.change(await field(), { target: { value: 'no' } });
  await screen.findByRole('option', { name: 'noor (Noor Haddad)' });
  screen.getByRole('option', { name: 'notebook (noor)' });
  expect(screen.getAllByRole('option', { name: /nova/ }).map(({ textContent }) => textContent)).toEqual([
    'nova-1',
    'org/nova-2',
  ]);
  fireEvent.click(screen.getByRole('option', { name: 'North Europe' }));
  expect(location()).toBe('/channel/4');
});

it('opens settings by their names and keys, and requests by their ids', async () => {
  const { location } = await open(100);
  press('k', { ctrlKey: true });
  fireEvent.change(await field(), { target: { value: 'RetryTimes' } });
  fireEvent.click(await screen.findByRole('option', { name: 'General: Retries' }));
  expect(location()).toBe('/setting?tab=operation&find=RetryTimes');
  press('k', { ctrlKey: true });
  fireEvent.change(await field(), { target: { value: '20261125215918193074623wQ6E8Q2D' } });
  fireEvent.click(await screen.findByRole('option', { name: /Find request 20261125/ }));
  expect(location()).toBe('/request/20261125215918193074623wQ6E8Q2D');
});

it('lists the shortcuts with ?, except while something is typed', async () => {
  await open(1);
  fireEvent.click(await screen.findByRole('button', { name: 'Search (Ctrl+K)' }));
  fireEvent.keyDown(await field(), { key: '?' });
  expect(screen.queryByText('Keyboard shortcuts')).toBeNull();
  fireEvent.keyDown(await field(), { key: 'Escape' });
  press('?');
  await screen.findByRole('heading', { name: 'Keyboard shortcuts' });
});

const t = ((key: string, values?: object) => `${key}${values ? JSON.stringify(values) : ''}`) as never;

it('offers users nothing of admins', () => {
  const places = paletteEntries({ ...user, role: 1 }, defaultStatus as never, t).map(({ to }) => to);
  expect(places).toContain('/token');
  expect(places).toContain('/log');
  expect(places.filter((to) => /^\/(channel|user|setting|redemption|payment|audit)/.test(to))).toEqual([]);
});

it('has every setting, and shows settings only for what is typed', () => {
  const entries = paletteEntries({ ...user, role: 100 }, defaultStatus as never, t);
  expect(entries.filter(({ group }) => group === 'shell.settings')).toHaveLength(settingsByKey.size);
  expect(matchingEntries(entries, '', 'shell.settings').some(({ group }) => group === 'shell.settings')).toBe(false);
  expect(matchingEntries(entries, 'smtpport', 'shell.settings').map(({ to }) => to)).toEqual([
    '/setting?tab=system&find=SMTPPort',
  ]);
});

it.each(['channels', 'gpt-4o-mini-2024-07-18', 'OpenAI-primary-eu', '20261125215918193074623'])(
  'takes no name for an id: %s',
  (text) => {
    expect(requestEntry(text, t)).toEqual([]);
  },
);

it.each([1, 10, 100])('keeps the entries of a heading together for role %i', (role) => {
  const groups = paletteEntries({ ...user, role }, defaultStatus as never, t).map(({ group }) => group);
  const headings = groups.filter((group, index) => group !== groups[index - 1]);
  expect(headings).toEqual([...new Set(groups)]);
});
