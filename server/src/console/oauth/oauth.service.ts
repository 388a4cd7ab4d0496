import { createHash, createHmac } from 'node:crypto';
import {
  type Actor,
  type MaybeActor,
  requireActor,
  requireConfirmed,
  requireRole,
  requireSession,
  requireUnscoped,
} from '../../shared/actor.js';
import { type Clock, seconds } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import { sameSecret } from '../../shared/secrets.js';
import type { AuthService, SignIn } from '../sign-in/index.js';
import type { SessionOrigin } from '../auth/index.js';
import type { OptionValues } from '../../options/option.service.js';
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.js';
import {
  type Identity,
  type ProviderName,
  type RedirectProvider,
  type RowSource,
  type Source,
  sources,
} from './identity-provider.js';
import { type OidcEndpoints, OidcProvider, type OidcSettings } from './oidc-provider.js';
import type { ProviderAccounts } from './provider-account.js';
import type { SignInProvider } from './sign-in-provider.entity.js';
import type { SignInProviderService } from './sign-in-provider.service.js';
import { StateError, type SignInStates } from './sign-in-state.js';
import type { WeChatProvider } from './wechat-provider.js';

/** The caller and their browser. */
export interface OAuthCaller {
  readonly actor: MaybeActor;
  readonly origin: SessionOrigin;
  /** Id of the browser. Undefined when no sign-in is in progress in it. */
  readonly visitor: string | undefined;
}

export interface OAuthDeps {
  readonly auth: AuthService;
  readonly states: SignInStates;
  readonly accounts: ProviderAccounts;
  readonly providers: Readonly<Record<ProviderName, RedirectProvider>>;
  readonly oidc: OidcProvider;
  readonly wechat: WeChatProvider;
  readonly rows: Pick<SignInProviderService, 'open' | 'bound'>;
  readonly fetch: GuardedFetch;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
}

/** Sign-in, registration and binding through other providers (docs/reference/rest/accounts.md). */
export class OAuthService {
  private readonly built = new Map<string, { readonly key: string; readonly redirect: RedirectProvider }>();

  constructor(private readonly deps: OAuthDeps) {}

  /**
   * Creates a state for clients that build the provider's URL themselves.
   * @throws AppError RATE_LIMITED
   */
  async makeState(
    asker: OAuthCaller & { visitor: string },
    inviterCode: string,
    provider: ProviderName | null,
  ): Promise<string> {
    await this.deps.auth.limitCritical(asker.origin.ip);
    assertMayBind(asker.actor);
    const text = this.deps.states.make();
    await this.keep(text, asker, inviterCode, provider, {});
    return text;
  }

  /**
   * Returns the provider's URL with state, and with nonce and PKCE if the provider supports them.
   * @throws AppError
   */
  async begin(
    asker: OAuthCaller & { visitor: string },
    inviterCode: string,
    provider: ProviderName,
  ): Promise<{ state: string; url: string }> {
    await this.deps.auth.limitCritical(asker.origin.ip);
    assertMayBind(asker.actor);
    this.assertEnabled(sources[provider]);
    const state = this.deps.states.make();
    const { url, proof } = await this.deps.providers[provider].begin(state);
    await this.keep(state, asker, inviterCode, provider, proof);
    return { state, url };
  }

  /**
   * Handles the redirect back. Binds when a user is signed in; otherwise signs in, or registers a new user.
   * @returns null after binding
   * @throws StateError, AppError
   */
  async complete(
    provider: ProviderName,
    callback: { code: string; state: string; issuer?: string },
    asker: OAuthCaller,
  ): Promise<SignIn | null> {
    const { auth, states, providers, accounts } = this.deps;
    await auth.limitCritical(asker.origin.ip);
    const { actor, visitor } = asker;
    const pending = await states.take(callback.state, { visitor, userId: actor?.id ?? 0, provider });
    const source = sources[provider];
    this.assertEnabled(source);
    if (callback.code === '' || callback.code.length > 2000) throw new InvalidInputError('Invalid parameter', 'code');
    const identity = await providers[provider].identify(callback, { ...pending.proof, state: callback.state });
    if (!actor) return auth.openSession(await accounts.signIn(source, identity, pending.inviterCode), asker.origin);
    await accounts.bind(source, identity, requireActor(actor));
    return null;
  }

  /**
   * Begins a sign-in at a provider that root added, like `begin`.
   * @throws AppError
   */
  async beginAt(
    asker: OAuthCaller & { visitor: string },
    inviterCode: string,
    slug: string,
  ): Promise<{ state: string; url: string }> {
    await this.deps.auth.limitCritical(asker.origin.ip);
    assertMayBind(asker.actor);
    const { redirect } = await this.openRow(slug);
    const state = this.deps.states.make();
    const { url, proof } = await redirect.begin(state);
    await this.keep(state, asker, inviterCode, slug, proof);
    return { state, url };
  }

  /**
   * Handles the redirect back from such a provider, like `complete`. It also needs a state of `beginAt`: one of `makeState` proves no PKCE.
   * @returns null after binding
   * @throws StateError, AppError INVALID_INPUT (also for an address outside of the allowed domains)
   */
  async completeAt(
    slug: string,
    callback: { code: string; state: string; issuer?: string },
    asker: OAuthCaller,
  ): Promise<SignIn | null> {
    const { auth, states, accounts } = this.deps;
    await auth.limitCritical(asker.origin.ip);
    const { actor, visitor } = asker;
    const pending = await states.take(callback.state, { visitor, userId: actor?.id ?? 0, provider: slug });
    if (pending.provider === null) throw new StateError();
    const { provider, source, redirect } = await this.openRow(slug);
    if (callback.code === '' || callback.code.length > 2000) throw new InvalidInputError('Invalid parameter', 'code');
    const identity = await redirect.identify(callback, { ...pending.proof, state: callback.state });
    assertDomain(provider, identity);
    if (!actor) return auth.openSession(await accounts.signIn(source, identity, pending.inviterCode), asker.origin);
    await accounts.bind(source, identity, requireActor(actor));
    return null;
  }

  /** Like `unbind`, for a provider that root added, also for one that is off. */
  async unbindAt(actor: MaybeActor, slug: string): Promise<void> {
    const self = requireUnscoped(actor);
    requireConfirmed(self);
    const provider = (await this.deps.rows.bound(self)).find((one) => one.slug === slug);
    if (provider) await this.deps.accounts.unbind(sourceOf(provider), self);
  }

  /**
   * A provider keeps its discovered endpoints. It is built again when its row has changed.
   * @throws AppError INVALID_INPUT
   */
  private async openRow(
    slug: string,
  ): Promise<{ provider: SignInProvider; source: RowSource; redirect: RedirectProvider }> {
    const { provider, secret } = await this.deps.rows.open(slug);
    const key = JSON.stringify([provider, secret]);
    const known = this.built.get(slug);
    const redirect =
      known?.key === key
        ? known.redirect
        : new OidcProvider(this.deps.fetch, () =>
            rowSettings(provider, secret, this.deps.options.values.ServerAddress),
          );
    this.built.set(slug, { key, redirect });
    return { provider, source: sourceOf(provider), redirect };
  }

  /**
   * Signs in a user, and creates the account at the first sign-in if registration is open.
   * @throws AppError RATE_LIMITED, INVALID_INPUT for a wrong code
   */
  async signInWithWeChat(code: string, origin: SessionOrigin): Promise<SignIn> {
    const { auth, wechat, accounts } = this.deps;
    await auth.limitCritical(origin.ip);
    this.assertEnabled(sources.wechat);
    return auth.openSession(await accounts.signIn(sources.wechat, await wechat.identify(code), ''), origin);
  }

  /**
   * Binds the WeChat account of a code to the caller.
   * @throws AppError RATE_LIMITED, CONFIRMATION_NEEDED, INVALID_INPUT (wrong code), CONFLICT (bound to a user already),
   * INSUFFICIENT_PRIVILEGES (an access token)
   */
  async bindWeChat(actor: MaybeActor, code: string, ip: string): Promise<void> {
    await this.deps.auth.limitCritical(ip);
    const self = requireSession(actor, 'bind an account');
    requireConfirmed(self);
    this.assertEnabled(sources.wechat);
    await this.deps.accounts.bind(sources.wechat, await this.deps.wechat.identify(code), self);
  }

  /**
   * @throws AppError INVALID_INPUT when the user would have no way to sign in, CONFIRMATION_NEEDED,
   * INSUFFICIENT_PRIVILEGES (a named access token)
   */
  async unbind(actor: MaybeActor, name: SourceName): Promise<void> {
    const self = requireUnscoped(actor);
    requireConfirmed(self);
    await this.deps.accounts.unbind(sources[name], self);
  }

  /**
   * Signs in a user with a bound Telegram account; never registers.
   * @param answer parameters of the widget
   */
  async signInWithTelegram(answer: TelegramAnswer, origin: SessionOrigin): Promise<SignIn> {
    const { auth, accounts } = this.deps;
    await auth.limitCritical(origin.ip);
    const id = this.telegramId(answer);
    return auth.openSession(await accounts.signInBound(sources.telegram, { id }), origin);
  }

  async bindTelegram(actor: MaybeActor, answer: TelegramAnswer, ip: string): Promise<void> {
    await this.deps.auth.limitCritical(ip);
    const self = requireActor(actor);
    requireConfirmed(self);
    await this.deps.accounts.bind(sources.telegram, { id: this.telegramId(answer) }, self);
  }

  /**
   * Consumes a state of the caller, for the request that the widget itself sends.
   * @throws StateError
   */
  async takeState(actor: Actor, state: string, visitor: string | undefined): Promise<void> {
    await this.deps.states.take(state, { visitor, userId: actor.id, provider: null });
  }

  /** @throws AppError INSUFFICIENT_PRIVILEGES for callers below root */
  async discover(actor: MaybeActor, wellKnown: string): Promise<OidcEndpoints> {
    requireRole(actor, 'root');
    return this.deps.oidc.discover(wellKnown);
  }

  private telegramId(answer: TelegramAnswer): string {
    this.assertEnabled(sources.telegram);
    return telegramIdOf(answer, this.deps.options.values.TelegramBotToken, seconds(this.deps.clock));
  }

  private assertEnabled(source: Source): void {
    if (source.enabled(this.deps.options.values)) return;
    throw new InvalidInputError(`Sign-in through ${source.label} is not enabled`);
  }

  private keep(
    text: string,
    { actor, visitor }: OAuthCaller & { visitor: string },
    inviterCode: string,
    provider: string | null,
    proof: object,
  ): Promise<void> {
    const pending = { visitor, userId: actor?.id ?? 0, provider, inviterCode: inviterCode.slice(0, 64), proof };
    return this.deps.states.keep(text, pending);
  }
}

/**
 * Checks that the caller may bind an account. It is another way to sign in, which a stolen session must not add.
 * @throws AppError CONFIRMATION_NEEDED
 */
function assertMayBind(actor: MaybeActor): void {
  if (actor) requireConfirmed(actor);
}

const sourceOf = ({ id, slug, name }: SignInProvider): RowSource => ({
  label: name,
  providerId: id,
  namePrefix: slug,
  defaultDisplayName: `${name} User`,
});

const rowSettings = (provider: SignInProvider, clientSecret: string, serverAddress: string): OidcSettings => ({
  ...provider,
  clientId: provider.oauthClientId,
  clientSecret,
  serverAddress,
  label: provider.name,
  returnName: provider.slug,
  discovery: provider.issuer,
  isStrict: true,
});

/** @throws InvalidInputError without a verified address in one of the allowed domains */
function assertDomain({ allowedDomains }: SignInProvider, { email = '' }: Identity): void {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (allowedDomains.length > 0 && !allowedDomains.includes(domain)) {
    throw new InvalidInputError('Your e-mail address is not allowed to sign in here');
  }
}

/** Providers whose accounts can be bound. */
export type SourceName = keyof typeof sources;

export type TelegramAnswer = Readonly<Record<string, string | undefined>>;

/** Seconds for which a signature is valid, so that it cannot be replayed later. */
const freshSeconds = 300;
/** Parameters that the widget does not sign. */
const ownParameters: readonly string[] = ['hash', 'state'];

/**
 * Checks the signature of Telegram's login widget (docs/reference/rest/accounts.md#telegram).
 * @param now Unix seconds
 * @returns the Telegram id
 * @throws InvalidInputError
 */
function telegramIdOf(given: Readonly<Record<string, string | undefined>>, botToken: string, now: number): string {
  const invalid = new InvalidInputError('Invalid request');
  const { id, hash, auth_date: signedAt } = given;
  if (botToken === '' || !id || !/^\d{1,20}$/.test(id) || !hash || !/^\d{1,12}$/.test(signedAt ?? '')) throw invalid;
  const text = Object.entries(given)
    .filter(([name, value]) => value !== undefined && !ownParameters.includes(name))
    .map(([name, value]) => `${name}=${value ?? ''}`)
    .sort()
    .join('\n');
  const key = createHash('sha256').update(botToken).digest();
  const expected = createHmac('sha256', key).update(text).digest('hex');
  if (!sameSecret(expected, hash.toLowerCase())) throw invalid;
  if (Math.abs(now - Number(signedAt)) > freshSeconds) throw invalid;
  return id;
}
