import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { AddedProviders } from './AddedProviders.js';
import {
  CreateAddedProviderDocument,
  AddedProvidersDocument,
  UpdateAddedProviderDocument,
} from './addedProviders.generated.js';

jest.setTimeout(60_000);

const row = {
  __typename: 'AddedSignInProvider',
  id: 4,
  slug: 'company',
  name: 'Company',
  icon: '',
  enabled: true,
  issuer: 'https://id.example.com',
  authorizationEndpoint: '',
  tokenEndpoint: '',
  userInfoEndpoint: '',
  oauthClientId: 'gate',
  scopes: 'openid email',
  claims: {
    __typename: 'ProfileClaims',
    subject: 'sub',
    username: 'preferred_username',
    name: 'name',
    email: 'email',
    emailVerified: 'email_verified',
  },
  allowedDomains: ['example.com'],
};

async function open() {
  signInAs();
  const sent: unknown[] = [];
  const takes = (query: object, data: object) => ({
    request: {
      query,
      variables: ({ input }: { input: unknown }) => {
        sent.push(input);
        return true;
      },
    },
    result: { data },
    maxUsageCount: 9,
  });
  await renderScreen({
    routes: [{ path: '/', element: <AddedProviders /> }],
    mocks: [
      answers(AddedProvidersDocument, { signInProviders: [row] }),
      takes(CreateAddedProviderDocument, {
        createSignInProvider: { __typename: 'CreateSignInProviderPayload', provider: row },
      }),
      takes(UpdateAddedProviderDocument, {
        updateSignInProvider: { __typename: 'UpdateSignInProviderPayload', provider: row },
      }),
    ] as never,
  });
  return sent;
}

it('adds Discord with everything but client and secret filled in', async () => {
  const sent = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Add Discord' }));
  await screen.findByRole('dialog', { name: 'Add Discord' });
  screen.getByText(/\/oauth\/discord$/);
  fireEvent.change(await screen.findByLabelText(/^Client ID/), { target: { value: 'id' } });
  fireEvent.change(screen.getByLabelText(/^Client secret/), { target: { value: 'secret' } });
  expect(screen.queryByLabelText(/^Name on the button/)).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'More settings' }));
  fireEvent.change(screen.getByLabelText(/^Allowed email domains/), { target: { value: 'a.example, b.example' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent.at(-1)).toEqual({
      slug: 'discord',
      name: 'Discord',
      icon: '',
      enabled: true,
      issuer: '',
      authorizationEndpoint: 'https://discord.com/oauth2/authorize',
      tokenEndpoint: 'https://discord.com/api/oauth2/token',
      userInfoEndpoint: 'https://discord.com/api/users/@me',
      oauthClientId: 'id',
      clientSecret: 'secret',
      scopes: 'identify email',
      claims: { subject: 'id', username: 'username', name: 'global_name', email: 'email', emailVerified: 'verified' },
      allowedDomains: ['a.example', 'b.example'],
    }),
  );
});

it('changes a row without its slug, and keeps the secret that is not typed', async () => {
  const sent = await open();
  fireEvent.click(await screen.findByRole('button', { name: 'Edit Company' }));
  expect(screen.queryByLabelText(/^Name in addresses/)).toBeNull();
  fireEvent.change(await screen.findByLabelText(/^Name on the button/), { target: { value: 'Staff' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent.at(-1)).toMatchObject({ id: 4, name: 'Staff', clientSecret: '' }));
  expect(sent.at(-1)).not.toHaveProperty('slug');
});

it('asks for the issuer of an OpenID Connect provider, and for the addresses of an OAuth 2 provider', async () => {
  const sent = await open();
  const shown = async (button: string) => {
    fireEvent.click(await screen.findByRole('button', { name: button }));
    const dialog = within(await screen.findByRole('dialog'));
    const fields = dialog.getAllByRole('textbox').map((field) => field.id.replace('field-', ''));
    return { dialog, fields };
  };
  const oauth = await shown('Add OAuth 2 provider');
  expect(oauth.fields).toEqual([
    ...['name', 'slug', 'authorizationEndpoint', 'tokenEndpoint', 'userInfoEndpoint', 'scopes', 'claims.subject'],
    'oauthClientId',
  ]);
  fireEvent.click(oauth.dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const gitlab = await shown('Add GitLab');
  expect(gitlab.fields).toEqual(['issuer', 'oauthClientId']);
  fireEvent.change(gitlab.dialog.getByLabelText(/^Issuer/), { target: { value: 'https://git.example.com' } });
  fireEvent.change(gitlab.dialog.getByLabelText(/^Client ID/), { target: { value: 'gate' } });
  fireEvent.click(gitlab.dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent.at(-1)).toMatchObject({ slug: 'gitlab', name: 'GitLab', issuer: 'https://git.example.com' }),
  );
});

it('says that the providers could not be loaded, and tries again', async () => {
  signInAs();
  await renderScreen({
    routes: [{ path: '/', element: <AddedProviders /> }],
    mocks: [
      { request: { query: AddedProvidersDocument }, error: new Error('no network') },
      answers(AddedProvidersDocument, { signInProviders: [row] }),
    ] as never,
  });
  await screen.findByText('The providers could not be loaded');
  fireEvent.click(screen.getByRole('button', { name: /again|Retry/ }));
  await screen.findByText('Company');
});
