import { z } from 'zod';
import { flag, int, named, seconds, text } from '../../platform/http/openapi/operation.js';
import { routesFor } from '../../platform/http/route.js';
import { unixSeconds } from '../../shared/clock.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import type { SignInProvider } from './sign-in-provider.entity.js';
import type { ProviderInput, SignInProviderService } from './sign-in-provider.service.js';

const route = routesFor<{ readonly signInProviders: SignInProviderService }>();

const claims = z.object({
  subject: text('The id, such as `sub`'),
  username: text('The name for a new account'),
  name: text('The display name'),
  email: text('The e-mail address'),
  email_verified: text('Whether the provider has verified the address'),
});
const fieldShape = {
  name: text('The text of its button'),
  icon: text('URL of an image, or empty'),
  enabled: flag('Visitors see its button'),
  issuer: text('The issuer of an OpenID Connect provider. Empty: OAuth 2 with the three addresses'),
  authorization_endpoint: text('Without an issuer: where the browser is sent'),
  token_endpoint: text('Without an issuer: where the code is exchanged'),
  user_info_endpoint: text('Without an issuer: where the profile is read'),
  client_id: text('The client of this site there'),
  scopes: text('Separated by spaces'),
  claims: claims.describe('Names of the members of a profile. Empty: it has none'),
  allowed_domains: z.array(z.string()).describe('Only people with a verified address in one of these. Empty: all'),
};
const slug = text('Part of the redirect address `<ServerAddress>/oauth/<slug>`. It never changes');
const shownProvider = named('SignInProvider', 'A sign-in provider that the operator added, without its secret.', {
  id: int('Id'),
  slug,
  ...fieldShape,
  created_time: seconds('Created'),
});
const secret = text('Stored encrypted and never shown. Absent or empty in a change: it stays');
const changes = z.object({ ...fieldShape, client_secret: secret }).partial();
type Changes = z.output<typeof changes>;

const toWire = (one: SignInProvider): z.output<typeof shownProvider> => ({
  id: one.id,
  slug: one.slug,
  name: one.name,
  icon: one.icon,
  enabled: one.enabled,
  issuer: one.issuer,
  authorization_endpoint: one.authorizationEndpoint,
  token_endpoint: one.tokenEndpoint,
  user_info_endpoint: one.userInfoEndpoint,
  client_id: one.oauthClientId,
  scopes: one.scopes,
  claims: {
    subject: one.claims.subject,
    username: one.claims.username,
    name: one.claims.name,
    email: one.claims.email,
    email_verified: one.claims.emailVerified,
  },
  allowed_domains: one.allowedDomains,
  created_time: unixSeconds(one.createdAt),
});

const toInput = ({ claims: given, ...body }: Changes): Partial<ProviderInput> =>
  omitUndefined({
    name: body.name,
    icon: body.icon,
    enabled: body.enabled,
    issuer: body.issuer,
    authorizationEndpoint: body.authorization_endpoint,
    tokenEndpoint: body.token_endpoint,
    userInfoEndpoint: body.user_info_endpoint,
    oauthClientId: body.client_id,
    clientSecret: body.client_secret,
    scopes: body.scopes,
    claims: given && {
      subject: given.subject,
      username: given.username,
      name: given.name,
      email: given.email,
      emailVerified: given.email_verified,
    },
    allowedDomains: body.allowed_domains,
  });

const unknownProvider = 2_000_000_000;

/** `/api/sign-in-provider` (docs/reference/rest/accounts.md#sign-in-through-other-providers). */
export const signInProviderRoutes = [
  route('GET /api/sign-in-provider', {
    summary: 'Sign-in providers that were added, with their settings',
    caller: 'root',
    data: z.array(shownProvider),
    example: {},
    handle: async ({ signInProviders }, { actor }) => (await signInProviders.list(actor)).map(toWire),
  }),
  route('POST /api/sign-in-provider', {
    summary: 'Add a sign-in provider: an issuer, or three addresses',
    caller: 'root',
    body: changes.extend({ slug, name: fieldShape.name, client_id: fieldShape.client_id }),
    data: shownProvider,
    errors: ['CONFLICT', 'CONFIRMATION_NEEDED'],
    example: {
      body: { slug: 'company', name: 'Company', client_id: 'gate', issuer: 'https://id.example.com' },
    },
    handle: async ({ signInProviders }, { actor, body: { slug: given, ...body } }) =>
      toWire(await signInProviders.create(actor, { slug: given, ...toInput(body) })),
  }),
  route('PUT /api/sign-in-provider', {
    summary: 'Change a sign-in provider',
    description: 'Absent fields stay. Its addresses cannot change while accounts are bound.',
    caller: 'root',
    body: changes.extend({ id: z.int() }),
    data: shownProvider,
    errors: ['NOT_FOUND', 'CONFLICT', 'CONFIRMATION_NEEDED'],
    example: { body: { id: unknownProvider, enabled: false }, fails: 'NOT_FOUND' },
    handle: async ({ signInProviders }, { actor, body: { id, ...body } }) =>
      toWire(await signInProviders.update(actor, id, toInput(body))),
  }),
  route('DELETE /api/sign-in-provider/:id', {
    summary: 'Delete a sign-in provider with the links of accounts to it',
    description: 'Refused while an account has no other way to sign in.',
    caller: 'root',
    errors: ['NOT_FOUND', 'CONFLICT', 'CONFIRMATION_NEEDED'],
    example: { path: { id: unknownProvider }, fails: 'NOT_FOUND' },
    handle: async ({ signInProviders }, { actor, id }) => {
      await signInProviders.remove(actor, id);
    },
  }),
];
