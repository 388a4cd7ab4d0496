import { z } from 'zod';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Callback, Identity, RedirectProvider } from './identity-provider.js';
import { askProvider, form, returnAddress, tokenShape } from './provider-call.js';

const profileShape = z.object({ id: z.int().min(1), name: z.string().nullish() });

/** Linux DO (docs/reference/rest/accounts.md#linux-do). */
export class LinuxDoProvider implements RedirectProvider {
  constructor(
    private readonly fetch: GuardedFetch,
    private readonly options: { readonly values: OptionValues },
    private readonly baseUrl: string,
  ) {}

  begin(state: string): Promise<{ url: string; proof: object }> {
    const { LinuxDOClientId } = this.options.values;
    const url = new URL(`${this.baseUrl}/oauth2/authorize`);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: LinuxDOClientId,
      redirect_uri: this.redirect,
      state,
    }).toString();
    return Promise.resolve({ url: url.href, proof: {} });
  }

  async identify({ code }: Callback): Promise<Identity> {
    const { LinuxDOClientId, LinuxDOClientSecret } = this.options.values;
    const exchange = form({ grant_type: 'authorization_code', code, redirect_uri: this.redirect });
    const basic = Buffer.from(`${LinuxDOClientId}:${LinuxDOClientSecret}`).toString('base64');
    const call = { ...exchange, headers: { ...exchange.headers, authorization: `Basic ${basic}` } };
    const url = `${this.baseUrl}/oauth2/token`;
    const { access_token: token } = await askProvider(this.fetch, 'Linux DO', { ...call, url }, tokenShape);
    const profile = { url: `${this.baseUrl}/api/user`, headers: { authorization: `Bearer ${token}` } };
    const { id, name } = await askProvider(this.fetch, 'Linux DO', profile, profileShape);
    return { id: String(id), ...(name ? { displayName: name } : {}) };
  }

  private get redirect(): string {
    return returnAddress(this.options.values.ServerAddress, 'linuxdo');
  }
}
