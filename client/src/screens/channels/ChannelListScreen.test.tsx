import { ApolloLink, Observable } from '@apollo/client';
import { MockLink } from '@apollo/client/testing';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import {
  alone,
  channelRow,
  openChannels,
  openChannelsWith,
  reading,
  tested,
  writing,
} from '../../testing/channelList.js';
import { openFilter } from '../../testing/filters.js';
import { failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { toast } from '../../components/toast.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { UnpricedModelsDocument } from '../../nouns/prices/unpriced.generated.js';
import { ChannelListScreen } from './ChannelListScreen.js';
import {
  ChannelLossesDocument,
  ChannelChoicesDocument,
  ChannelsDocument,
  CopyChannelDocument,
  UpdateChannelBalanceDocument,
} from './channels.generated.js';

beforeEach(() => signInAs());

const failedTest = (error: string) => ({
  lastTest: { __typename: 'ChannelTest' as const, at: '2025-06-02T10:11:00.000Z', milliseconds: 1, error },
});

describe('a row', () => {
  it('shows a failed test in red, whatever its time', async () => {
    await openChannelsWith(
      channelRow(1, failedTest('status code 401: invalid key')),
      channelRow(2, failedTest('connection refused')),
    );
    const refused = (await rowOf('Channel 1')).getByText('Failed 401');
    expect(toneOf(refused)).toBe('red');
    expect(toneOf((await rowOf('Channel 2')).getByText('Failed'))).toBe('red');
    expect(screen.queryByText('1 ms')).toBeNull();
    fireEvent.mouseOver(refused);
    await screen.findByText('status code 401: invalid key');
  });

  it('has the columns that were asked for', async () => {
    await openChannelsWith(
      channelRow(1, { tag: 'us', balance: { amount: 12.5, unit: 'USD', at: '2025-06-03T10:11:00.000Z' } }),
    );
    const first = await rowOf('Channel 1');
    expect(await headers()).toEqual([
      ...['ID', 'Name', 'Groups', 'Type', 'Tag', 'Status', 'Response', 'Failure rate', 'Used'],
      ...['Balance', 'Priority', 'Weight'],
    ]);
    for (const text of ['OpenAI', 'default', 'us', '$1.00', '$12.50']) first.getByText(text);
    expect(first.getByRole('link', { name: 'Channel 1' })).toHaveAttribute('href', '/channel/1');
  });

  it('tells in word and tone how a channel stands, and why and when it was switched off by itself', async () => {
    const statusReason = { reason: 'invalid api key', at: new Date(1_748_859_060_000).toISOString() };
    await openChannelsWith(
      channelRow(1),
      channelRow(2, { status: 'DISABLED' }),
      channelRow(3, { status: 'AUTO_DISABLED', statusReason }),
    );
    for (const [name, word, tone] of [
      ['Channel 1', 'Enabled', 'green'],
      ['Channel 2', 'Disabled', 'grey'],
      ['Channel 3', 'Auto-disabled', 'red'],
    ] as const) {
      expect([word, toneOf((await rowOf(name)).getByText(word))]).toEqual([word, tone]);
    }
    fireEvent.mouseOver((await rowOf('Channel 3')).getByText('Auto-disabled'));
    expect(await screen.findByRole('tooltip')).toHaveTextContent(/Disabled automatically.*invalid api key.*2025-06-02/);
  });

  it('rates how fast a channel answers', async () => {
    const rated = [
      [0, 'Not tested', 'grey'],
      [999, '999 ms', 'green'],
      [1000, '1.00 s', 'green'],
      [1001, '1.00 s', 'lime'],
      [3000, '3.00 s', 'lime'],
      [3001, '3.00 s', 'amber'],
      [5000, '5.00 s', 'amber'],
      [5001, '5.00 s', 'red'],
    ] as const;
    await openChannelsWith(...rated.map(([time], index) => channelRow(index + 1, time === 0 ? {} : tested(time))));
    for (const [index, [, text, tone]] of rated.entries()) {
      const chip = (await rowOf(`Channel ${String(index + 1)}`)).getByText(text);
      expect([text, toneOf(chip)]).toEqual([text, tone]);
    }
  });
});

describe('the list', () => {
  afterEach(() => {
    localStorage.clear();
  });

  it('leaves out the columns that were hidden on an earlier visit', async () => {
    localStorage.setItem('channels-table-columns', JSON.stringify({ balance: false, tag: false, name: true }));
    await openChannelsWith(channelRow(1));
    await rowOf('Channel 1');
    const shown = await headers();
    expect(shown).toContain('Name');
    expect(shown.filter((name) => ['Balance', 'Tag'].includes(name))).toEqual([]);
  });

  it('says what a channel is where there is none', async () => {
    await openChannelsWith();
    await screen.findByRole('heading', { name: 'No channels yet' });
    screen.getByText(/^A channel is a provider key/);
  });

  it('says in place what failed, and tries again', async () => {
    const items = [channelRow(1)];
    await renderScreen({
      path: '/channel',
      routes: [{ path: '/channel', element: <ChannelListScreen /> }],
      mocks: [
        ...reading.slice(0, 2),
        ...failsOnce(ChannelsDocument, 'The database is away', {
          channels: { __typename: 'ChannelPage', totalCount: 1, items },
        }),
      ] as never,
    });
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is away');
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
    await rowOf('Channel 1');
  });
});

it('asks the provider for the balance of a row', async () => {
  const ask = writing(
    UpdateChannelBalanceDocument,
    { id: 3 },
    {
      updateChannelBalance: {
        channel: { id: 3, balance: { amount: 12.5, unit: 'USD', at: '2025-06-03T10:11:00.000Z' } },
      },
    },
  );
  await openChannels('/channel', ask);
  fireEvent.click((await rowOf('Channel 3')).getByRole('button', { name: 'Update balance of Channel 3' }));
  await screen.findByText('Balance of “Channel 3”: $12.50');
});

it('has the server copy a channel, so that no key passes the browser', async () => {
  const copy = writing(
    CopyChannelDocument,
    { id: 3, name: 'Channel 3 copy' },
    { copyChannel: { channel: { __typename: 'Channel', id: 9 } } },
  );
  await openChannels('/channel', copy);
  fireEvent.click((await rowOf('Channel 3')).getByRole('button', { name: 'More actions for Channel 3' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Copy' }));
  await screen.findByText('Channel “Channel 3 copy” created');
  expect(copy.result).toHaveBeenCalledTimes(1);
});

it('filters by status, type, tag, group, model and last test', async () => {
  const asked: unknown[] = [];
  const all = {
    request: {
      query: ChannelsDocument,
      variables: (variables: { filter: unknown }) => {
        asked.push(variables.filter);
        return true;
      },
    },
    result: { data: { channels: { __typename: 'ChannelPage', totalCount: 1, items: [alone] } } },
    maxUsageCount: 99,
  };
  await renderScreen({
    path: '/channel?status=AUTO_DISABLED&type=OPENAI&tag=us&test=FAILED&model=gpt-4o&group=vip',
    routes: [{ path: '/channel', element: <ChannelListScreen /> }],
    mocks: [...reading.slice(0, 2), all] as never,
  });
  await rowOf('Channel 3');
  expect(asked.at(-1)).toEqual({
    models: ['gpt-4o'],
    groups: ['vip'],
    statuses: ['AUTO_DISABLED'],
    types: ['OPENAI'],
    tags: ['us'],
    lastTests: ['FAILED'],
  });
});

it('says that the models to filter by could not be loaded, and keeps the list', async () => {
  const failing = {
    request: { query: ChannelChoicesDocument, variables: () => true },
    result: { errors: [{ message: 'The models could not be read', extensions: { code: 'UPSTREAM' } }] },
    maxUsageCount: 9,
  };
  await renderScreen({
    path: '/channel',
    routes: [{ path: '/channel', element: <ChannelListScreen /> }],
    mocks: [...reading.filter(({ request }) => request.query !== ChannelChoicesDocument), failing] as never,
  });
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'Some choices of the filters could not be loaded: The models could not be read',
  );
  (await rowOf('Channel 1')).getByText('Enabled');
  // A field to type in, not a menu of hundreds.
  expect((await openFilter('Model')).getByRole('textbox', { name: 'Model' }).tagName).toBe('INPUT');
});

it('says once that nothing could be loaded, and loads all of it again on Retry', async () => {
  const result = jest.fn(() => ({ errors: [{ message: 'out of order', extensions: { code: 'INTERNAL_ERROR' } }] }));
  const documents = [ChannelsDocument, ChannelChoicesDocument];
  const toasted = jest.spyOn(toast, 'error');
  await renderScreen({
    path: '/channel',
    routes: [{ path: '/channel', element: <ChannelListScreen /> }],
    mocks: [...documents.map((query) => ({ request: { query, variables: () => true }, result })), ...reading] as never,
  });
  await screen.findByText('The list could not be loaded');
  await waitFor(() => expect(result).toHaveBeenCalledTimes(2));
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await rowOf('Channel 1');
  expect((await openFilter('Tag')).getByRole('option', { name: 'us' })).toBeVisible();
  expect(toasted).not.toHaveBeenCalled();
  toasted.mockRestore();
});

describe('an operator with channels.read alone', () => {
  beforeEach(() => signInAs('CHANNELS_READ'));
  const refused = jest.fn(() => ({ errors: [{ message: 'refused' }] }));
  /** The server refuses unpriced models and sales below cost. */
  const readable = [
    ...reading.slice(0, 4),
    ...[UnpricedModelsDocument, ChannelLossesDocument].map((query) => ({
      request: { query, variables: () => true },
      result: refused,
      maxUsageCount: 9,
    })),
  ];
  afterEach(() => expect(refused).not.toHaveBeenCalled());
  const visit = (path: string) =>
    renderScreen({
      path,
      routes: ['/channel', '/channel/add'].map((at) => ({ path: at, element: <ChannelListScreen /> })),
      mocks: readable as never,
    });

  it.each(['/channel', '/channel/add'])('sees the list at %s, without anything that changes channels', async (path) => {
    await visit(path);
    const first = await rowOf('Channel 3');
    first.getByText('Enabled');
    for (const role of ['checkbox', 'switch', 'textbox']) expect(first.queryByRole(role)).toBeNull();
    expect(first.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
      'More actions for Channel 3',
    ]);
    for (const role of ['button', 'link']) expect(screen.queryByRole(role, { name: 'Add channel' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
    const menu = await screen.findByRole('menu');
    expect([...menu.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual([
      'Saved views',
      'Tag mode',
      'Sort by ID',
    ]);
    fireEvent.keyDown(menu, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    expect(screen.queryByRole('dialog')).toBeNull();
    fireEvent.click(first.getByRole('button'));
    expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
      'View channel',
      'Sessions',
    ]);
  });

  it('sees tags without actions', async () => {
    await visit('/channel?tags=1');
    const tag = await rowOf('2 channels');
    tag.getByText('1 of 2 on');
    expect(tag.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
      'Channels of tag us',
    ]);
    for (const role of ['switch', 'textbox']) expect(tag.queryByRole(role)).toBeNull();
  });
});

describe('models that are fetched slowly', () => {
  type Answer = ApolloLink.Result;

  /** The list; `answer` ends the fetch of a channel's models. */
  const openHeld = async () => {
    const asked = new Map<number, (result: Answer) => void>();
    const held = new ApolloLink((operation, forward) => {
      if (operation.operationName !== 'FetchUpstreamModels') return forward(operation);
      const { input } = operation.variables as { input: { id: number } };
      return new Observable<Answer>((observer) => {
        asked.set(input.id, (result) => {
          observer.next(result);
          observer.complete();
        });
      });
    });
    await renderScreen({
      path: '/channel',
      routes: [{ path: '/channel', element: <ChannelListScreen /> }],
      link: ApolloLink.from([held, new MockLink(reading as never, { showWarnings: false })]),
    });
    return async (id: number, result: Answer) => {
      await waitFor(() => expect(asked.has(id)).toBe(true));
      act(() => asked.get(id)?.(result));
    };
  };
  const choose = async (name: string, item: string) => {
    fireEvent.click((await rowOf(name)).getByRole('button', { name: `More actions for ${name}` }));
    fireEvent.click(await screen.findByRole('menuitem', { name: item }));
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  };
  const models = (...names: readonly string[]) => ({
    data: { fetchUpstreamModels: { __typename: 'FetchModelsPayload', models: names } },
  });

  it('are offered to the channel that has them', async () => {
    const answer = await openHeld();
    await choose('Channel 1', 'Fetch from upstream');
    await choose('Channel 3', 'Fetch from upstream');
    await answer(1, models('of-one'));
    await answer(3, models('of-three'));
    expect(await screen.findByRole('checkbox', { name: 'of-three' })).toBeInTheDocument();
    expect(screen.queryByRole('checkbox', { name: 'of-one' })).toBeNull();
  });

  it.each([
    ['status code: 401', 'Failed to fetch the model list: the provider refused the key (status 401)'],
    ['status code: 503', 'Failed to fetch the model list: the provider responded with status 503'],
  ])('say what a provider that answers "%s" means', async (message, shown) => {
    const answer = await openHeld();
    await choose('Channel 1', 'Fetch from upstream');
    await answer(1, { errors: [{ message, extensions: { code: 'UPSTREAM_ERROR' } }] });
    expect(await screen.findByText(shown)).toBeInTheDocument();
  });

  it('close no other dialog when they cannot be fetched', async () => {
    const answer = await openHeld();
    await choose('Channel 1', 'Fetch from upstream');
    await choose('Channel 3', 'Set tag');
    await screen.findByRole('dialog', { name: 'Set tag for 1 channel' });
    await answer(1, { errors: [{ message: 'timed out', extensions: { code: 'UPSTREAM' } }] });
    await screen.findByText(/timed out/);
    expect(screen.getByRole('dialog', { name: 'Set tag for 1 channel' })).toBeInTheDocument();
  });
});
