import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { channelDetail, channelLists, storedChannel } from '../../testing/channelDetail.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { ChannelEditor } from './ChannelEditor.js';
import { ChannelDocument, FetchUpstreamModelsDocument } from './channels.generated.js';

const onSaved = jest.fn();
const onClosed = jest.fn();
beforeEach(() => {
  jest.clearAllMocks();
  signInAs();
});

const type = (field: HTMLElement, value: string) => {
  fireEvent.change(field, { target: { value } });
  fireEvent.blur(field);
};

describe('the models of the provider', () => {
  const asked = jest.fn();
  const fetched = (delay = 0) => ({
    request: { query: FetchUpstreamModelsDocument, variables: (given: unknown) => (asked(given), true) },
    result: { data: { fetchUpstreamModels: { __typename: 'FetchUpstreamModelsPayload', models: ['gpt-5'] } } },
    delay,
    maxUsageCount: 9,
  });
  const vllm = {
    ...channelDetail,
    type: { id: 55, provider: 'VLLM' as const, label: 'vLLM' },
    baseUrl: 'http://10.0.0.7:8000',
  };
  const storedAt = (one: typeof channelDetail) => ({ ...storedChannel, result: { data: { channel: one } } });
  const visit = async (one: typeof channelDetail, ...mocks: object[]) => {
    const element = <ChannelEditor id={24} onSaved={onSaved} onClosed={onClosed} />;
    await renderScreen({
      routes: [{ path: '/', element }],
      mocks: [...channelLists, storedAt(one), ...mocks] as never,
    });
    return within(await screen.findByRole('dialog', { name: 'Edit channel' }));
  };
  const fetchModels = (drawer: Awaited<ReturnType<typeof visit>>) =>
    fireEvent.click(drawer.getByRole('button', { name: 'Fetch from upstream' }));

  it('are those of the stored address while it is the one on the screen', async () => {
    const drawer = await visit(channelDetail, fetched());
    fetchModels(drawer);
    await screen.findByRole('dialog', { name: 'Select models' });
    expect(asked).toHaveBeenCalledWith({ input: { id: 24 } });
  });

  it('are not those of the stored address after another was typed', async () => {
    const drawer = await visit(channelDetail, fetched());
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
    const drawer = await visit(channelDetail, fetched(200));
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
    const drawer = await visit(channelDetail, fetched(50));
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
    ...channelDetail,
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
    const mocks = [...channelLists, { ...detail, request: { query: ChannelDocument, variables: { id: 24 } } }];
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
