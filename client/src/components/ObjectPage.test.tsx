import { fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../testing/renderScreen.js';
import { ObjectMissing, ObjectPage } from './ObjectPage.js';

const list = { label: 'Channels', to: '/channel' };
const tabs = [
  { id: 'calls', label: 'Calls', content: 'the calls' },
  { id: 'errors', label: 'Errors', content: 'the errors' },
  { id: 'settings', label: 'Settings', content: 'the form', hidesSummary: true as const },
];
const page = (opened?: string) => (
  <ObjectPage
    list={list}
    title="Azure"
    summary="four figures"
    address="/channel/25"
    tabs={tabs}
    {...(opened ? { opened } : {})}
  />
);
const open = (path: string) =>
  renderScreen({
    path,
    routes: [
      { path: '/channel/:id', element: page() },
      { path: '/channel/:id/:tab', element: page() },
      { path: '/channel/edit/:id', element: page('settings') },
    ],
  });
const shown = () => screen.getByRole('tab', { selected: true }).textContent;

it('shows the tab of the address, and writes the chosen one into it', async () => {
  const { location } = await open('/channel/25');
  expect([shown(), screen.getByRole('tabpanel').textContent]).toEqual(['Calls', 'the calls']);
  fireEvent.click(screen.getByRole('tab', { name: 'Errors' }));
  expect([location(), shown(), screen.getByRole('tabpanel').textContent]).toEqual([
    '/channel/25/errors',
    'Errors',
    'the errors',
  ]);
  screen.getByText('four figures');
  fireEvent.click(screen.getByRole('tab', { name: 'Calls' }));
  expect(location()).toBe('/channel/25');
});

it('keeps the days that are shown, and no page of a list', async () => {
  const { location } = await open('/channel/25?days=30&page=2');
  fireEvent.click(screen.getByRole('tab', { name: 'Errors' }));
  expect(location()).toBe('/channel/25/errors?days=30');
});

it('opens the settings at the address of older consoles, without the figures above them', async () => {
  await open('/channel/edit/25');
  expect(shown()).toBe('Settings');
  expect(screen.queryByText('four figures')).toBeNull();
});

it('shows the first tab for one that there is not', async () => {
  await open('/channel/25/nothing');
  expect(shown()).toBe('Calls');
});

it.each([
  ['an error, with a way to try again', { error: new Error('x'), isLoading: false }, 'Retry'],
  ['that there is no such object', { error: undefined, isLoading: false }, 'It is gone'],
])('shows %s', async (_, state, text) => {
  const onRetry = jest.fn();
  const element = <ObjectMissing list={list} title="Channel 9" gone="It is gone" onRetry={onRetry} {...state} />;
  await renderScreen({ routes: [{ path: '/', element }] });
  screen.getByRole('link', { name: 'Channels' });
  fireEvent.click(screen.getByText(text));
  expect(onRetry).toHaveBeenCalledTimes(text === 'Retry' ? 1 : 0);
});
