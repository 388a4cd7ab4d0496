import { fireEvent, screen, waitFor } from '@testing-library/react';
import { Link, Outlet } from 'react-router-dom';
import { loadable } from '../components/loadable.js';
import { isServerReachable, reloadPage } from '../lib/page.js';
import { renderScreen } from '../testing/renderScreen.js';
import { CrashScreen } from './CrashScreen.js';

jest.mock('../lib/page.js', () => ({ reloadPage: jest.fn(), isServerReachable: jest.fn() }));

const load = jest.fn<Promise<() => React.JSX.Element>, []>();
const failOnce = () => load.mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module'));
const retry = () => screen.findByRole('button', { name: 'Retry' });
let logged: jest.SpyInstance;

beforeEach(() => {
  logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  jest.mocked(reloadPage).mockClear();
  jest.mocked(isServerReachable).mockResolvedValue(true);
  load.mockReset().mockResolvedValue(() => <p>the screen</p>);
});
afterEach(() => logged.mockRestore());

const open = (path = '/screen') => {
  const { Component } = loadable(load);
  const shell = (
    <>
      <Link to="/screen">to the screen</Link>
      <Link to="/other">to another</Link>
      <Outlet />
    </>
  );
  const children = [
    { path: '/screen', element: <Component /> },
    { path: '/other', element: <p>another</p> },
  ];
  return renderScreen({
    path,
    routes: [{ element: shell, children: [{ element: <Outlet />, errorElement: <CrashScreen />, children }] }],
  });
};

it('loads a screen again when the reader leaves and comes back', async () => {
  failOnce();
  await open();
  expect(await screen.findByRole('alert')).toHaveTextContent('This page failed to load');
  fireEvent.click(screen.getByRole('link', { name: 'to another' }));
  await screen.findByText('another');
  fireEvent.click(screen.getByRole('link', { name: 'to the screen' }));
  expect(await screen.findByText('the screen')).toBeInTheDocument();
  expect(load).toHaveBeenCalledTimes(2);
});

it('loads a screen again on Retry and keeps its address', async () => {
  failOnce();
  const { location } = await open('/screen?page=2');
  fireEvent.click(await retry());
  expect(await screen.findByText('the screen')).toBeInTheDocument();
  expect(location()).toBe('/screen?page=2');
  expect(reloadPage).not.toHaveBeenCalled();
});

it('reloads the page once when the files of this build are gone', async () => {
  failOnce();
  failOnce();
  await open();
  fireEvent.click(await retry());
  await waitFor(() => expect(reloadPage).toHaveBeenCalledTimes(1));
});

it('keeps the page while the server cannot be reached', async () => {
  jest.mocked(isServerReachable).mockResolvedValue(false);
  failOnce();
  failOnce();
  await open();
  fireEvent.click(await retry());
  expect(await screen.findByText('Unable to connect to server')).toBeInTheDocument();
  expect(reloadPage).not.toHaveBeenCalled();
  fireEvent.click(await retry());
  expect(await screen.findByText('the screen')).toBeInTheDocument();
});

it('offers only to reload where a screen threw', async () => {
  load.mockResolvedValue(() => {
    throw new Error('a flaw');
  });
  await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Reload' }));
  expect(reloadPage).toHaveBeenCalledTimes(1);
});
