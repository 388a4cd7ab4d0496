import * as oidc from 'openid-client';
import { z } from 'zod';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import { AppError, InvalidInputError, isAppError } from '../../shared/errors.js';
import type { OptionValues } from '../../options/option.service.js';
import type { Callback, Identity, Proof, RedirectProvider } from './identity-provider.js';
import { askProvider, badCode, form, returnAddress, tokenShape } from './provider-call.js';
import { millisecondsIn } from '../../shared/clock.js';
import type { ProfileClaims, SignInProvider } from './sign-in-provider.entity.js';

const profileShape = z.record(z.string(), z.unknown());
type Profile = z.infer<typeof profileShape>;
/** Some providers number their users. */
const idShape = z.union([z.string().min(1).max(255), z.int().min(1).transform(String)]);

/** Milliseconds for which discovered endpoints are cached. */
const keptMilliseconds = 10 * 60_000;
// Marked deprecated by the library as a warning only. A provider in a private network may use plain http.
// eslint-disable-next-line @typescript-eslint/no-deprecated
const allowPlainHttp: (config: oidc.Configuration) => void = oidc.allowInsecureRequests;
const timeoutSeconds = 5;

export type OidcEndpoints = Readonly<
  Pick<SignInProvider, 'authorizationEndpoint' | 'tokenEndpoint' | 'userInfoEndpoint'>
>;

/** How one provider is reached, and what the members of its profiles are called. */
export interface OidcSettings extends OidcEndpoints, Readonly<Pick<SignInProvider, 'scopes' | 'claims'>> {
  /** The display name, for errors. */
  readonly label: string;
  /** The last part of the redirect address. */
  readonly returnName: string;
  /** The issuer, or the address of its discovery document. Empty: OAuth 2 with the three addresses. */
  readonly discovery: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * Whether the signature of id tokens is checked too, which came over TLS from the provider itself, and whether OAuth 2 without discovery
   * uses PKCE. The provider of the options does neither: one that worked keeps working.
   */
  readonly isStrict: boolean;
  /** `ServerAddress`. */
  readonly serverAddress: string;
}

export const standardClaims: ProfileClaims = {
  subject: 'sub',
  username: 'preferred_username',
  name: 'name',
  email: 'email',
  emailVerified: 'email_verified',
};

/** The provider of the options `oidc.*`. */
export const optionOidcSettings = (values: OptionValues): OidcSettings => ({
  label: 'OIDC',
  returnName: 'oidc',
  discovery: values['oidc.well_known'],
  authorizationEndpoint: values['oidc.authorization_endpoint'],
  tokenEndpoint: values['oidc.token_endpoint'],
  userInfoEndpoint: values['oidc.user_info_endpoint'],
  clientId: values['oidc.client_id'],
  clientSecret: values['oidc.client_secret'],
  scopes: 'openid profile email',
  claims: standardClaims,
  isStrict: false,
  serverAddress: values.ServerAddress,
});

/**
 * Any OpenID provider (docs/reference/rest/accounts.md#oidc). With a well-known URL, endpoints are discovered and the
 * id token is verified. Without one, the three configured endpoints are used as plain OAuth 2.
 */
export class OidcProvider implements RedirectProvider {
  private known: { readonly key: string; readonly at: number; readonly config: Promise<oidc.Configuration> } | null =
    null;

  constructor(
    private readonly fetch: GuardedFetch,
    private readonly settings: () => OidcSettings,
  ) {}

  /** @throws AppError INVALID_INPUT when the provider is not set up completely */
  async begin(state: string): Promise<{ url: string; proof: Omit<Proof, 'state'> }> {
    const settings = this.settings();
    const parameters = { redirect_uri: this.redirect, scope: settings.scopes, state, response_type: 'code' };
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const challenge = {
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    };
    if (settings.discovery === '') {
      const url = new URL(settings.authorizationEndpoint || 'missing:');
      if (url.protocol === 'missing:') throw new InvalidInputError(`${settings.label} has no authorization endpoint`);
      const all = { ...parameters, client_id: settings.clientId, ...(settings.isStrict ? challenge : {}) };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return { url: url.href, proof: settings.isStrict ? { codeVerifier } : {} };
    }
    const config = await this.configuration();
    const proof = { nonce: oidc.randomNonce(), codeVerifier };
    const url = oidc.buildAuthorizationUrl(config, { ...parameters, ...challenge, nonce: proof.nonce });
    return { url: url.href, proof };
  }

  async identify(callback: Callback, proof: Proof): Promise<Identity> {
    const { discovery, claims, label } = this.settings();
    const profile = discovery === '' ? await this.plain(callback, proof) : await this.verified(callback, proof);
    const id = idShape.safeParse(profile[claims.subject]);
    if (!id.success) throw badCode(label);
    // A value of another type counts as absent: only a missing id refuses a sign-in.
    const text = (claim: string): string => (typeof profile[claim] === 'string' ? profile[claim] : '');
    const [username, displayName, email] = [text(claims.username), text(claims.name), text(claims.email)];
    // Amazon Cognito and Apple send it as text.
    const isVerified = profile[claims.emailVerified] === true || profile[claims.emailVerified] === 'true';
    return {
      id: id.data,
      ...(username ? { username } : {}),
      ...(displayName ? { displayName } : {}),
      ...(email && isVerified ? { email } : {}),
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

  private async verified(callback: Callback, proof: Proof): Promise<Profile> {
    const { label } = this.settings();
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
      throw toAppError(error, label);
    }
  }

  private async plain({ code }: Callback, { codeVerifier }: Proof): Promise<Profile> {
    const { label, clientId, clientSecret, tokenEndpoint: url, userInfoEndpoint } = this.settings();
    const exchange = form({
      client_id: clientId,
      client_secret: clientSecret,
      code,
      grant_type: 'authorization_code',
      redirect_uri: this.redirect,
      ...(codeVerifier ? { code_verifier: codeVerifier } : {}),
    });
    const { access_token: token } = await askProvider(this.fetch, label, { ...exchange, url }, tokenShape);
    const profile = { url: userInfoEndpoint, headers: { authorization: `Bearer ${token}` } };
    return askProvider(this.fetch, label, profile, profileShape);
  }

  private configuration(): Promise<oidc.Configuration> {
    const { discovery: wellKnown, clientId: id, clientSecret: secret } = this.settings();
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
    if (this.settings().isStrict) oidc.enableNonRepudiationChecks(config);
    if (wellKnown.protocol === 'http:') allowPlainHttp(config);
    return config;
  }

  private async metadata(wellKnown: URL): Promise<oidc.ServerMetadata> {
    const execute = wellKnown.protocol === 'http:' ? [allowPlainHttp] : [];
    const options = { [oidc.customFetch]: this.guarded, timeout: timeoutSeconds, execute };
    try {
      return (await oidc.discovery(wellKnown, 'discovery', undefined, oidc.None(), options)).serverMetadata();
    } catch (error) {
      throw toAppError(error, this.settings().label);
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
    const { serverAddress, returnName } = this.settings();
    return returnAddress(serverAddress, returnName);
  }
}

/** Returns the error for clients. The library's messages contain claims and URLs, so they stay in `cause`. */
function toAppError(error: unknown, label: string): AppError {
  const known = [error, (error as { cause?: unknown } | null)?.cause].find(isAppError);
  if (known?.code === 'INVALID_INPUT' && known.field === 'code') return known;
  if (known)
    return new AppError('UPSTREAM_UNREACHABLE', `Cannot reach the ${label} server, try later`, { cause: error });
  const { code, message } = badCode(label);
  return new AppError(code, message, { cause: error, field: 'code' });
}
