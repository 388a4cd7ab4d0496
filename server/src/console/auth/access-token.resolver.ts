import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import {
  AccessTokenObject,
  CreateAccessTokenInput,
  CreateAccessTokenPayload,
  RevokeAccessTokenPayload,
} from './access-token.object.js';
import type { AccessTokenService } from './access-token.service.js';

@Resolver(() => AccessTokenObject)
export class AccessTokenResolver {
  constructor(private readonly accessTokenService: AccessTokenService) {}

  @Access('common')
  @Query(() => [AccessTokenObject], { description: 'The caller’s named access tokens, newest first.' })
  accessTokens(@Ctx() { actor }: GraphQLContext): Promise<AccessTokenObject[]> {
    return this.accessTokenService.list(actor);
  }

  @Access('common')
  @Mutation(() => CreateAccessTokenPayload, {
    description: 'Creates an access token. Not allowed for callers that use a named access token.',
  })
  async createAccessToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateAccessTokenInput, { description: 'Name, scopes and expiry of the token.' })
    input: CreateAccessTokenInput,
  ): Promise<CreateAccessTokenPayload> {
    const { row, token } = await this.accessTokenService.create(actor, input);
    return { accessToken: row, secret: token };
  }

  @Access('common')
  @Mutation(() => RevokeAccessTokenPayload, { description: 'Revokes an access token immediately.' })
  async revokeAccessToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`AccessToken.id`, of one of the caller’s tokens.' }) id: number,
  ): Promise<RevokeAccessTokenPayload> {
    return { accessToken: await this.accessTokenService.revoke(actor, id) };
  }
}
