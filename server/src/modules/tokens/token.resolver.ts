import { Arg, Args, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { Access } from '../../graphql/access.js';
import type { GraphQLContext } from '../../graphql/context.js';
import { omitNullish } from '../../graphql/nullable.js';
import { pageQueryOf } from '../../graphql/page.object.js';
import type { Page } from '../../shared/page.js';
import {
  CreatedToken,
  TokenInputObject,
  TokenListArgs,
  TokenObject,
  TokenPage,
  TokenPatchInput,
  toTokenFields,
  toTokenObject,
} from './token.object.js';
import type { Token } from './token.entity.js';
import type { TokenFilter, TokenService } from './token.service.js';

@Resolver(() => TokenObject)
export class TokenResolver {
  constructor(private readonly tokenService: TokenService) {}

  @Access('common')
  @Query(() => TokenPage, { description: 'Own API keys, the newest first unless sorted.' })
  async myTokens(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => TokenListArgs) args: TokenListArgs,
  ): Promise<Page<TokenObject>> {
    return toPage(
      await this.tokenService.listOwn(actor, omitNullish<TokenFilter>(args.filter ?? {}), pageQueryOf(args)),
    );
  }

  @Access('admin')
  @Query(() => TokenPage, { description: 'API keys of all users.' })
  async tokens(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => TokenListArgs) args: TokenListArgs,
  ): Promise<Page<TokenObject>> {
    return toPage(await this.tokenService.list(actor, omitNullish<TokenFilter>(args.filter ?? {}), pageQueryOf(args)));
  }

  @Access('common', 'WRITE')
  @Query(() => String, { description: 'An own key in clear, with `sk-`.' })
  async tokenKey(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<string> {
    return `sk-${(await this.tokenService.getOwnKey(actor, id)).key}`;
  }

  @Access('common')
  @Mutation(() => CreatedToken)
  async createToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => TokenInputObject) input: TokenInputObject,
  ): Promise<CreatedToken> {
    const { token, key } = await this.tokenService.create(actor, toTokenFields(input));
    return { token: toTokenObject(token), key: `sk-${key}` };
  }

  @Access('common')
  @Mutation(() => TokenObject)
  async updateToken(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int) id: number,
    @Arg('input', () => TokenPatchInput) { status, ...input }: TokenPatchInput,
  ): Promise<TokenObject> {
    return toTokenObject(await this.tokenService.update(actor, id, toTokenFields(input), status ?? undefined));
  }

  @Access('common')
  @Mutation(() => Boolean)
  async deleteToken(@Ctx() { actor }: GraphQLContext, @Arg('id', () => Int) id: number): Promise<boolean> {
    await this.tokenService.delete(actor, id);
    return true;
  }
}

const toPage = ({ items, totalCount }: Page<Token>): Page<TokenObject> => ({
  items: items.map(toTokenObject),
  totalCount,
});
