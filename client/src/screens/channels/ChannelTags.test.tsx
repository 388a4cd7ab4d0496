import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openChannels, reading, tagged, writing } from '../../testing/channelList.js';
import { answers, rowOf } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { ChannelListScreen } from './ChannelListScreen.js';
import {
  ChannelsDocument,
  MatchingChannelsDocument,
  DisableChannelTagDocument,
  UpdateChannelTagDocument,
} from './channels.generated.js';

beforeEach(() => signInAs());

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
    fireEvent.click((await rowOf('Channel 2')).getByRole('checkbox', { name: /Select row/ }));
    fireEvent.click(await screen.findByRole('button', { name: 'Select all 130 that match' }));
    fireEvent.click(screen.getByRole('button', { name: 'More actions' }));
    fireEvent.click(await screen.findByRole('menuitemcheckbox', { name: 'Tag mode' }));
    await rowOf('2 channels');
    await waitFor(() => expect(ids.result).toHaveBeenCalledTimes(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(screen.queryByText('1 selected')).toBeNull();
  });

  it('shows a tag as one row, and its channels below it when opened', async () => {
    await openChannels('/channel?tags=1');
    const head = await rowOf('2 channels');
    head.getByText('1 of 2 on');
    head.getByText('1.00 s');
    head.getByText('$2.00');
    expect(head.getByRole('textbox', { name: 'Priority of us' })).toHaveValue('');
    expect(head.getByRole('textbox', { name: 'Weight of us' })).toHaveValue('10');
    expect(screen.queryByText('Channel 1')).toBeNull();
    await rowOf('Channel 3');
    fireEvent.click(head.getByRole('button', { name: 'Channels of tag us' }));
    await rowOf('Channel 1');
    await rowOf('Channel 2');
    expect(screen.queryByRole('checkbox', { name: /Select row/ })).toBeNull();
  });

  it('switches a whole tag off, after a question', async () => {
    const off = writing(DisableChannelTagDocument, { tag: 'us' }, { disableChannelTag: { count: 2 } });
    await openChannels('/channel?tags=1', off);
    fireEvent.click((await rowOf('2 channels')).getByRole('switch', { name: 'Enable all channels of tag us' }));
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
    await openChannels('/channel?tags=1', set);
    const priority = (await rowOf('2 channels')).getByRole('textbox', { name: 'Priority of us' });
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
    await openChannels('/channel?tags=1', dissolve);
    fireEvent.click((await rowOf('2 channels')).getByRole('button', { name: 'More actions for tag us' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Edit tag' }));
    const drawer = within(await screen.findByRole('dialog', { name: 'Edit tag' }));
    fireEvent.change(drawer.getByRole('textbox', { name: 'Name' }), { target: { value: '' } });
    await drawer.findByText(/removes the tag/);
    fireEvent.click(drawer.getByRole('button', { name: 'Save tag' }));
    await screen.findByText('2 channels updated');
    expect(dissolve.result).toHaveBeenCalledTimes(1);
  });
});
