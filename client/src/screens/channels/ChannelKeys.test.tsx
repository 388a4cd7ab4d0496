import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { KeysSection } from './ChannelKeys.js';
import { splitKeys, typeChoices, toNewChannel, newChannel } from './channelForm.js';
import { RoutingHints } from './RoutingHints.js';
import {
  AddChannelKeysDocument,
  RemoveChannelKeyDocument,
  RoutingOptionsDocument,
  TestChannelDocument,
  type ChannelRowFragment,
} from './channels.generated.js';
import { UnpricedNotice } from '../../nouns/prices/UnpricedNotice.js';
import { UnpricedModelsDocument } from '../../nouns/prices/unpriced.generated.js';

const key = (position: number, ending: string, status = 'USED') => ({
  __typename: 'ChannelKey',
  position,
  ending,
  status,
  cooldowns: [],
});
const channel = {
  __typename: 'Channel',
  id: 7,
  status: 'ENABLED',
  type: { __typename: 'ChannelTypeRef', id: 1, provider: 'OPENAI', label: 'OpenAI' },
  keys: [key(1, 'aaaa'), key(2, 'bbbb', 'REFUSED')],
} as unknown as ChannelRowFragment;

const writing = (query: object, variables: object, data: object) => ({
  request: { query, variables },
  result: jest.fn(() => ({ data })),
});
const show = (element: React.ReactNode, ...mocks: object[]) =>
  renderScreen({ routes: [{ path: '/', element }], mocks: mocks as never });
function Keys({ of }: { readonly of: ChannelRowFragment }) {
  const [typed, setTyped] = useState('');
  return <KeysSection channel={of} typed={typed} onTyped={setTyped} />;
}
const item = (name: string) => within(screen.getByText(name).closest('li') as HTMLElement);
beforeEach(() => signInAs());

it('lists the keys with their ends and states, and tests one of them', async () => {
  const passed = writing(
    TestChannelDocument,
    { id: 7, key: 2 },
    { testChannel: { __typename: 'ChannelTestPassed', milliseconds: 430 } },
  );
  await show(<Keys of={channel} />, passed);
  item('Key 1 …aaaa').getByText('In use');
  item('Key 2 …bbbb').getByText('Refused');
  fireEvent.click(screen.getByRole('button', { name: 'Test Key 2 …bbbb' }));
  expect(await item('Key 2 …bbbb').findByText('Responded in 430 ms')).toBeInTheDocument();
  expect(passed.result).toHaveBeenCalledTimes(1);
});

it('adds keys, each once, and removes one after a question', async () => {
  const add = writing(
    AddChannelKeysDocument,
    { id: 7, keys: ['sk-c', 'sk-d'] },
    { addChannelKeys: { channel: { ...channel, keys: [...channel.keys, key(3, 'cccc'), key(4, 'dddd')] } } },
  );
  const remove = writing(
    RemoveChannelKeyDocument,
    { id: 7, position: 1, ending: 'aaaa' },
    { removeChannelKey: { channel } },
  );
  await show(<Keys of={channel} />, add, remove);
  fireEvent.change(screen.getByRole('textbox', { name: 'Add keys' }), { target: { value: 'sk-c, sk-d, sk-c' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add keys' }));
  await screen.findByText('2 keys added');
  fireEvent.click(screen.getByRole('button', { name: 'Remove Key 1 …aaaa' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Remove Key 1 …aaaa?' }));
  expect(remove.result).not.toHaveBeenCalled();
  fireEvent.click(question.getByRole('button', { name: 'Delete' }));
  await screen.findByText('Key removed');
});

it('keeps the last key', async () => {
  await show(<Keys of={{ ...channel, keys: channel.keys.slice(0, 1) }} />);
  expect(screen.getByRole('button', { name: 'Remove Key 1 …aaaa' })).toBeDisabled();
});

it('counts keys that are typed twice once', () => {
  expect(splitKeys('OPENAI', 'a, b\na')).toEqual(['a', 'b']);
});

it('offers types by label, without those that have ended', () => {
  const types = [
    { provider: 'XAI', label: 'xAI' },
    { provider: 'GOOGLE_PALM', label: 'Google PaLM2' },
    { provider: 'ANTHROPIC', label: 'Anthropic Claude' },
  ] as const;
  expect(typeChoices(types, 'XAI').map(({ label }) => label)).toEqual(['Anthropic Claude', 'xAI']);
  expect(typeChoices(types, 'GOOGLE_PALM').map(({ label }) => label)).toContain('Google PaLM2');
});

it('creates a channel of a server that needs no key', () => {
  expect(toNewChannel({ ...newChannel, type: 'OLLAMA', keys: '' }).keys).toEqual(['none']);
  expect(toNewChannel({ ...newChannel, type: 'OPENAI', keys: '' }).keys).toEqual([]);
});

describe('what keeps the switches of a channel from having an effect', () => {
  const options = (disable: string, retries: string) =>
    answers(RoutingOptionsDocument, {
      options: {
        __typename: 'OptionPage',
        items: [
          { __typename: 'Option', key: 'AutomaticDisableChannelEnabled', value: disable },
          { __typename: 'Option', key: 'RetryTimes', value: retries },
        ],
      },
    });

  it('is named with the setting', async () => {
    await show(<RoutingHints autoDisable />, options('false', '0'));
    expect(await screen.findAllByRole('note')).toHaveLength(2);
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      '/setting?tab=operation&find=AutomaticDisableChannelEnabled',
      '/setting?tab=operation&find=RetryTimes',
    ]);
  });

  it('is nothing where both settings are on', async () => {
    const mock = options('true', '2');
    const result = jest.fn(() => mock.result);
    await show(<RoutingHints autoDisable />, { ...mock, result });
    await waitFor(() => {
      expect(result).toHaveBeenCalled();
    });
    expect(screen.queryByRole('note')).toBeNull();
  });
});

it('names models without a price, and where to set one', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  await show(<UnpricedNotice />, answers(UnpricedModelsDocument, { unpricedModels: names }));
  expect(await screen.findByRole('status')).toHaveTextContent(
    '7 models have no price, so calls to them are refused: a, b, c, d, e and 2 more. Set prices',
  );
  expect(screen.getByRole('link', { name: 'Set prices' })).toHaveAttribute(
    'href',
    '/setting?tab=operation&section=prices&view=unset',
  );
});
