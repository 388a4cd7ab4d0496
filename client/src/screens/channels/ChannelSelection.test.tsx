import { act, fireEvent, screen, within } from '@testing-library/react';
import { openChannels, reading, tagged, writing } from '../../testing/channelList.js';
import { answers, rowOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { BulkActions } from './BulkActions.js';
import { ChannelListScreen } from './ChannelListScreen.js';
import {
  ChannelsDocument,
  DeleteChannelDocument,
  DeleteChannelsDocument,
  MatchingChannelsDocument,
  SetChannelTagDocument,
  DisableChannelsDocument,
  EnableChannelsDocument,
  TestChannelDocument,
  UpdateChannelsDocument,
} from './channels.generated.js';

beforeEach(() => signInAs());

describe('chosen rows', () => {
  it('are tagged together, and a tag without a name is refused', async () => {
    const tag = writing(
      SetChannelTagDocument,
      { ids: [1, 3], tag: 'eu' },
      { setChannelTag: { __typename: 'BulkPayload', done: [1, 3], failed: [] } },
    );
    await openChannels('/channel', tag);
    fireEvent.click((await rowOf('Channel 1')).getByRole('checkbox', { name: /Select row/ }));
    fireEvent.click((await rowOf('Channel 3')).getByRole('checkbox', { name: /Select row/ }));
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
    fireEvent.click((await rowOf('Channel 2')).getByRole('checkbox', { name: /Select row/ }));
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
    await openChannels('/channel', gone);
    fireEvent.click((await rowOf('Channel 2')).getByRole('checkbox', { name: /Select row/ }));
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
    await openChannels('/channel', gone);
    for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await rowOf(name)).getByRole('checkbox'));
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
    await openChannels('/channel', tag);
    fireEvent.click((await rowOf('Channel 1')).getByRole('checkbox'));
    fireEvent.click((await rowOf('Channel 3')).getByRole('button', { name: 'More actions for Channel 3' }));
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
    for (const id of [1, 2, 3]) fireEvent.click((await rowOf(`Channel ${id}`)).getByRole('checkbox', { name: /row/ }));
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
    await openChannels('/channel', writing(mutation, variables, { [field]: partly }));
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
    await openChannels('/channel', writing(UpdateChannelsDocument, { input }, { updateChannels: partly }));
    await select();
    fireEvent.click(screen.getByRole('button', { name: 'Edit' }));
    const form = within(await screen.findByRole('dialog', { name: 'Edit 3 channels' }));
    fireEvent.change(form.getByLabelText(/Weight/), { target: { value: '7' } });
    fireEvent.click(form.getByRole('button', { name: 'Save changes' }));
    await expectReason();
  });

  it('stay selected when they were not tagged, with the reason', async () => {
    await openChannels(
      '/channel',
      writing(SetChannelTagDocument, { ...variables, tag: 'eu' }, { setChannelTag: partly }),
    );
    await select();
    fireEvent.click(screen.getByRole('button', { name: 'Set tag' }));
    const form = within(await screen.findByRole('dialog', { name: 'Set tag for 3 channels' }));
    fireEvent.change(form.getByRole('textbox', { name: /Tag/ }), { target: { value: 'eu' } });
    fireEvent.click(form.getByRole('button', { name: 'Set tag' }));
    await expectReason();
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
  await openChannels('/channel', enable, update);
  for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await rowOf(name)).getByRole('checkbox'));
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
  await openChannels('/channel', disable, update);
  for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await rowOf(name)).getByRole('checkbox'));
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

it('tests the selected channels and counts those that failed', async () => {
  const results = {
    1: { __typename: 'ChannelTestPassed', milliseconds: 5 },
    2: { __typename: 'ChannelTestFailed', message: 'status code 500' },
  };
  const tests = ([1, 2] as const).map((id) => writing(TestChannelDocument, { id }, { testChannel: results[id] }));
  await openChannels('/channel', ...tests);
  for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await rowOf(name)).getByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText('2 channels tested, 1 failed. Channel 2: status code 500');
});

it('stops the tests of a selection that is cleared, and leaves it cleared', async () => {
  const passed = { testChannel: { __typename: 'ChannelTestPassed', milliseconds: 5 } };
  const mocks = [1, 2].map((id) => ({ ...writing(TestChannelDocument, { id }, passed), delay: 50 }));
  await openChannels('/channel', ...mocks);
  for (const name of ['Channel 1', 'Channel 2']) fireEvent.click((await rowOf(name)).getByRole('checkbox'));
  fireEvent.click(screen.getByRole('button', { name: 'Test' }));
  fireEvent.click(screen.getByRole('button', { name: 'Clear' }));
  await screen.findByText('2 channels tested, none failed');
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect((await rowOf('Channel 1')).getByRole('checkbox')).not.toBeChecked();
});

it('cannot be changed again or cleared while a change of them runs', async () => {
  const payload = { enableChannels: { __typename: 'BulkPayload', done: [1], failed: [] } };
  const enable = { ...writing(EnableChannelsDocument, { ids: [1] }, payload), delay: 300 };
  await openChannels('/channel', enable);
  fireEvent.click((await rowOf('Channel 1')).getByRole('checkbox'));
  fireEvent.click(await screen.findByRole('button', { name: 'Enable' }));
  for (const name of ['Enable', 'Disable', 'Test', 'Edit', 'Set tag', 'Delete', 'Clear']) {
    expect(screen.getByRole('button', { name })).toBeDisabled();
  }
  await screen.findByText('1 channel enabled');
  expect(await screen.findByRole('button', { name: 'Disable' })).toBeEnabled();
});

it('changes channels that are selected on several pages, a hundred at a time, and tells how far it is', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => index + 1);
  const parts: number[] = [];
  const mock = {
    request: { query: EnableChannelsDocument, variables: () => true },
    maxUsageCount: 3,
    delay: 50,
    result: ({ ids: part }: { ids: number[] }) => {
      parts.push(part.length);
      const failed = part.includes(101) ? [{ id: 101, code: 'UPSTREAM', message: 'The key cannot be read' }] : [];
      const done = part.filter((id) => id !== 101);
      return { data: { enableChannels: { __typename: 'BulkPayload', done, failed } } };
    },
  };
  const onDone = jest.fn();
  const element = <BulkActions ids={ids} openPanel={jest.fn()} onDone={onDone} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [mock] as never });
  fireEvent.click(screen.getByRole('button', { name: 'Enable' }));
  await screen.findByText('100 of 250');
  await screen.findByText('249 changed, 1 not. Channel 101: The key cannot be read');
  expect([parts, onDone.mock.calls]).toEqual([[100, 100, 50], [[[101]]]]);
});
