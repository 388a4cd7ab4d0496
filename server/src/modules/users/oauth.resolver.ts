import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { originOf } from '../../http/session-cookie.js';
import { ensureVisitor } from '../../http/visitor.js';
import type { OAuthService, OidcEndpoints, ProviderName, SourceName } from '../oauth/oauth.service.js';
import type { EmailBinding } from '../registration/email-binding.service.js';
import { BoundIdentity, OidcEndpointsObject, SignInProvider, SignInStartObject } from './oauth.object.js';

/** The browser returns over REST: `GET /api/oauth/<provider>`. */
@Resolver()
export class OAuthResolver {
  constructor(
    private readonly oauth: OAuthService,
    private readonly emailBinding: EmailBinding,
  ) {}

  @Mutation(() => SignInStartObject, { description: 'Starts a sign-in, or a binding if the caller is signed in.' })
  beginSignIn(
    @Ctx() { actor, request, reply }: GraphQLContext,
    @Arg('provider', () => SignInProvider) provider: ProviderName,
    @Arg('affCode', () => String, { nullable: true }) affCode?: string | null,
  ): Promise<SignInStartObject> {
    const visitor = ensureVisitor(request, reply);
    return this.oauth.begin({ actor, origin: originOf(request), visitor }, affCode ?? '', provider);
  }

  @Access('common')
  @Mutation(() => Boolean, { description: 'The code comes from `sendEmailCode`.' })
  async bindEmail(
    @Ctx() { actor, request }: GraphQLContext,
    @Arg('email', () => String) email: string,
    @Arg('code', () => String) code: string,
  ): Promise<boolean> {
    await this.emailBinding.bind(actor, email, code, request.ip);
    return true;
  }

  @Access('common')
  @Mutation(() => Boolean, { description: 'The code comes from the official account.' })
  async bindWechat(
    @Ctx() { actor, request }: GraphQLContext,
    @Arg('code', () => String) code: string,
  ): Promise<boolean> {
    await this.oauth.bindWeChat(actor, code, request.ip);
    return true;
  }

  @Access('common')
  @Mutation(() => Boolean, { description: 'Unbinds an identity of the caller, unless it is the only way to sign in.' })
  async unbindIdentity(
    @Ctx() { actor }: GraphQLContext,
    @Arg('identity', () => BoundIdentity) identity: SourceName,
  ): Promise<boolean> {
    await this.oauth.unbind(actor, identity);
    return true;
  }

  @Access('root')
  @Mutation(() => OidcEndpointsObject, {
    description: 'Reads the endpoints of a well-known URL, for the settings form. For root.',
  })
  discoverOidc(
    @Ctx() { actor }: GraphQLContext,
    @Arg('wellKnown', () => String) wellKnown: string,
  ): Promise<OidcEndpoints> {
    return this.oauth.discover(actor, wellKnown);
  }
}
