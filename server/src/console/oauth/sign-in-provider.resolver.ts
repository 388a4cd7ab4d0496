import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import { originOf } from '../../platform/http/session-cookie.js';
import { ensureVisitor } from '../../platform/http/visitor.js';
import { BeginSignInPayload } from './oauth.object.js';
import type { OAuthService } from './oauth.service.js';
import {
  BeginProviderSignInInput,
  CreateSignInProviderInput,
  OfferedSignInProviderObject,
  SignInProviderObject,
  toOffered,
  toProviderInput,
  toProviderObject,
  UpdateSignInProviderInput,
} from './sign-in-provider.object.js';
import type { SignInProviderService } from './sign-in-provider.service.js';

const ofProvider = { provider: [() => SignInProviderObject, 'The provider after the change.'] } as const;
interface ProviderPayload {
  provider: SignInProviderObject;
}

/** Sign-in providers that are rows. The browser returns over REST: `GET /api/oauth/provider/<slug>`. */
@Resolver()
export class SignInProviderResolver {
  constructor(
    private readonly providers: SignInProviderService,
    private readonly oauth: OAuthService,
  ) {}

  @Query(() => [OfferedSignInProviderObject], { description: 'Those at which an account is bound to the caller.' })
  @Access('common')
  async boundSignInProviders(@Ctx() { actor }: GraphQLContext): Promise<OfferedSignInProviderObject[]> {
    return (await this.providers.bound(actor)).map(toOffered);
  }

  @Query(() => [SignInProviderObject], { description: 'All of them with their settings.' })
  @Access('root')
  async signInProviders(@Ctx() { actor }: GraphQLContext): Promise<SignInProviderObject[]> {
    return (await this.providers.list(actor)).map(toProviderObject);
  }

  @Access('root')
  @PayloadMutation(ofProvider, 'Adds a sign-in provider.')
  async createSignInProvider(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateSignInProviderInput, { description: 'The provider.' }) input: CreateSignInProviderInput,
  ): Promise<ProviderPayload> {
    return { provider: toProviderObject(await this.providers.create(actor, toProviderInput(input))) };
  }

  @Access('root')
  @PayloadMutation(ofProvider, 'Changes a sign-in provider. Its addresses cannot change while accounts are bound.')
  async updateSignInProvider(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateSignInProviderInput, { description: 'The provider, and what to change.' })
    { id, ...input }: UpdateSignInProviderInput,
  ): Promise<ProviderPayload> {
    return { provider: toProviderObject(await this.providers.update(actor, id, toProviderInput(input))) };
  }

  @Access('root')
  @PayloadMutation(
    { id: [() => Int, 'The deleted provider.'] },
    'Deletes a sign-in provider with the links of accounts to it. Refused while an account has no other way to sign in.',
  )
  async deleteSignInProvider(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`AddedSignInProvider.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.providers.remove(actor, id);
    return { id };
  }

  @Mutation(() => BeginSignInPayload, {
    description: 'Begins a sign-in at one of them. A signed-in caller binds the account at the provider instead.',
  })
  beginProviderSignIn(
    @Ctx() { actor, request, reply }: GraphQLContext,
    @Arg('input', () => BeginProviderSignInInput, { description: 'The provider, and who invited the new user.' })
    { slug, inviteCode }: BeginProviderSignInInput,
  ): Promise<BeginSignInPayload> {
    const visitor = ensureVisitor(request, reply);
    return this.oauth.beginAt({ actor, origin: originOf(request), visitor }, inviteCode ?? '', slug);
  }

  @Access('common')
  @PayloadMutation(
    { bound: [() => [OfferedSignInProviderObject], 'Those that are still bound.'] },
    'Unbinds the account at one of them. The only remaining way to sign in cannot be removed.',
  )
  async unbindSignInProvider(
    @Ctx() { actor }: GraphQLContext,
    @Arg('slug', () => String, { description: '`OfferedSignInProvider.slug`.' }) slug: string,
  ): Promise<{ bound: OfferedSignInProviderObject[] }> {
    await this.oauth.unbindAt(actor, slug);
    return { bound: (await this.providers.bound(actor)).map(toOffered) };
  }
}
