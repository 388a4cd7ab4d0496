import { matchPath, Navigate, useLocation } from 'react-router-dom';
import { NotFound } from '../components/NotFound.js';

/**
 * Screens of the older consoles, to which bookmarks, browser extensions and mails link: one-api (`/panel/…`), new-api
 * (`/console/…`), Veloera (`/app/…`). The key is the path after that prefix, or the whole path.
 */
const moved: Readonly<Record<string, string>> = {
  '': '/console',
  dashboard: '/detail',
  detail: '/detail',
  me: '/personal',
  profile: '/personal',
  personal: '/personal',
  wallet: '/topup',
  topup: '/topup',
  token: '/token',
  'token/add': '/token',
  'token/edit/:id': '/token',
  tokens: '/token',
  log: '/log',
  logs: '/log',
  'logs/:kind': '/log',
  midjourney: '/midjourney',
  task: '/task',
  playground: '/playground',
  chat: '/chat',
  'chat/:id': '/chat/:id',
  pricing: '/pricing',
  about: '/about',
  channel: '/channel',
  'channel/add': '/channel/add',
  'channel/edit/:id': '/channel/edit/:id',
  channels: '/channel',
  redemption: '/redemption',
  'redemption/add': '/redemption',
  'redemption/edit/:id': '/redemption',
  user: '/user',
  'user/add': '/user',
  'user/edit': '/personal',
  'user/edit/:id': '/user/edit/:id',
  users: '/user',
  setting: '/setting',
  settings: '/setting',
};

const prefixes = /^\/(?:console|app|panel)(?=\/|$)/;

/** Returns the current path of a screen that an older console had at another path; null if there is none. */
export function presentPath(oldPath: string): string | null {
  const path = oldPath.replace(prefixes, '').replace(/^\/|\/$/g, '');
  for (const [pattern, present] of Object.entries(moved)) {
    const match = matchPath(`/${pattern}`, `/${path}`);
    if (match) return present.replace(':id', match.params['id'] ?? '');
  }
  return null;
}

/** Handles an address without a screen: redirects to the current path of an older console's screen, with the query. */
export function UnknownAddress() {
  const { pathname, search, hash } = useLocation();
  const path = presentPath(pathname);
  return path === null ? <NotFound /> : <Navigate to={path + search + hash} replace />;
}
