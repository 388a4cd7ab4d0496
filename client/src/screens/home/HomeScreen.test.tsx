import { screen } from '@testing-library/react';
import { dateTime } from '../../lib/format.js';
import { siteStatus } from '../../lib/status.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { HomeScreen } from './HomeScreen.js';

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});
/** Scripts the texts of the admin, by their paths; null: there is no server. */
const texts = (found: Readonly<Record<string, string>> | null) => {
  globalThis.fetch = jest.fn(async (path: string) => {
    if (!found) throw new TypeError('Failed to fetch');
    return { json: async () => ({ success: true, data: found[path] ?? '' }) };
  }) as unknown as typeof globalThis.fetch;
};
const open = () => renderScreen({ routes: [{ path: '/', element: <HomeScreen /> }] });

it.each([
  ['without texts of the admin', {}],
  ['without a server', null],
])('shows the version, the start time and the ways to sign in %s', async (_, found) => {
  const started = 1_763_600_000;
  siteStatus.set({ ...siteStatus.get(), version: '1.2.3', startTime: started, githubOauth: true });
  texts(found);
  await open();
  expect(await screen.findByText('1.2.3')).toBeInTheDocument();
  expect(screen.getByText(dateTime(started * 1000))).toBeInTheDocument();
  for (const way of ['Password', 'GitHub']) expect(screen.getByText(way)).toBeInTheDocument();
});

it('shows the page and the notice of the admin', async () => {
  texts({ '/api/home_page_content': 'Welcome to our lab', '/api/notice': 'Closed on Sunday' });
  await open();
  expect(await screen.findByText('Welcome to our lab')).toBeInTheDocument();
  expect(await screen.findByText('Closed on Sunday')).toBeInTheDocument();
});
