/**
 * A real OpenID provider in its own process: `node oidc-provider.mjs <client secret> <redirect URL>` prints its issuer.
 * Signs in the account of `login_hint`, else `visitor-1`, with consent and without a page.
 */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [, , clientSecret, redirectUri] = process.argv;
const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'gate',
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  pkce: { required: () => false },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
  cookies: { keys: ['of a test'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      name: `Name of ${id}`,
      preferred_username: id.split('-')[0],
      email: `${id}@example.com`,
      // Some providers send the flag as text.
      email_verified: id.includes('as-text') ? String(!id.includes('unproven')) : !id.includes('unproven'),
    }),
  }),
});
const callback = provider.callback();

server.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) return void callback(request, response);
  void agree(request, response);
});
console.log(issuer);

async function agree(request, response) {
  const { params } = await provider.interactionDetails(request, response);
  const accountId = params.login_hint ?? 'visitor-1';
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope('openid profile email');
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } });
}
