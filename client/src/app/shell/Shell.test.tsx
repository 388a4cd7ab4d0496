import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { reader } from '../../lib/reader.js';
import { session } from '../../lib/session.js';
import { siteStatus } from '../../lib/status.js';
import { onPhone } from '../../testing/onPhone.js';
import { signInAs } from '../../testing/signInAs.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { changeLanguage } from '../../i18n/i18n.js';
import { screens } from '../screens.js';
import { Shell, SideBar } from './Shell.js';

const status = siteStatus.get();
const routes = [
  {
    element: <Shell />,
    children: [
      { path: '/about', element: <h1>about</h1> },
      { path: '/token', element: <h1>tokens</h1>, handle: {} },
      { path: '/personal', element: <h1>oneself</h1> },
      { path: '*', element: <h1>nothing</h1> },
    ],
  },
];
const visit = (path: string) => renderScreen({ path, routes });

beforeEach(() => {
  siteStatus.set({
    ...status,
    setup: true,
    registerEnabled: true,
    passwordRegisterEnabled: true,
    docsLink: 'https://docs.example.com',
  });
  session.end();
});
afterEach(() => {
  jest.restoreAllMocks();
  localStorage.removeItem('mui-mode');
});

it('offers visitors both ways in, and registration only while it is open', async () => {
  const { unmount } = await visit('/about');
  expect(screen.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/login');
  expect(screen.getByRole('link', { name: 'Register' })).toHaveAttribute('href', '/register');
  unmount();
  siteStatus.set({ ...siteStatus.get(), registerEnabled: false });
  await visit('/about');
  expect(screen.queryByRole('link', { name: 'Register' })).not.toBeInTheDocument();
});

it.each([
  ['https://docs.example.com', 'en', 'https://docs.example.com'],
  ['', 'en', '/docs'],
  ['', 'zh', '/docs/zh'],
] as const)('leads to the documentation: option %j, language %s', async (docsLink, language, href) => {
  siteStatus.set({ ...siteStatus.get(), docsLink });
  await visit('/about');
  await act(() => changeLanguage(language, false));
  expect(screen.getByRole('link', { name: language === 'zh' ? /^文档/ : /^Docs/ })).toHaveAttribute('href', href);
  await act(() => changeLanguage('en', false));
});

it.each([
  ['/token', 'Console', 'true'],
  ['/about', 'About', 'page'],
  ['/nowhere', null, null],
])('names in the top bar where one is: on %s %s', async (path, name, current) => {
  session.start({ id: 2, username: 'mira', displayName: 'Mira', role: 1, status: 1, group: 'default' });
  await visit(path);
  const links = within(await screen.findByRole('navigation', { name: 'Main' })).getAllByRole('link');
  const marked = links.filter((link) => link.hasAttribute('aria-current'));
  expect(marked.map((link) => [link.textContent, link.getAttribute('aria-current')])).toEqual(
    name === null ? [] : [[name, current]],
  );
});

it.each(screens.flatMap((entry) => entry.paths.map((path) => [path, entry] as const)))(
  'shows the side bar of %s as the specification says',
  async (path, entry) => {
    session.start({ id: 2, username: 'mira', displayName: 'Mira', role: 1, status: 1, group: 'default' });
    const address = path.replace(/:(\w+)\??/g, '1').replace('*', '');
    const screenOf = { path: address, element: <h1>here</h1>, handle: entry };
    // With its code at hand the bar is drawn with the screen, so that a missing one is no late one.
    await SideBar.preload();
    await renderScreen({ path: address, routes: [{ element: <Shell />, children: [screenOf] }] });
    await screen.findByRole('heading', { name: 'here' });
    // Sign-in screens are for visitors: they have the whole page, as the others that are named here.
    const whole = /^\/($|setup|chat|login|register|reset|user\/reset|oauth)/;
    const bar = screen.queryByRole('navigation', { name: 'Console' });
    expect(bar === null).toBe(whole.test(address));
  },
);

it('leads from the user menu to one’s own page', async () => {
  session.start({ id: 2, username: 'mira', displayName: 'Mira', role: 1, status: 1, group: 'default' });
  const { location } = await visit('/token');
  fireEvent.click(screen.getByRole('button', { name: 'Account menu for mira' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Personal settings' }));
  await screen.findByRole('heading', { name: 'oneself' });
  expect(location()).toBe('/personal');
});

it('is light, dark, or as the system is', async () => {
  await visit('/about');
  for (const [name, mode] of [
    ['Dark', 'dark'],
    ['System', 'system'],
  ] as const) {
    fireEvent.click(screen.getByRole('button', { name: 'Theme' }));
    fireEvent.click(await screen.findByRole('menuitemradio', { name }));
    await waitFor(() => {
      expect(localStorage.getItem('mui-mode')).toBe(mode);
    });
    await waitFor(() => {
      expect(screen.queryByRole('menu')).not.toBeInTheDocument();
    });
  }
  fireEvent.click(screen.getByRole('button', { name: 'Theme' }));
  expect(await screen.findByRole('menuitemradio', { name: 'System' })).toBeChecked();
});

it('puts the links of the top bar into the drawer of phones, for visitors and for users', async () => {
  onPhone();
  const { unmount } = await visit('/about');
  fireEvent.click(screen.getByRole('button', { name: 'Open navigation' }));
  const site = within(await screen.findByRole('navigation', { name: 'Main' }));
  expect(site.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Home', '/'],
    ['Console', '/detail'],
    ['Docs ↗', 'https://docs.example.com'],
    ['About', '/about'],
    ['Sign in', '/login'],
    ['Register', '/register'],
  ]);
  expect(site.getByRole('link', { name: 'About' })).toHaveAttribute('aria-current', 'page');
  unmount();

  session.start({ id: 2, username: 'mira', displayName: 'Mira', role: 10, status: 1, group: 'default' });
  await visit('/token');
  fireEvent.click(screen.getByRole('button', { name: 'Open navigation' }));
  const console = within(await screen.findByRole('navigation', { name: 'Console' }));
  expect(console.getByRole('link', { name: 'API tokens' })).toHaveAttribute('href', '/token');
  const links = within(screen.getByRole('navigation', { name: 'Main' })).getAllByRole('link');
  expect(links.map((link) => link.textContent)).toEqual(['Home', 'Console', 'Pricing', 'Docs ↗', 'About']);
});

it('draws a screen anew in another time zone, unless it shows its times in it by itself', async () => {
  signInAs();
  const [personal] = screens.filter(({ module }) => module === 'personal/Personal');
  for (const [handle, kept] of [
    [undefined, ''],
    [personal, 'typed'],
  ] as const) {
    reader.set({ currency: null, timeZone: 'UTC' });
    const children = [{ path: '/form', element: <input aria-label="Name" />, handle }];
    const { unmount } = await renderScreen({ path: '/form', routes: [{ element: <Shell />, children }] });
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'typed' } });
    act(() => reader.set({ currency: null, timeZone: 'Asia/Shanghai' }));
    expect(screen.getByLabelText('Name')).toHaveValue(kept);
    unmount();
  }
});
