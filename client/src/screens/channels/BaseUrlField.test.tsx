import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useForm } from 'react-hook-form';
import { channelDetail, channelLists } from '../../testing/channelDetail.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { BaseUrlField } from './BaseUrlField.js';
import { toValues } from './channelForm.js';
import type { Provider } from './channels.generated.js';

function Field({ provider }: { readonly provider: Provider }) {
  const values = toValues({ ...channelDetail, baseUrl: '', type: { ...channelDetail.type, provider } });
  return <BaseUrlField form={useForm({ defaultValues: values })} locked={undefined} />;
}
async function open(provider: Provider) {
  await renderScreen({ routes: [{ path: '/', element: <Field provider={provider} /> }], mocks: channelLists as never });
  return screen.findByRole('textbox', { name: provider === 'CUSTOM' ? /^Full URL/ : /^Base URL/ });
}

it('asks at once about a trailing /v1, and takes it away', async () => {
  const field = await open('OPENAI');
  fireEvent.change(field, { target: { value: 'https://relay.example.com/v1/' } });
  fireEvent.blur(field);
  const question = await screen.findByRole('alertdialog', { name: 'Remove /v1 from the base URL?' });
  fireEvent.click(within(question).getByRole('button', { name: 'Remove /v1' }));
  await waitFor(() => expect(field).toHaveValue('https://relay.example.com'));
});

it.each([
  // Types 40 and 45 of the REST API.
  ['SILICONFLOW', 'https://api.siliconflow.com'],
  ['VOLCENGINE', 'https://ark.ap-southeast.bytepluses.com'],
] as const)('offers the base URLs that %s has, and says that a key belongs to one', async (provider, url) => {
  const field = await open(provider);
  screen.getByText(/^Known URLs of this provider\. A key is valid at one of them\./);
  fireEvent.click(screen.getByRole('button', { name: url }));
  expect(field).toHaveValue(url);
});

it('offers no other base URL where a provider has one', async () => {
  await open('OPENAI');
  expect(screen.queryByRole('group', { name: /^Known URLs/ })).toBeNull();
});

it.each([
  ...(['AZURE', 'MIDJOURNEY', 'MIDJOURNEY_PLUS', 'SUNO', 'XINFERENCE'] as const).map(
    (provider) => [provider, 'The URL of your server. Omit a trailing /v1.'] as const,
  ),
  ['CUSTOM', 'Used as is, including the path. {model} is replaced with the model name.'],
  ['OPENAI', 'Leave empty to use the provider’s URL. Omit a trailing /v1.'],
  ['OLLAMA', 'Leave empty to use the provider’s URL. Omit a trailing /v1.'],
] as const)('says at the base URL of %s: %s', async (provider, hint) => {
  const field = await open(provider);
  expect(field).toHaveAccessibleDescription(hint);
  // Required exactly where an empty field would be refused.
  expect(field.hasAttribute('required') || field.getAttribute('aria-required') === 'true').toBe(
    !hint.startsWith('Leave empty'),
  );
});
