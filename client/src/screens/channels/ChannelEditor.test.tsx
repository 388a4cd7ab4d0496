import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { channelDetail, channelLists, storedChannel } from '../../testing/channelDetail.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { ChannelEditor } from './ChannelEditor.js';
import {
  AddChannelKeysDocument,
  ChannelChoicesDocument,
  ChannelDocument,
  CreateChannelDocument,
  UpdateChannelDocument,
} from './channels.generated.js';

const onSaved = jest.fn();
const onClosed = jest.fn();
beforeEach(() => {
  jest.clearAllMocks();
  signInAs();
});

async function open(id: number | null, ...mocks: object[]) {
  const element = <ChannelEditor id={id} onSaved={onSaved} onClosed={onClosed} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [...channelLists, storedChannel, ...mocks] as never });
  return within(await screen.findByRole('dialog', { name: id === null ? 'Add channel' : 'Edit channel' }));
}

const type = (field: HTMLElement, value: string) => {
  fireEvent.change(field, { target: { value } });
  fireEvent.blur(field);
};

it('does not complain about the name while another field is filled in first', async () => {
  const drawer = await open(null);
  const name = drawer.getByRole('textbox', { name: /^Name/ });
  await waitFor(() => expect(name).toHaveFocus());
  fireEvent.blur(name);
  fireEvent.focus(drawer.getByRole('combobox', { name: /^Type/ }));
  fireEvent.blur(drawer.getByRole('combobox', { name: /^Type/ }));
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  expect(drawer.queryByRole('alert')).toBeNull();
  // A reader who enters it and leaves it empty reads why that is wrong.
  fireEvent.focus(name);
  fireEvent.blur(name);
  await drawer.findByText('Enter a name');
});

it('names everything that is missing, and goes to the first', async () => {
  const drawer = await open(null);
  fireEvent.click(drawer.getByRole('button', { name: 'Create channel' }));
  await drawer.findByText('Enter a name');
  expect(drawer.getByText('Enter a key')).toBeInTheDocument();
  expect(drawer.getByText('Select at least one model')).toBeInTheDocument();
  await waitFor(() => {
    expect(drawer.getByRole('textbox', { name: /^Name/ })).toHaveFocus();
  });
  expect(onSaved).not.toHaveBeenCalled();
});

it('has a number field with its unit for each limit and timeout, and saves those that were typed', async () => {
  const saved = jest.fn();
  const update = {
    request: { query: UpdateChannelDocument, variables: (given: unknown) => (saved(given), true) },
    result: { data: { updateChannel: { __typename: 'ChannelPayload', channel: channelDetail } } },
  };
  const drawer = await open(24, update);
  const whole = within(drawer.getByRole('group', { name: 'Whole channel' }));
  const each = within(drawer.getByRole('group', { name: 'Each key' }));
  type(each.getByRole('textbox', { name: 'Requests' }), '1.5');
  expect(await each.findByText('A whole number above 0, or empty')).toBeVisible();
  type(each.getByRole('textbox', { name: 'Requests' }), '60');
  type(whole.getByRole('textbox', { name: 'Cost per day (UTC)' }), '0');
  expect(await whole.findByText('A number above 0, or empty')).toBeVisible();
  type(whole.getByRole('textbox', { name: 'Cost per day (UTC)' }), '2.5');
  type(drawer.getByRole('textbox', { name: /^Silence/ }), '90000');
  expect(await drawer.findByText('Seconds above 0, at most 86,400, or empty')).toBeVisible();
  type(drawer.getByRole('textbox', { name: /^Silence/ }), '30');
  expect(each.getAllByText('/min')).toHaveLength(2);
  fireEvent.click(drawer.getByRole('button', { name: 'Save channel' }));
  await waitFor(() => expect(onSaved).toHaveBeenCalled());
  expect(saved).toHaveBeenCalledWith({
    input: {
      id: 24,
      limits: { channel: { dailyUsd: 2.5 }, key: { requestsPerMinute: 60 } },
      timeouts: { idleSeconds: 30 },
    },
  });
});

it('says in which line a JSON field breaks, and formats it', async () => {
  const drawer = await open(null);
  const mapping = drawer.getByRole('textbox', { name: 'Model mapping' });
  type(mapping, '{\n "a" "b"\n}');
  await drawer.findByText('Not a valid JSON string: line 2');
  type(mapping, '{"a":"b"}');
  await waitFor(() => {
    expect(drawer.queryByText(/Not a valid JSON/)).toBeNull();
  });
  fireEvent.click(drawer.getByRole('button', { name: 'Format' }));
  expect(mapping).toHaveValue('{\n  "a": "b"\n}');
});

it('shows the endpoints of a provider as JSON with a label, and checks their names and paths', async () => {
  const own = { id: 58, provider: 'CHOSEN_ENDPOINTS' as const, label: 'Custom (chosen endpoints)' };
  const variant = '{"endpoints":{"chat":"/api/chat"}}';
  const row = { ...channelDetail, id: 58, type: own, baseUrl: 'https://own.example', variant };
  const detail = {
    request: { query: ChannelDocument, variables: { id: 58 } },
    result: { data: { channel: row } },
    maxUsageCount: 9,
  };
  const changed = '{"endpoints":{"chat":"/api/chat","messages":"/m"},"auth":{"header":"x-key"}}';
  const update = {
    request: { query: UpdateChannelDocument, variables: { input: { id: 58, variant: changed } } },
    result: jest.fn(() => ({ data: { updateChannel: { channel: { ...row, variant: changed } } } })),
  };
  const drawer = await open(58, detail, update);
  const field = drawer.getByRole('textbox', { name: /^Endpoints of the provider/ });
  expect(field).toHaveValue(variant);
  for (const wrong of [
    '{"endpoints":{"chats":"/x"}}',
    '{"endpoints":{"chat":"x"}}',
    '{"chat":"/x"}',
    '{"endpoints":{},"a":1}',
  ]) {
    type(field, wrong);
    await drawer.findByText(/^Enter “endpoints” with known names/);
  }
  type(field, changed);
  await waitFor(() => {
    expect(drawer.queryByText(/^Enter “endpoints”/)).toBeNull();
  });
  fireEvent.click(drawer.getByRole('button', { name: 'Save channel' }));
  await waitFor(() => {
    expect(update.result).toHaveBeenCalledTimes(1);
  });
});
it('counts several keys', async () => {
  const drawer = await open(null);
  type(drawer.getByRole('textbox', { name: /^Key/ }), 'sk-a,\nsk-b,,sk-c');
  await drawer.findByText('3 keys, used in turn');
});

it('never shows the stored key, and sends only what was changed', async () => {
  const update = {
    request: { query: UpdateChannelDocument, variables: { input: { id: 24, priority: 20, tag: 'us' } } },
    result: jest.fn(() => ({ data: { updateChannel: { channel: { ...channelDetail, priority: 20, tag: 'us' } } } })),
  };
  const drawer = await open(24, update);
  expect(drawer.getByRole('textbox', { name: /^Key/ })).toHaveValue('');
  type(drawer.getByRole('textbox', { name: 'Priority' }), '20');
  type(drawer.getByRole('textbox', { name: 'Tag' }), 'us');
  await drawer.findByText('2 changes');
  fireEvent.keyDown(window, { key: 's', ctrlKey: true });
  await waitFor(() => {
    expect(onClosed).toHaveBeenCalled();
  });
  expect(update.result).toHaveBeenCalledTimes(1);
  expect(onSaved).toHaveBeenCalledTimes(1);
});

it('asks before it throws changes away', async () => {
  const drawer = await open(24);
  type(drawer.getByRole('textbox', { name: 'Tag' }), 'us');
  fireEvent.click(drawer.getByRole('button', { name: 'Cancel' }));
  const question = await screen.findByRole('alertdialog', { name: 'Discard changes?' });
  fireEvent.click(within(question).getByRole('button', { name: 'Keep editing' }));
  expect(onClosed).not.toHaveBeenCalled();
});

describe('keys that were typed below the stored ones', () => {
  const keyed = { ...channelDetail, keys: [{ position: 1, ending: 'aaaa', status: 'USED' as const, cooldowns: [] }] };
  const withKey = { ...storedChannel, result: { data: { channel: keyed } } };
  const openKeyed = async (...mocks: object[]) => {
    const element = <ChannelEditor id={24} onSaved={onSaved} onClosed={onClosed} />;
    await renderScreen({ routes: [{ path: '/', element }], mocks: [...channelLists, withKey, ...mocks] as never });
    const drawer = within(await screen.findByRole('dialog', { name: 'Edit channel' }));
    fireEvent.change(drawer.getByRole('textbox', { name: 'Add keys' }), { target: { value: 'sk-b' } });
    return drawer;
  };

  it('are not lost without a question', async () => {
    const drawer = await openKeyed();
    drawer.getByText('1 change');
    fireEvent.click(drawer.getByRole('button', { name: 'Cancel' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Discard changes?' }));
    expect(onClosed).not.toHaveBeenCalled();
    fireEvent.click(question.getByRole('button', { name: 'Discard' }));
    await waitFor(() => expect(onClosed).toHaveBeenCalled());
  });

  it('are added when the channel is saved', async () => {
    const add = {
      request: { query: AddChannelKeysDocument, variables: { id: 24, keys: ['sk-b'] } },
      result: jest.fn(() => ({ data: { addChannelKeys: { __typename: 'ChannelPayload', channel: keyed } } })),
    };
    const drawer = await openKeyed(add);
    fireEvent.click(drawer.getByRole('button', { name: 'Save channel' }));
    await waitFor(() => expect(onClosed).toHaveBeenCalled());
    expect([onSaved.mock.calls.length, add.result.mock.calls.length]).toEqual([1, 1]);
  });
});

it('shows the server’s objection at the field it names', async () => {
  const create = {
    request: { query: CreateChannelDocument, variables: () => true } as never,
    result: {
      errors: [{ message: 'This address is not allowed', extensions: { code: 'INVALID_INPUT', field: 'baseUrl' } }],
    },
  };
  const drawer = await open(null, create);
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Metadata');
  type(drawer.getByRole('textbox', { name: /^Key/ }), 'sk-a');
  type(drawer.getByRole('textbox', { name: 'Base URL' }), 'http://169.254.169.254');
  fireEvent.click(await drawer.findByRole('button', { name: 'Fill related' }));
  fireEvent.click(drawer.getByRole('button', { name: 'Create channel' }));
  await drawer.findByText('This address is not allowed');
  expect(onClosed).not.toHaveBeenCalled();
});
it('says that the choices of the form could not be loaded', async () => {
  signInAs();
  const failing = {
    request: { query: ChannelChoicesDocument },
    result: { errors: [{ message: 'The groups could not be read', extensions: { code: 'UPSTREAM' } }] },
    maxUsageCount: 9,
  };
  const element = <ChannelEditor id={24} onSaved={onSaved} onClosed={onClosed} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [channelLists[0], failing, storedChannel] as never });
  expect(await screen.findByText('The groups could not be read')).toBeInTheDocument();
});

it('says that there is no channel at an address without an id', async () => {
  const drawer = await open(NaN);
  expect(drawer.getByText('The channel no longer exists')).toBeInTheDocument();
  expect(drawer.queryByText(/NaN/)).toBeNull();
});
