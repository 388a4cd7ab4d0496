import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { tokenRow } from '../../testing/tokenRow.js';
import { TokenEditor } from './TokenEditor.js';
import {
  CreateTokenDocument,
  TokenChoicesDocument,
  UpdateTokenDocument,
  type TokenRowFragment,
} from './tokens.generated.js';

const token = tokenRow(5, 'Production');
const choices = {
  request: { query: TokenChoicesDocument, variables: () => true },
  result: { data: { myGroups: [], myModels: ['gpt-4o'] } },
  maxUsageCount: 9,
};
const onSaved = jest.fn();
const onCreated = jest.fn();
const onClosed = jest.fn();
beforeEach(() => {
  jest.clearAllMocks();
});

async function open(edited: TokenRowFragment | null, ...mocks: object[]) {
  const element = <TokenEditor token={edited} onSaved={onSaved} onCreated={onCreated} onClosed={onClosed} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [choices, ...mocks] as never });
  return within(await screen.findByRole('dialog', { name: edited ? 'Edit token' : 'Create token' }));
}
const type = (field: HTMLElement, value: string) => {
  fireEvent.change(field, { target: { value } });
  fireEvent.blur(field);
};

it('sends only what was changed', async () => {
  const update = {
    request: { query: UpdateTokenDocument, variables: { input: { id: 5, name: 'Staging' } } },
    result: jest.fn(() => ({ data: { updateToken: { token: { ...token, name: 'Staging' } } } })),
  };
  const drawer = await open(token, update);
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Staging');
  await drawer.findByText('1 change');
  fireEvent.click(drawer.getByRole('button', { name: 'Save token' }));
  await waitFor(() => {
    expect(onClosed).toHaveBeenCalledTimes(1);
  });
  expect(update.result).toHaveBeenCalledTimes(1);
  expect(onSaved).toHaveBeenCalledTimes(1);
});

it('sends a changed amount as a change of what was granted', async () => {
  const update = {
    // $1 is left of $2 that were granted; $4.50 are wanted.
    request: { query: UpdateTokenDocument, variables: { input: { id: 5, grantedQuota: 2_750_000 } } },
    result: jest.fn(() => ({ data: { updateToken: { token } } })),
  };
  const drawer = await open(token, update);
  type(drawer.getByRole('textbox', { name: /^Amount/ }), '4.5');
  await drawer.findByText('1 change');
  fireEvent.click(drawer.getByRole('button', { name: 'Save token' }));
  await waitFor(() => {
    expect(onClosed).toHaveBeenCalledTimes(1);
  });
  expect(update.result).toHaveBeenCalledTimes(1);
});

it('saves a token whose calls cost more than was left', async () => {
  const overdrawn = tokenRow(5, 'Production', { quota: { remaining: -250_000, used: 1_250_000 } });
  const update = {
    request: { query: UpdateTokenDocument, variables: { input: { id: 5, name: 'Staging' } } },
    result: jest.fn(() => ({ data: { updateToken: { token: overdrawn } } })),
  };
  const drawer = await open(overdrawn, update);
  expect(drawer.getByRole('textbox', { name: /^Amount/ })).toHaveValue('-0.5');
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Staging');
  fireEvent.click(drawer.getByRole('button', { name: 'Save token' }));
  await waitFor(() => {
    expect(onClosed).toHaveBeenCalledTimes(1);
  });
  expect(update.result).toHaveBeenCalledTimes(1);
});

it('names what is wrong where it is', async () => {
  const drawer = await open(null);
  type(drawer.getByRole('textbox', { name: /^Amount/ }), '1.2345678');
  type(drawer.getByRole('textbox', { name: /^Allowed IP addresses/ }), '203.0.113.7\nsomewhere');
  fireEvent.click(drawer.getByRole('button', { name: 'Create token' }));
  await drawer.findByText('Please enter a name');
  expect(drawer.getByText('Enter an amount below $1,000,000,000 with at most 6 decimals')).toBeInTheDocument();
  expect(drawer.getByText('Line 2 is not a valid IP address or range')).toBeInTheDocument();
  await waitFor(() => {
    expect(drawer.getByRole('textbox', { name: /^Name/ })).toHaveFocus();
  });
});

it('keeps everything typed when the server refuses a field', async () => {
  const refused = {
    request: { query: CreateTokenDocument, variables: () => true },
    result: {
      errors: [{ message: 'More than you have', extensions: { code: 'INVALID_INPUT', field: 'quota' } }],
    },
  };
  const drawer = await open(null, refused);
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Mine');
  type(drawer.getByRole('textbox', { name: /^Amount/ }), '900');
  fireEvent.click(drawer.getByRole('button', { name: 'Create token' }));
  await drawer.findByText('More than you have');
  expect(drawer.getByRole('textbox', { name: /^Amount/ })).toBeInvalid();
  expect(drawer.getByRole('textbox', { name: /^Name/ })).toHaveValue('Mine');
  expect(onClosed).not.toHaveBeenCalled();
});

it('creates a token together with its budgets', async () => {
  const create = {
    request: { query: CreateTokenDocument, variables: jest.fn<boolean, [object]>(() => true) },
    result: jest.fn(() => ({ data: { createToken: { key: 'sk-1', token: { id: 6, name: 'Mine' } } } })),
  };
  const drawer = await open(null, create);
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Mine');
  fireEvent.click(drawer.getByRole('button', { name: 'Add budget' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Add budget' }));
  type(dialog.getByRole('textbox', { name: /^Amount/ }), '2');
  fireEvent.click(dialog.getByRole('button', { name: 'Add budget' }));
  await drawer.findByText('$2.00 per day');
  expect(create.result).not.toHaveBeenCalled();
  fireEvent.click(drawer.getByRole('button', { name: 'Create token' }));
  await waitFor(() => {
    expect(onClosed).toHaveBeenCalledTimes(1);
  });
  expect(create.result).toHaveBeenCalledTimes(1);
  expect(create.request.variables.mock.calls.at(-1)?.[0]).toMatchObject({
    input: {
      name: 'Mine',
      budgets: [{ kind: 'MONEY', amount: 1_000_000, span: 'DAY', isRolling: false, models: [] }],
    },
  });
});

it('passes on the models that a new token is limited to', async () => {
  const create = {
    request: { query: CreateTokenDocument, variables: () => true },
    result: { data: { createToken: { key: 'sk-1', token: { id: 6, name: 'Mine' } } } },
  };
  const drawer = await open(null, create);
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Mine');
  fireEvent.click(drawer.getByRole('switch', { name: /^Limit models/ }));
  fireEvent.change(drawer.getByRole('combobox', { name: 'Models' }), { target: { value: 'gpt-4o' } });
  fireEvent.click(await screen.findByRole('option', { name: 'gpt-4o' }));
  fireEvent.click(drawer.getByRole('button', { name: 'Create token' }));
  await waitFor(() => {
    expect(onClosed).toHaveBeenCalledTimes(1);
  });
  expect(onCreated).toHaveBeenCalledWith({ id: 6, name: 'Mine', key: 'sk-1', models: ['gpt-4o'] });
});

it('creates only the tokens that are missing after an error in the middle', async () => {
  const asked: string[] = [];
  let failing = true;
  let made = 0;
  const create = {
    request: {
      query: CreateTokenDocument,
      variables: ({ input }: { readonly input: { readonly name: string } }) => (asked.push(input.name), true),
    },
    result: () =>
      failing && made === 3
        ? { errors: [{ message: 'The server is busy', extensions: { code: 'UPSTREAM' } }] }
        : { data: { createToken: { key: 'sk-1', token: { id: (made += 1), name: 'Mine' } } } },
    maxUsageCount: 99,
  };
  const drawer = await open(null, create);
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Mine');
  fireEvent.mouseDown(drawer.getByRole('combobox', { name: 'Quantity' }));
  fireEvent.click(await screen.findByRole('option', { name: '10' }));
  fireEvent.click(drawer.getByRole('button', { name: 'Create token' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The server is busy');
  expect([made, onSaved.mock.calls.length, onClosed.mock.calls.length]).toEqual([3, 1, 0]);
  failing = false;
  fireEvent.click(drawer.getByRole('button', { name: 'Create token' }));
  await waitFor(() => {
    expect(onClosed).toHaveBeenCalledTimes(1);
  });
  expect(made).toBe(10);
  expect(new Set(asked).size).toBeGreaterThanOrEqual(10);
  expect(await screen.findByText('10 tokens created')).toBeInTheDocument();
});

it('creates all tokens of another name that is typed after an error in the middle', async () => {
  let failing = true;
  const made: string[] = [];
  const create = {
    request: { query: CreateTokenDocument, variables: () => true },
    result: ({ input }: { readonly input?: { readonly name: string } }) => {
      if (failing && made.length === 3) {
        return { errors: [{ message: 'The server is busy', extensions: { code: 'UPSTREAM' } }] };
      }
      made.push(input?.name ?? '');
      return { data: { createToken: { key: 'sk-1', token: { id: made.length, name: input?.name ?? '' } } } };
    },
    maxUsageCount: 99,
  };
  const drawer = await open(null, create);
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Mine');
  fireEvent.mouseDown(drawer.getByRole('combobox', { name: 'Quantity' }));
  fireEvent.click(await screen.findByRole('option', { name: '10' }));
  fireEvent.click(drawer.getByRole('button', { name: 'Create token' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The server is busy');
  failing = false;
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Other');
  fireEvent.click(drawer.getByRole('button', { name: 'Create token' }));
  await waitFor(() => {
    expect(onClosed).toHaveBeenCalledTimes(1);
  });
  expect(made.filter((name) => name.startsWith('Other'))).toHaveLength(10);
  expect(made).toContain('Other');
  expect(await screen.findByText('10 tokens created')).toBeInTheDocument();
});

it('sends changed scopes together, and asks for one at least', async () => {
  const update = {
    request: { query: UpdateTokenDocument, variables: { input: { id: 5, scopes: ['USAGE', 'KEYS'] } } },
    result: jest.fn(() => ({ data: { updateToken: { token } } })),
  };
  const drawer = await open(token, update);
  const [relay, usage, keys] = [/^Call models/, /^Read its own usage/, /^Manage my keys/].map((name) =>
    drawer.getByRole('switch', { name }),
  ) as [HTMLElement, HTMLElement, HTMLElement];
  expect([relay, usage, keys].map((one) => (one as HTMLInputElement).checked)).toEqual([true, true, false]);
  fireEvent.click(relay);
  fireEvent.click(usage);
  fireEvent.click(drawer.getByRole('button', { name: 'Save token' }));
  await drawer.findByText('Select at least one');
  expect(update.result).not.toHaveBeenCalled();
  fireEvent.click(usage);
  fireEvent.click(keys);
  fireEvent.click(drawer.getByRole('button', { name: 'Save token' }));
  await waitFor(() => {
    expect(onClosed).toHaveBeenCalledTimes(1);
  });
  expect(update.result).toHaveBeenCalledTimes(1);
});

it('repeats a creation whose response was lost with the same idempotency key', async () => {
  const sent: Array<{ name: string; idempotencyKey?: string }> = [];
  const variables = ({ input }: { input: { name: string } }) => sent.push(input) > 0;
  const lost = { request: { query: CreateTokenDocument, variables }, error: new Error('lost') };
  const made = {
    request: { query: CreateTokenDocument, variables },
    result: { data: { createToken: { key: 'sk-1', token: { id: 6, name: 'Mine' } } } },
  };
  const drawer = await open(null, lost, made);
  type(drawer.getByRole('textbox', { name: /^Name/ }), 'Mine');
  const create = drawer.getByRole('button', { name: 'Create token' });
  fireEvent.click(create);
  await waitFor(() => expect(sent).toHaveLength(1));
  await waitFor(() => expect(create).toBeEnabled());
  fireEvent.click(create);
  await waitFor(() => expect(onClosed).toHaveBeenCalled());
  expect(sent).toHaveLength(2);
  expect(sent[0]?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  expect(sent[1]).toEqual(sent[0]);
});

it('says that the choices of the form could not be loaded', async () => {
  signInAs();
  const failing = {
    request: { query: TokenChoicesDocument },
    result: { errors: [{ message: 'The models could not be read', extensions: { code: 'UPSTREAM' } }] },
    maxUsageCount: 9,
  };
  const element = <TokenEditor token={null} onSaved={onSaved} onCreated={onCreated} onClosed={onClosed} />;
  await renderScreen({ routes: [{ path: '/', element }], mocks: [failing] as never });
  expect(await screen.findByText('The models could not be read')).toBeInTheDocument();
});
