import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { originOf } from '../../platform/http/session-cookie.js';
import { ensureVisitor } from '../../platform/http/visitor.js';
import type { MaybeActor } from '../../shared/actor.js';
import type { OAuthService, SourceName } from './oauth.service.js';
import type { OidcEndpoints } from './oidc-provider.js';
import type { EmailBinding } from '../registration/index.js';
import type { User } from '../../billing/accounts/index.js';
import type { AccountService } from '../users/index.js';
import { BeginSignInInput, BeginSignInPayload, BindEmailInput, OidcEndpointsObject } from './oauth.object.js';
import { IdentityProviderEnum, type IdentityColumn, ofUser } from '../users/user.object.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

const sources: Readonly<Record<IdentityColumn, SourceName>> = {
  githubId: 'github',
  oidcId: 'oidc',
  linuxDoId: 'linuxdo',
  wechatId: 'wechat',
  telegramId: 'telegram',
};

/** GraphQL of sign-in through providers. The browser returns over REST: `GET /api/oauth/<provider>`. */
@Resolver()
export class OAuthResolver {
  constructor(
    private readonly oauth: OAuthService,
    private readonly emailBinding: EmailBinding,
    private readonly accounts: Pick<AccountService, 'get'>,
  ) {}

  @Mutation(() => BeginSignInPayload, {
    description: 'Begins a sign-in at a provider. A signed-in caller binds the account at the provider instead.',
  })
  beginSignIn(
    @Ctx() { actor, request, reply }: GraphQLContext,
    @Arg('input', () => BeginSignInInput, { description: 'The provider, and who invited the new user.' })
    { provider, inviteCode }: BeginSignInInput,
  ): Promise<BeginSignInPayload> {
    const visitor = ensureVisitor(request, reply);
    return this.oauth.begin({ actor, origin: originOf(request), visitor }, inviteCode ?? '', provider);
  }

  @Access('common')
  @PayloadMutation(ofUser, 'Sets the caller’s e-mail address. Not allowed for callers that use an access token.')
  async bindEmail(
    @Ctx() { actor, request }: GraphQLContext,
    @Arg('input', () => BindEmailInput, { description: 'The address and its code.' }) { email, code }: BindEmailInput,
  ): Promise<{ user: User }> {
    await this.emailBinding.bind(actor, email, code, request.ip);
    return this.changed(actor);
  }

  @Access('common')
  @PayloadMutation(
    ofUser,
    'Binds a WeChat account. The official account sends the code. Not allowed for callers that use an access token.',
  )
  async bindWechat(
    @Ctx() { actor, request }: GraphQLContext,
    @Arg('code', () => String, { description: 'The code that the official account sent to the user.' }) code: string,
  ): Promise<{ user: User }> {
    await this.oauth.bindWeChat(actor, code, request.ip);
    return this.changed(actor);
  }

  @Access('common')
  @PayloadMutation(
    ofUser,
    'Removes an identity of the caller. The only remaining way to sign in cannot be removed. Not allowed for callers that use a named access token.',
  )
  async unbindIdentity(
    @Ctx() { actor }: GraphQLContext,
    @Arg('provider', () => IdentityProviderEnum, { description: 'Where the account is.' }) provider: IdentityColumn,
  ): Promise<{ user: User }> {
    await this.oauth.unbind(actor, sources[provider]);
    return this.changed(actor);
  }

  @Access('root')
  @PayloadMutation(
    { endpoints: [() => OidcEndpointsObject, 'The endpoints that the document names.'] },
    'Reads the endpoints of a provider from its well-known address. Changes nothing.',
  )
  async discoverOidc(
    @Ctx() { actor }: GraphQLContext,
    @Arg('wellKnown', () => String, {
      description: 'http or https address of the document `/.well-known/openid-configuration`.',
    })
    wellKnown: string,
  ): Promise<{ endpoints: OidcEndpoints }> {
    return { endpoints: await this.oauth.discover(actor, wellKnown) };
  }

  private async changed(actor: MaybeActor): Promise<{ user: User }> {
    return { user: await this.accounts.get(actor) };
  }
}
