import { z } from 'zod';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Callback, Identity, RedirectProvider } from './identity-provider.js';
import { askProvider, returnAddress, tokenShape } from './provider-call.js';

/** A `login` can be renamed and taken by another person. The numeric id cannot. */
const profileShape = z.object({ id: z.int().min(1), login: z.string(), name: z.string().nullish() });

/** GitHub (docs/reference/rest/accounts.md#github). Its e-mail addresses are not verified, so they are not stored. */
export class GitHubProvider implements RedirectProvider {
  constructor(
    private readonly fetch: GuardedFetch,
    private readonly options: { readonly values: OptionValues },
    private readonly urls: { readonly github: string; readonly githubApi: string },
  ) {}

  begin(state: string): Promise<{ url: string; proof: object }> {
    const { GitHubClientId, ServerAddress } = this.options.values;
    const url = new URL(`${this.urls.github}/login/oauth/authorize`);
    const redirect = returnAddress(ServerAddress, 'github');
    url.search = new URLSearchParams({
      client_id: GitHubClientId,
      redirect_uri: redirect,
      state,
      scope: 'user:email',
    }).toString();
    return Promise.resolve({ url: url.href, proof: {} });
  }

  async identify({ code }: Callback): Promise<Identity> {
    const { GitHubClientId, GitHubClientSecret } = this.options.values;
    const headers = { accept: 'application/json', 'user-agent': 'tollgate' };
    const exchange = {
      url: `${this.urls.github}/login/oauth/access_token`,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: GitHubClientId, client_secret: GitHubClientSecret, code }),
    } as const;
    const { access_token: token } = await askProvider(this.fetch, 'GitHub', exchange, tokenShape);
    const profile = { url: `${this.urls.githubApi}/user`, headers: { ...headers, authorization: `Bearer ${token}` } };
    const { id, login, name } = await askProvider(this.fetch, 'GitHub', profile, profileShape);
    return {
      id: String(id),
      // A login made of digits could equal the numeric id of another user.
      ...(/^\d+$/.test(login) ? {} : { formerId: login }),
      ...(name ? { displayName: name } : {}),
    };
  }
}
