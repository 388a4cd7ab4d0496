import * as oidc from 'openid-client';
import { z } from 'zod';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { AppError, InvalidInputError, isAppError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Callback, Identity, Proof, RedirectProvider } from './identity-provider.js';
import { askProvider, badCode, form, returnAddress, tokenShape } from './provider-call.js';
import { millisecondsIn } from '../../shared/clock.js';

/** An optional text. A value of another type counts as absent: only a missing `sub` refuses a sign-in. */
const optionalText = z.string().nullish().catch(null);
const profileShape = z.object({
  sub: z.string().min(1).max(255),
  email: optionalText,
  // Amazon Cognito and Apple send it as text.
  email_verified: z
    .union([z.boolean(), z.literal('true').transform(() => true)])
    .nullish()
    .catch(null),
  name: optionalText,
  preferred_username: optionalText,
});

/** Milliseconds for which discovered endpoints are cached. */
const keptMilliseconds = 10 * 60_000;
// Marked deprecated by the library as a warning only. A provider in a private network may use plain http.
// eslint-disable-next-line @typescript-eslint/no-deprecated
const allowPlainHttp: (config: oidc.Configuration) => void = oidc.allowInsecureRequests;
const timeoutSeconds = 5;
const label = 'OIDC';
const scope = 'openid profile email';

export interface OidcEndpoints {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userInfoEndpoint: string;
}

/**
 * Any OpenID provider (docs/reference/rest/accounts.md#oidc). With a well-known URL, endpoints are discovered and the
 * id token is verified. Without one, the three configured endpoints are used as plain OAuth 2.
 */
export class OidcProvider implements RedirectProvider {
  private known: { readonly key: string; readonly at: number; readonly config: Promise<oidc.Configuration> } | null =
    null;

  constructor(
    private readonly fetch: GuardedFetch,
    private readonly options: { readonly values: OptionValues },
  ) {}

  /** @throws AppError INVALID_INPUT when the provider is not set up completely */
  async begin(state: string): Promise<{ url: string; proof: Omit<Proof, 'state'> }> {
    const values = this.options.values;
    const parameters = { redirect_uri: this.redirect, scope, state, response_type: 'code' };
    if (values['oidc.well_known'] === '') {
      const url = new URL(values['oidc.authorization_endpoint'] || 'missing:');
      if (url.protocol === 'missing:') throw new InvalidInputError('OIDC has no authorization endpoint');
      const all = { ...parameters, client_id: values['oidc.client_id'] };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return { url: url.href, proof: {} };
    }
    const config = await this.configuration();
    const proof = { nonce: oidc.randomNonce(), codeVerifier: oidc.randomPKCECodeVerifier() };
    const url = oidc.buildAuthorizationUrl(config, {
      ...parameters,
      nonce: proof.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(proof.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, proof };
  }

  async identify(callback: Callback, proof: Proof): Promise<Identity> {
    const discovers = this.options.values['oidc.well_known'] !== '';
    const profile = discovers ? await this.verified(callback, proof) : await this.plain(callback);
    return {
      id: profile.sub,
      ...(profile.preferred_username ? { username: profile.preferred_username } : {}),
      ...(profile.name ? { displayName: profile.name } : {}),
      ...(profile.email && profile.email_verified === true ? { email: profile.email } : {}),
    };
  }

  /**
   * Reads the endpoints named by a well-known URL, for the settings form.
   * @throws AppError
   */
  async discover(wellKnown: string): Promise<OidcEndpoints> {
    if (!URL.canParse(wellKnown) || !/^https?:$/.test(new URL(wellKnown).protocol)) {
      throw new InvalidInputError('The well-known URL must begin with http:// or https://', 'wellKnown');
    }
    const metadata = await this.metadata(new URL(wellKnown));
    return {
      authorizationEndpoint: metadata.authorization_endpoint ?? '',
      tokenEndpoint: metadata.token_endpoint ?? '',
      userInfoEndpoint: metadata.userinfo_endpoint ?? '',
    };
  }

  private async verified(callback: Callback, proof: Proof): Promise<z.infer<typeof profileShape>> {
    const config = await this.configuration();
    const issuer = callback.issuer ?? config.serverMetadata().issuer;
    const current = new URL(this.redirect);
    current.search = new URLSearchParams({ code: callback.code, state: proof.state, iss: issuer }).toString();
    try {
      const tokens = await oidc.authorizationCodeGrant(config, current, {
        expectedState: proof.state,
        ...(proof.nonce ? { expectedNonce: proof.nonce } : {}),
        ...(proof.codeVerifier ? { pkceCodeVerifier: proof.codeVerifier } : {}),
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw badCode(label);
      const hasMore = config.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasMore ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
      return profileShape.parse({ ...claims, ...more });
    } catch (error) {
      throw toAppError(error);
    }
  }

  private async plain({ code }: Callback): Promise<z.infer<typeof profileShape>> {
    const values = this.options.values;
    const fields = { client_id: values['oidc.client_id'], client_secret: values['oidc.client_secret'] };
    const exchange = form({ ...fields, code, grant_type: 'authorization_code', redirect_uri: this.redirect });
    const url = values['oidc.token_endpoint'];
    const { access_token: token } = await askProvider(this.fetch, label, { ...exchange, url }, tokenShape);
    const profile = { url: values['oidc.user_info_endpoint'], headers: { authorization: `Bearer ${token}` } };
    return askProvider(this.fetch, label, profile, profileShape);
  }

  private configuration(): Promise<oidc.Configuration> {
    const values = this.options.values;
    const [wellKnown, id, secret] = [values['oidc.well_known'], values['oidc.client_id'], values['oidc.client_secret']];
    const key = JSON.stringify([wellKnown, id, secret]);
    if (this.known?.key === key && Date.now() - this.known.at < keptMilliseconds) return this.known.config;
    const config = this.load(new URL(wellKnown), id, secret);
    this.known = { key, at: Date.now(), config };
    config.catch(() => (this.known = null));
    return config;
  }

  private async load(wellKnown: URL, clientId: string, secret: string): Promise<oidc.Configuration> {
    const metadata = await this.metadata(wellKnown);
    const byForm = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false;
    const authentication = byForm ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
    const config = new oidc.Configuration(metadata, clientId, undefined, authentication);
    config[oidc.customFetch] = this.guarded;
    config.timeout = timeoutSeconds;
    if (wellKnown.protocol === 'http:') allowPlainHttp(config);
    return config;
  }

  private async metadata(wellKnown: URL): Promise<oidc.ServerMetadata> {
    const execute = wellKnown.protocol === 'http:' ? [allowPlainHttp] : [];
    const options = { [oidc.customFetch]: this.guarded, timeout: timeoutSeconds, execute };
    try {
      return (await oidc.discovery(wellKnown, 'discovery', undefined, oidc.None(), options)).serverMetadata();
    } catch (error) {
      throw toAppError(error);
    }
  }

  /** Endpoints named by a discovery document must be public, unless OUTBOUND_ALLOW permits more. */
  private readonly guarded: oidc.CustomFetch = async (url, { method, headers, body }) => {
    const answer = await this.fetch.fetch({
      url,
      policy: 'public-only',
      timeoutMs: millisecondsIn(timeoutSeconds),
      maxBytes: 1024 * 1024,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' || body instanceof URLSearchParams ? { body: body.toString() } : {}),
    });
    const flat = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    return new Response(answer.body.length > 0 ? new Uint8Array(answer.body) : null, {
      status: answer.status,
      headers: flat,
    });
  };

  private get redirect(): string {
    return returnAddress(this.options.values.ServerAddress, 'oidc');
  }
}

/** Returns the error for clients. The library's messages contain claims and URLs, so they stay in `cause`. */
function toAppError(error: unknown): AppError {
  const known = [error, (error as { cause?: unknown } | null)?.cause].find(isAppError);
  if (known?.code === 'INVALID_INPUT' && known.field === 'code') return known;
  if (known) return new AppError('UPSTREAM_UNREACHABLE', 'Cannot reach the OIDC server, try later', { cause: error });
  const { code, message } = badCode(label);
  return new AppError(code, message, { cause: error, field: 'code' });
}
