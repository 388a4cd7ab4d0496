import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { ChannelEditor } from './ChannelEditor.js';
import {
  AddChannelKeysDocument,
  ChannelChoicesDocument,
  ChannelDocument,
  ChannelTypesDocument,
  CreateChannelDocument,
  FetchUpstreamModelsDocument,
  UpdateChannelDocument,
  type ChannelDetailFragment,
} from './channels.generated.js';

const channel: ChannelDetailFragment & { __typename: 'Channel' } = {
  __typename: 'Channel',
  id: 24,
  type: { id: 1, provider: 'OPENAI', label: 'OpenAI' },
  name: 'OpenAI primary',
  status: 'ENABLED',
  statusReason: null,
  weight: 50,
  priority: 10,
  createdAt: '2025-06-02T10:11:00.000Z',
  lastTest: { at: '2025-06-02T10:11:00.000Z', milliseconds: 640, error: null },
  balance: null,
  models: ['gpt-4o', 'gpt-4o-mini'],
  groups: ['default', 'vip'],
  usedQuota: 0,
  tag: null,
  testModel: null,
  openaiOrganization: null,
  baseUrl: null,
  variant: null,
  modelMapping: [],
  statusCodeMapping: [],
  autoDisable: true,
  setting: { proxy: null, forceFormat: false, thinkingToContent: false, nonStreamOnly: false, more: null },
  parameters: null,
  headers: null,
  cost: { factor: 1, cards: {} },
  limits: null,
  timeouts: null,
  keys: [],
  modelPrefix: null,
  maxInputTokens: null,
  ownerId: null,
};

const openai = {
  __typename: 'ChannelType',
  id: 1,
  provider: 'OPENAI',
  label: 'OpenAI',
  defaultBaseUrl: 'https://api.openai.com',
  models: ['gpt-4o'],
};
const lists = [
  { request: { query: ChannelTypesDocument }, result: { data: { channelTypes: [openai] } }, maxUsageCount: 9 },
  {
    request: { query: ChannelChoicesDocument },
    result: { data: { groups: ['default', 'vip'], enabledModels: [] } },
    maxUsageCount: 9,
  },
];
const stored = {
  request: { query: ChannelDocument, variables: { id: 24 } },
  result: { data: { channel } },
  maxUsageCount: 9,
};

const onSaved = jest.fn();
const onClosed = jest.fn();
beforeEach(() => {
  jest.clearAllMocks();
  signInAs();
});

async function open(id: number | null, ...mocks: object[]) {
  const element = <ChannelEditor id={id} onSaved={onSaved} onClosed={onClosed} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [...lists, stored, ...mocks] as never });
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
    result: { data: { updateChannel: { __typename: 'ChannelPayload', channel } } },
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
  const row = { ...channel, id: 58, type: own, baseUrl: 'https://own.example', variant };
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

it('asks at once about a trailing /v1, and takes it away', async () => {
  const drawer = await open(null);
  const url = drawer.getByRole('textbox', { name: 'Base URL' });
  type(url, 'https://relay.example.com/v1/');
  const question = await screen.findByRole('alertdialog', { name: 'Remove /v1 from the base URL?' });
  fireEvent.click(within(question).getByRole('button', { name: 'Remove /v1' }));
  await waitFor(() => {
    expect(url).toHaveValue('https://relay.example.com');
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
    result: jest.fn(() => ({ data: { updateChannel: { channel: { ...channel, priority: 20, tag: 'us' } } } })),
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
  const keyed = { ...channel, keys: [{ position: 1, ending: 'aaaa', status: 'USED' as const, cooldowns: [] }] };
  const withKey = { ...stored, result: { data: { channel: keyed } } };
  const openKeyed = async (...mocks: object[]) => {
    const element = <ChannelEditor id={24} onSaved={onSaved} onClosed={onClosed} />;
    await renderScreen({ routes: [{ path: '/', element }], mocks: [...lists, withKey, ...mocks] as never });
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

it.each([
  ['SILICONFLOW', 'https://api.siliconflow.com'],
  ['VOLCENGINE', 'https://ark.ap-southeast.bytepluses.com'],
])('offers the base URLs that %s has', async (provider, url) => {
  const stored = {
    request: { query: ChannelDocument, variables: { id: 24 } },
    result: { data: { channel: { ...channel, type: { ...channel.type, provider } } } },
    maxUsageCount: 9,
  };
  await renderScreen({
    routes: [{ path: '/', element: <ChannelEditor id={24} onSaved={onSaved} onClosed={onClosed} /> }],
    mocks: [...lists, stored] as never,
  });
  const drawer = within(await screen.findByRole('dialog'));
  fireEvent.click(await drawer.findByRole('button', { name: url }));
  expect(drawer.getByRole('textbox', { name: /^Base URL/ })).toHaveValue(url);
});

it('offers no other base URL where a provider has one', async () => {
  const drawer = await open(24);
  expect(drawer.queryByRole('group', { name: /^Known URLs/ })).toBeNull();
});

it.each([
  ...(['AZURE', 'MIDJOURNEY', 'MIDJOURNEY_PLUS', 'SUNO', 'XINFERENCE'] as const).map(
    (provider) => [provider, 'The URL of your server. Omit a trailing /v1.'] as const,
  ),
  ['CUSTOM', 'Used as is, including the path. {model} is replaced with the model name.'],
  ['OPENAI', 'Leave empty to use the provider’s URL. Omit a trailing /v1.'],
  ['OLLAMA', 'Leave empty to use the provider’s URL. Omit a trailing /v1.'],
] as const)('says at the base URL of %s: %s', async (provider, hint) => {
  const stored = {
    request: { query: ChannelDocument, variables: { id: 24 } },
    result: { data: { channel: { ...channel, baseUrl: '', type: { ...channel.type, provider } } } },
    maxUsageCount: 9,
  };
  const element = <ChannelEditor id={24} onSaved={onSaved} onClosed={onClosed} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [...lists, stored] as never });
  const drawer = within(await screen.findByRole('dialog'));
  const field = await drawer.findByRole('textbox', { name: provider === 'CUSTOM' ? /^Full URL/ : /^Base URL/ });
  expect(field).toHaveAccessibleDescription(hint);
  // Required exactly where an empty field would be refused.
  expect(field.hasAttribute('required') || field.getAttribute('aria-required') === 'true').toBe(
    !hint.startsWith('Leave empty'),
  );
});

it('says that the choices of the form could not be loaded', async () => {
  signInAs();
  const failing = {
    request: { query: ChannelChoicesDocument },
    result: { errors: [{ message: 'The groups could not be read', extensions: { code: 'UPSTREAM' } }] },
    maxUsageCount: 9,
  };
  const element = <ChannelEditor id={24} onSaved={onSaved} onClosed={onClosed} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [lists[0], failing, stored] as never });
  expect(await screen.findByText('The groups could not be read')).toBeInTheDocument();
});

it('says that there is no channel at an address without an id', async () => {
  const drawer = await open(NaN);
  expect(drawer.getByText('The channel no longer exists')).toBeInTheDocument();
  expect(drawer.queryByText(/NaN/)).toBeNull();
});

describe('the models of the provider', () => {
  const asked = jest.fn();
  const fetched = (delay = 0) => ({
    request: { query: FetchUpstreamModelsDocument, variables: (given: unknown) => (asked(given), true) },
    result: { data: { fetchUpstreamModels: { __typename: 'FetchUpstreamModelsPayload', models: ['gpt-5'] } } },
    delay,
    maxUsageCount: 9,
  });
  const vllm = {
    ...channel,
    type: { id: 55, provider: 'VLLM' as const, label: 'vLLM' },
    baseUrl: 'http://10.0.0.7:8000',
  };
  const storedAt = (one: typeof channel) => ({ ...stored, result: { data: { channel: one } } });
  const visit = async (one: typeof channel, ...mocks: object[]) => {
    const element = <ChannelEditor id={24} onSaved={onSaved} onClosed={onClosed} />;
    await renderScreen({ routes: [{ path: '/', element }], mocks: [...lists, storedAt(one), ...mocks] as never });
    return within(await screen.findByRole('dialog', { name: 'Edit channel' }));
  };
  const fetchModels = (drawer: Awaited<ReturnType<typeof visit>>) =>
    fireEvent.click(drawer.getByRole('button', { name: 'Fetch from upstream' }));

  it('are those of the stored address while it is the one on the screen', async () => {
    const drawer = await visit(channel, fetched());
    fetchModels(drawer);
    await screen.findByRole('dialog', { name: 'Select models' });
    expect(asked).toHaveBeenCalledWith({ input: { id: 24 } });
  });

  it('are not those of the stored address after another was typed', async () => {
    const drawer = await visit(channel, fetched());
    const address = drawer.getByRole('textbox', { name: /^Base URL/ });
    type(address, 'https://other.example.com');
    fetchModels(drawer);
    await drawer.findByText('Enter the key to fetch the models from the changed type or address');
    expect(asked).not.toHaveBeenCalled();
    type(address, '');
    fetchModels(drawer);
    await screen.findByRole('dialog', { name: 'Select models' });
    expect(asked).toHaveBeenCalledWith({ input: { id: 24 } });
    expect(drawer.queryByText('Enter the key to fetch the models from the changed type or address')).toBeNull();
  });

  it('need no key at servers that need none', async () => {
    const drawer = await visit(vllm, fetched());
    type(drawer.getByRole('textbox', { name: /^Base URL/ }), 'http://10.0.0.8:8000');
    fetchModels(drawer);
    await screen.findByRole('dialog', { name: 'Select models' });
    expect(asked).toHaveBeenCalledWith({ input: { type: 'VLLM', baseUrl: 'http://10.0.0.8:8000', key: 'none' } });
  });

  it.each(['Cancel', 'Apply'])('leave the focus at the button that fetched them, after %s', async (verb) => {
    const drawer = await visit(channel, fetched(200));
    const button = drawer.getByRole('button', { name: 'Fetch from upstream' });
    act(() => button.focus());
    fireEvent.click(button);
    await waitFor(() => expect(button).toBeDisabled());
    // Browsers remove the focus from disabled elements in this way. The drawer then takes it.
    act(() => button.blur());
    await waitFor(() => expect(document.activeElement?.contains(button)).toBe(true));
    await waitFor(() => expect(document.body).not.toHaveFocus());
    const picker = within(await screen.findByRole('dialog', { name: 'Select models' }));
    fireEvent.click(picker.getByRole('button', { name: verb }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Select models' })).toBeNull());
    expect(button).toHaveFocus();
  });

  it('take no focus from what the user went on to', async () => {
    const drawer = await visit(channel, fetched(50));
    const button = drawer.getByRole('button', { name: 'Fetch from upstream' });
    const other = drawer.getByRole('button', { name: 'Open picker' });
    act(() => button.focus());
    fireEvent.click(button);
    await waitFor(() => expect(button).toBeDisabled());
    act(() => other.focus());
    const picker = within(await screen.findByRole('dialog', { name: 'Select models' }));
    fireEvent.click(picker.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(other).toHaveFocus());
  });

  it('are not offered after the address was changed while they came', async () => {
    const drawer = await visit(vllm, fetched(50));
    fetchModels(drawer);
    type(drawer.getByRole('textbox', { name: /^Base URL/ }), 'http://10.0.0.8:8000');
    await waitFor(() => expect(drawer.getByRole('button', { name: 'Fetch from upstream' })).toBeEnabled());
    expect(asked).toHaveBeenCalledTimes(1);
    expect(screen.queryByRole('dialog', { name: 'Select models' })).toBeNull();
  });
});

describe('an operator with a custom role', () => {
  const azure = {
    ...channel,
    type: { id: 3, provider: 'AZURE' as const, label: 'Azure' },
    baseUrl: 'https://north.example.com',
    variant: '2024-10-21',
    keys: [
      { __typename: 'ChannelKey' as const, position: 1, ending: 'aaaa', status: 'USED' as const, cooldowns: [] },
      { __typename: 'ChannelKey' as const, position: 2, ending: 'bbbb', status: 'USED' as const, cooldowns: [] },
    ],
  };
  const detail = { request: { query: ChannelDocument }, result: { data: { channel: azure } }, maxUsageCount: 9 };
  const visit = async (id: number | null, title: string) => {
    const element = <ChannelEditor id={id} onSaved={onSaved} onClosed={onClosed} />;
    const mocks = [...lists, { ...detail, request: { query: ChannelDocument, variables: { id: 24 } } }];
    await renderScreen({ routes: [{ path: '/', element }], mocks: mocks as never });
    return within(await screen.findByRole('dialog', { name: title }));
  };
  const destinations = [/^Type/, /^Base URL/, /^Default API version/, /^Channel settings/, /^Header override/] as const;
  const reason = 'Needs the permission channels.secrets: it decides where the stored keys are sent.';
  const field = (drawer: Awaited<ReturnType<typeof visit>>, name: string | RegExp) =>
    drawer.getByLabelText(name, { selector: 'input, textarea' });

  it('sees a channel and its keys with channels.read, and can change nothing', async () => {
    signInAs('CHANNELS_READ');
    const drawer = await visit(24, 'View channel');
    drawer.getByText('https://north.example.com');
    drawer.getByText('Key 2 …bbbb');
    for (const role of ['textbox', 'combobox', 'switch', 'checkbox']) expect(drawer.queryByRole(role)).toBeNull();
    expect(drawer.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual(['Close']);
  });

  it('cannot redirect stored keys with channels.write alone, and sees why', async () => {
    signInAs('CHANNELS_READ', 'CHANNELS_WRITE');
    const drawer = await visit(24, 'Edit channel');
    for (const name of destinations) expect(field(drawer, name)).toBeDisabled();
    expect(field(drawer, /^Name/)).toBeEnabled();
    expect(field(drawer, /^Key/)).toBeEnabled();
    expect(field(drawer, /^Model mapping/)).toBeEnabled();
    drawer.getByRole('button', { name: 'Test Key 2 …bbbb' });
    expect(drawer.queryByText('Budgets')).toBeNull();
    fireEvent.mouseOver(field(drawer, /^Base URL/));
    await screen.findByText(reason);
  });

  it('chooses the address of a new channel with channels.write alone', async () => {
    signInAs('CHANNELS_READ', 'CHANNELS_WRITE');
    const drawer = await visit(null, 'Add channel');
    for (const name of [/^Type/, /^Base URL/, /^Channel settings/, /^Header override/])
      expect(field(drawer, name)).toBeEnabled();
  });

  it('changes the address with channels.secrets too', async () => {
    signInAs('CHANNELS_READ', 'CHANNELS_WRITE', 'CHANNELS_SECRETS');
    const drawer = await visit(24, 'Edit channel');
    for (const name of destinations) expect(field(drawer, name)).toBeEnabled();
  });
});
