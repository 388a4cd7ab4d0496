import { ApolloLink, Observable } from '@apollo/client';
import { MockLink } from '@apollo/client/testing';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { openFilter } from '../../testing/filters.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { ChannelListScreen } from './ChannelListScreen.js';
import { UnpricedModelsDocument } from '../../nouns/prices/unpriced.generated.js';
import {
  ChannelLossesDocument,
  ChannelChoicesDocument,
  ChannelsByTagDocument,
  ChannelsDocument,
  CopyChannelDocument,
  ChannelTestRunDocument,
  ChannelTypesDocument,
  DeleteChannelDocument,
  DeleteChannelsDocument,
  MatchingChannelsDocument,
  SetChannelTagDocument,
  DisableChannelsDocument,
  DisableChannelTagDocument,
  EnableChannelsDocument,
  TestChannelDocument,
  UpdateChannelsDocument,
  UpdateChannelBalanceDocument,
  UpdateChannelTagDocument,
  type ChannelRowFragment,
} from './channels.generated.js';

// Each click renders a whole grid.
jest.setTimeout(60_000);
beforeEach(() => signInAs());

const channel = (id: number, more: Partial<ChannelRowFragment> = {}) => ({
  __typename: 'Channel',
  id,
  type: { __typename: 'ChannelType', id: 1, provider: 'OPENAI', label: 'OpenAI' },
  name: `Channel ${String(id)}`,
  status: 'ENABLED',
  statusReason: null,
  weight: 10,
  priority: 0,
  createdAt: '2025-06-02T10:11:00.000Z',
  lastTest: null,
  balance: null,
  models: ['gpt-4o'],
  groups: ['default'],
  usedQuota: 500_000,
  tag: null,
  testModel: null,
  keys: [],
  ...more,
});
const tested = (milliseconds: number) => ({
  lastTest: { __typename: 'ChannelTest' as const, at: '2025-06-02T10:11:00.000Z', milliseconds, error: null },
});
const tagged = [
  channel(1, { tag: 'us', ...tested(600), priority: 5 }),
  channel(2, { tag: 'us', ...tested(1400), status: 'DISABLED' }),
];
const alone = channel(3);

const reading = [
  [
    ChannelTypesDocument,
    {
      channelTypes: [
        { __typename: 'ChannelType', id: 1, provider: 'OPENAI', label: 'OpenAI', defaultBaseUrl: null, models: [] },
      ],
    },
  ],
  [ChannelChoicesDocument, { groups: ['default'], enabledModels: ['gpt-4o'], channelTags: ['us'] }],
  [ChannelsDocument, { channels: { __typename: 'ChannelPage', totalCount: 3, items: [...tagged, alone] } }],
  [
    ChannelsByTagDocument,
    {
      channelsByTag: {
        __typename: 'TaggedChannelsPage',
        totalCount: 2,
        items: [
          { __typename: 'TaggedChannels', tag: 'us', channels: tagged },
          { __typename: 'TaggedChannels', tag: null, channels: [alone] },
        ],
      },
    },
  ],
  [UnpricedModelsDocument, { unpricedModels: [] }],
  [ChannelLossesDocument, { salesBelowCost: [] }],
  [ChannelTestRunDocument, { channelTestRun: null }],
].map(([query, data]) => ({ request: { query, variables: () => true }, result: { data }, maxUsageCount: 99 }));

/** A mutation that must be called with exactly these variables. */
const writing = (query: object, variables: object, data: object) => ({
  request: { query, variables },
  result: jest.fn(() => ({ data })),
});

const open = (path: string, ...mocks: object[]) =>
  renderScreen({
    path,
    routes: [{ path: '/channel', element: <ChannelListScreen /> }],
    mocks: [...reading, ...mocks] as never,
  });

/** The list alone, with these channels in it. */
const openWith = (...items: readonly object[]) =>
  renderScreen({
    path: '/channel',
    routes: [{ path: '/channel', element: <ChannelListScreen /> }],
    mocks: [
      ...reading.slice(0, 2),
      answers(ChannelsDocument, { channels: { __typename: 'ChannelPage', totalCount: items.length, items } }),
    ] as never,
  });

const row = async (name: string) => within(await screen.findByRole('row', { name: new RegExp(name) }));

const failedTest = (error: string) => ({
  lastTest: { __typename: 'ChannelTest' as const, at: '2025-06-02T10:11:00.000Z', milliseconds: 1, error },
});

describe('a row', () => {
  it('shows a failed test in red, whatever its time', async () => {
    await openWith(
      channel(1, failedTest('status code 401: invalid key')),
      channel(2, failedTest('connection refused')),
    );
    const refused = (await rowOf('Channel 1')).getByText('Failed 401');
    expect(toneOf(refused)).toBe('red');
    expect(toneOf((await rowOf('Channel 2')).getByText('Failed'))).toBe('red');
    expect(screen.queryByText('1 ms')).toBeNull();
    fireEvent.mouseOver(refused);
    await screen.findByText('status code 401: invalid key');
  });

  it('has the columns that were asked for', async () => {
    await openWith(channel(1, { tag: 'us', balance: { amount: 12.5, unit: 'USD', at: '2025-06-03T10:11:00.000Z' } }));
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
    await openWith(
      channel(1),
      channel(2, { status: 'DISABLED' }),
      channel(3, { status: 'AUTO_DISABLED', statusReason }),
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
    await openWith(...rated.map(([time], index) => channel(index + 1, time === 0 ? {} : tested(time))));
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
    await openWith(channel(1));
    await rowOf('Channel 1');
    const shown = await headers();
    expect(shown).toContain('Name');
    expect(shown.filter((name) => ['Balance', 'Tag'].includes(name))).toEqual([]);
  });

  it('says what a channel is where there is none', async () => {
    await openWith();
    await screen.findByRole('heading', { name: 'No channels yet' });
    screen.getByText(/^A channel is a provider key/);
  });

  it('says in place what failed, and tries again', async () => {
    const items = [channel(1)];
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

describe('chosen rows', () => {
  it('are tagged together, and a tag without a name is refused', async () => {
    const tag = writing(
      SetChannelTagDocument,
      { ids: [1, 3], tag: 'eu' },
      { setChannelTag: { __typename: 'BulkPayload', done: [1, 3], failed: [] } },
    );
    await open('/channel', tag);
    fireEvent.click((await row('Channel 1')).getByRole('checkbox', { name: /Select row/ }));
    fireEvent.click((await row('Channel 3')).getByRole('checkbox', { name: /Select row/ }));
    await screen.findByText('2 selected');
    expect(screen.queryByRole('search')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Set tag' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Set tag for 2 channels' }));
    fireEvent.click(dialog.getByRole('button', { name: 'Set tag' }));
    await dialog.findByText('Tag cannot be empty');
    fireEvent.change(dialog.getByRole('textbox', { name: /Tag/ }), { target: { value: ' eu ' } });
    fireEvent.click(dialog.getByRole('button', { name: 'Set tag' }));
    await screen.findByText('2 channels tagged “eu”');
    expect(tag.result).toHaveBeenCalledTimes(1);
    await screen.findByRole('search');
  });

  it('are all that match the filters, also those of other pages', async () => {
    const ids = {
      request: { query: MatchingChannelsDocument, variables: { page: 0, pageSize: 100, filter: { groups: ['vip'] } } },
      result: {
        data: {
          channels: { __typename: 'ChannelPage', items: [9, 2, 1].map((id) => ({ __typename: 'Channel', id })) },
        },
      },
    };
    const gone = writing(
      DeleteChannelsDocument,
      { ids: [9, 2, 1] },
      { deleteChannels: { __typename: 'BulkPayload', done: [9, 2, 1], failed: [] } },
    );
    const page = answers(ChannelsDocument, {
      channels: { __typename: 'ChannelPage', totalCount: 3, items: tagged },
    });
    await renderScreen({
      path: '/channel?group=vip',
      routes: [{ path: '/channel', element: <ChannelListScreen /> }],
      mocks: [...reading.slice(0, 2), page, ids, gone] as never,
    });
    fireEvent.click((await row('Channel 2')).getByRole('checkbox', { name: /Select row/ }));
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 3 that match' }));
    await screen.findByText('3 selected');
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Delete 3 channels?' }));
    fireEvent.click(question.getByRole('button', { name: 'Delete' }));
    await screen.findByText('3 channels deleted');
    expect(gone.result).toHaveBeenCalledTimes(1);
  });

  it('are deleted together, after a question', async () => {
    const gone = writing(
      DeleteChannelsDocument,
      { ids: [2] },
      { deleteChannels: { __typename: 'BulkPayload', done: [2], failed: [] } },
    );
    await open('/channel', gone);
    fireEvent.click((await row('Channel 2')).getByRole('checkbox', { name: /Select row/ }));
    fireEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Delete 1 channel?' }));
    expect(gone.result).not.toHaveBeenCalled();
    fireEvent.click(question.getByRole('button', { name: 'Delete' }));
    await screen.findByText('1 channel deleted');
  });
});

describe('selected rows', () => {
  it('are fewer when one is deleted from its menu', async () => {
    const gone = writing(DeleteChannelDocument, { id: 1 }, { deleteChannel: { __typename: 'DeletePayload', id: 1 } });
    await open('/channel', gone);
    for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await row(name)).getByRole('checkbox'));
    fireEvent.click(screen.getByRole('button', { name: 'More actions for Channel 1' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Delete channel “Channel 1”?' }));
    fireEvent.click(question.getByRole('button', { name: 'Delete' }));
    await screen.findByText('Channel “Channel 1” deleted');
    await screen.findByText('1 selected');
  });

  it('stay selected when another is tagged from its menu', async () => {
    const tag = writing(
      SetChannelTagDocument,
      { ids: [3], tag: 'eu' },
      { setChannelTag: { __typename: 'BulkPayload', done: [3], failed: [] } },
    );
    await open('/channel', tag);
    fireEvent.click((await row('Channel 1')).getByRole('checkbox'));
    fireEvent.click((await row('Channel 3')).getByRole('button', { name: 'More actions for Channel 3' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Set tag' }));
    const form = within(await screen.findByRole('dialog', { name: 'Set tag for 1 channel' }));
    fireEvent.change(form.getByRole('textbox', { name: /Tag/ }), { target: { value: 'eu' } });
    fireEvent.click(form.getByRole('button', { name: 'Set tag' }));
    await screen.findByText('1 channel tagged “eu”');
    await screen.findByText('1 selected');
  });
});

describe('selected rows that the server does not change', () => {
  const refused = { id: 3, code: 'UPSTREAM', message: 'The key cannot be read' };
  const gone = { id: 2, code: 'NOT_FOUND', message: 'Channel 2 does not exist' };
  const partly = { __typename: 'BulkPayload', done: [1], failed: [refused, gone] };
  const told = '1 changed, 2 not. Channel 3: The key cannot be read';
  const variables = { ids: [1, 2, 3] };
  const select = async () => {
    for (const id of [1, 2, 3]) fireEvent.click((await row(`Channel ${id}`)).getByRole('checkbox', { name: /row/ }));
    await screen.findByText('3 selected');
  };
  /** The reason is shown; of the three rows only the one that exists and was not changed is still selected. */
  const expectReason = async () => {
    await screen.findByText(told);
    await screen.findByText('1 selected');
    expect(await (await rowOf('Channel 3')).findByRole('checkbox', { name: /row/ })).toBeChecked();
  };

  it.each([
    ['Enable', EnableChannelsDocument, 'enableChannels', null],
    ['Disable', DisableChannelsDocument, 'disableChannels', 'Disable 3 channels?'],
    ['Delete', DeleteChannelsDocument, 'deleteChannels', 'Delete 3 channels?'],
  ] as const)('stay selected after %s, with the reason', async (verb, mutation, field, question) => {
    await open('/channel', writing(mutation, variables, { [field]: partly }));
    await select();
    fireEvent.click(screen.getByRole('button', { name: verb }));
    if (question !== null) {
      const dialog = within(await screen.findByRole('alertdialog', { name: question }));
      fireEvent.click(dialog.getByRole('button', { name: verb }));
    }
    await expectReason();
  });

  it('stay selected after an edit, with the reason', async () => {
    const input = { ...variables, weight: 7 };
    await open('/channel', writing(UpdateChannelsDocument, { input }, { updateChannels: partly }));
    await select();
    fireEvent.click(screen.getByRole('button', { name: 'Edit' }));
    const form = within(await screen.findByRole('dialog', { name: 'Edit 3 channels' }));
    fireEvent.change(form.getByLabelText(/Weight/), { target: { value: '7' } });
    fireEvent.click(form.getByRole('button', { name: 'Save changes' }));
    await expectReason();
  });

  it('stay selected when they were not tagged, with the reason', async () => {
    await open('/channel', writing(SetChannelTagDocument, { ...variables, tag: 'eu' }, { setChannelTag: partly }));
    await select();
    fireEvent.click(screen.getByRole('button', { name: 'Set tag' }));
    const form = within(await screen.findByRole('dialog', { name: 'Set tag for 3 channels' }));
    fireEvent.change(form.getByRole('textbox', { name: /Tag/ }), { target: { value: 'eu' } });
    fireEvent.click(form.getByRole('button', { name: 'Set tag' }));
    await expectReason();
  });
});

describe('tag mode', () => {
  it('selects no channels when all that match are still being read', async () => {
    const page = answers(ChannelsDocument, {
      channels: { __typename: 'ChannelPage', totalCount: 130, items: tagged },
    });
    const ids = {
      request: { query: MatchingChannelsDocument, variables: () => true },
      result: jest.fn(() => ({
        data: { channels: { __typename: 'ChannelPage', items: [{ __typename: 'Channel', id: 9 }] } },
      })),
      delay: 300,
    };
    await renderScreen({
      path: '/channel',
      routes: [{ path: '/channel', element: <ChannelListScreen /> }],
      mocks: [page, ...reading, ids] as never,
    });
    fireEvent.click((await row('Channel 2')).getByRole('checkbox', { name: /Select row/ }));
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 130 that match' }));
    fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Tag mode' }));
    await row('us 2 channels');
    await waitFor(() => expect(ids.result).toHaveBeenCalledTimes(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(screen.queryByText('1 selected')).toBeNull();
  });

  it('shows a tag as one row, and its channels below it when opened', async () => {
    await open('/channel?tags=1');
    const head = await row('us 2 channels');
    head.getByText('1 of 2 on');
    head.getByText('1.00 s');
    head.getByText('$2.00');
    expect(head.getByRole('textbox', { name: 'Priority of us' })).toHaveValue('');
    expect(head.getByRole('textbox', { name: 'Weight of us' })).toHaveValue('10');
    expect(screen.queryByText('Channel 1')).toBeNull();
    await row('Channel 3');
    fireEvent.click(head.getByRole('button', { name: 'Channels of tag us' }));
    await row('Channel 1');
    await row('Channel 2');
    expect(screen.queryByRole('checkbox', { name: /Select row/ })).toBeNull();
  });

  it('switches a whole tag off, after a question', async () => {
    const off = writing(DisableChannelTagDocument, { tag: 'us' }, { disableChannelTag: { count: 2 } });
    await open('/channel?tags=1', off);
    fireEvent.click((await row('us 2 channels')).getByRole('switch', { name: 'Enable all channels of tag us' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Disable all 2 channels tagged “us”?' }));
    fireEvent.click(question.getByRole('button', { name: 'Disable all' }));
    await waitFor(() => {
      expect(off.result).toHaveBeenCalledTimes(1);
    });
  });

  it('sets one number for the whole tag', async () => {
    const set = writing(
      UpdateChannelTagDocument,
      { input: { tag: 'us', priority: 7 } },
      { updateChannelTag: { count: 2 } },
    );
    await open('/channel?tags=1', set);
    const priority = (await row('us 2 channels')).getByRole('textbox', { name: 'Priority of us' });
    fireEvent.blur(priority);
    fireEvent.change(priority, { target: { value: '7' } });
    fireEvent.keyDown(priority, { key: 'Enter' });
    await waitFor(() => {
      expect(set.result).toHaveBeenCalledTimes(1);
    });
  });

  it('warns that a tag without a name dissolves, and sends only what was filled in', async () => {
    const dissolve = writing(
      UpdateChannelTagDocument,
      { input: { tag: 'us', newTag: null } },
      { updateChannelTag: { count: 2 } },
    );
    await open('/channel?tags=1', dissolve);
    fireEvent.click((await row('us 2 channels')).getByRole('button', { name: 'More actions for tag us' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Edit tag' }));
    const drawer = within(await screen.findByRole('dialog', { name: 'Edit tag' }));
    fireEvent.change(drawer.getByRole('textbox', { name: 'Name' }), { target: { value: '' } });
    await drawer.findByText(/removes the tag/);
    fireEvent.click(drawer.getByRole('button', { name: 'Save tag' }));
    await screen.findByText('2 channels updated');
    expect(dissolve.result).toHaveBeenCalledTimes(1);
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
  await open('/channel', ask);
  fireEvent.click((await row('Channel 3')).getByRole('button', { name: 'Update balance of Channel 3' }));
  await screen.findByText('Balance of “Channel 3”: $12.50');
});

it('has the server copy a channel, so that no key passes the browser', async () => {
  const copy = writing(
    CopyChannelDocument,
    { id: 3, name: 'Channel 3 copy' },
    { copyChannel: { channel: { __typename: 'Channel', id: 9 } } },
  );
  await open('/channel', copy);
  fireEvent.click((await row('Channel 3')).getByRole('button', { name: 'More actions for Channel 3' }));
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

it('enables the selected channels, and changes their models, groups and priority in one request', async () => {
  const enable = writing(
    EnableChannelsDocument,
    { ids: [1, 2] },
    { enableChannels: { __typename: 'BulkPayload', done: [1, 2], failed: [] } },
  );
  const update = writing(
    UpdateChannelsDocument,
    { input: { ids: [1, 2], models: ['gpt-4o'], groups: ['default'], priority: 3 } },
    { updateChannels: { __typename: 'BulkPayload', done: [1, 2], failed: [] } },
  );
  await open('/channel', enable, update);
  for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await row(name)).getByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'Enable' }));
  await screen.findByText('2 channels enabled');
  fireEvent.click(screen.getByRole('button', { name: 'Edit' }));
  const form = within(await screen.findByRole('dialog', { name: 'Edit 2 channels' }));
  for (const [label, choice] of [
    [/Models/, 'gpt-4o'],
    [/Groups/, 'default'],
  ] as const) {
    const field = form.getByRole('combobox', { name: label });
    fireEvent.change(field, { target: { value: choice } });
    fireEvent.keyDown(field, { key: 'Enter' });
  }
  fireEvent.change(form.getByLabelText(/Priority/), { target: { value: '3' } });
  fireEvent.click(form.getByRole('button', { name: 'Save changes' }));
  await screen.findByText('2 channels changed');
  expect([enable.result.mock.calls.length, update.result.mock.calls.length]).toEqual([1, 1]);
});

it('disables the selected channels after a question, and changes their weight', async () => {
  const disable = writing(
    DisableChannelsDocument,
    { ids: [1, 2] },
    { disableChannels: { __typename: 'BulkPayload', done: [1, 2], failed: [] } },
  );
  const update = writing(
    UpdateChannelsDocument,
    { input: { ids: [1, 2], weight: 7 } },
    { updateChannels: { __typename: 'BulkPayload', done: [1, 2], failed: [] } },
  );
  await open('/channel', disable, update);
  for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await row(name)).getByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'Disable' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Disable 2 channels?' }));
  fireEvent.click(question.getByRole('button', { name: 'Disable' }));
  await screen.findByText('2 channels disabled');
  // The page is hidden from readers until the question has gone.
  fireEvent.click(await screen.findByRole('button', { name: 'Edit' }));
  const form = within(await screen.findByRole('dialog', { name: 'Edit 2 channels' }));
  fireEvent.click(form.getByRole('button', { name: 'Save changes' }));
  await form.findByText('Fill in at least one field');
  fireEvent.change(form.getByLabelText(/Weight/), { target: { value: '7' } });
  fireEvent.click(form.getByRole('button', { name: 'Save changes' }));
  await screen.findByText('2 channels changed');
  expect(update.result).toHaveBeenCalledTimes(1);
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
  (await row('Channel 1')).getByText('Enabled');
  // A field to type in, not a menu of hundreds.
  expect((await openFilter('Model')).getByRole('textbox', { name: 'Model' }).tagName).toBe('INPUT');
});

it('tests the selected channels and counts those that failed', async () => {
  const results = {
    1: { __typename: 'ChannelTestPassed', milliseconds: 5 },
    2: { __typename: 'ChannelTestFailed', message: 'status code 500' },
  };
  const tests = ([1, 2] as const).map((id) => writing(TestChannelDocument, { id }, { testChannel: results[id] }));
  await open('/channel', ...tests);
  for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await row(name)).getByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText('2 channels tested, 1 failed. Channel 2: status code 500');
});

it('stops the tests of a selection that is cleared, and leaves it cleared', async () => {
  const passed = { testChannel: { __typename: 'ChannelTestPassed', milliseconds: 5 } };
  const mocks = [1, 2].map((id) => ({ ...writing(TestChannelDocument, { id }, passed), delay: 50 }));
  await open('/channel', ...mocks);
  for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await row(name)).getByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'Test' }));
  fireEvent.click(screen.getByRole('button', { name: 'Clear' }));
  await screen.findByText('2 channels tested, none failed');
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect((await row('Channel 1')).getByRole('checkbox')).not.toBeChecked();
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
    const first = await row('Channel 3');
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
    const tag = await row('us 2 channels');
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
    fireEvent.click((await row(name)).getByRole('button', { name: `More actions for ${name}` }));
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
