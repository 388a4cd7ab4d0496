import { Field, InputType, Int } from 'type-graphql';
import { inputFields, ints, text } from '../../platform/graphql/fields.js';
import { GraphQLQuota } from '../../platform/graphql/scalars.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { InvalidInputError } from '../../shared/errors.js';
import { TokenBudgetInput } from '../budgets/budget.object.js';
import { TokenScopeEnum } from './token-scope.object.js';
import type { TokenScope } from '../../shared/token-scopes.js';
import type { TokenInput } from './token-input.js';
import type { TokenRateLimit } from './token.entity.js';

@InputType('TokenRateLimitInput', {
  description: 'Absent fields stay unchanged; in a new limit they are 60, 1000 and 10.',
})
export class TokenRateLimitInput {
  @Field(() => Int, { nullable: true, description: 'Length of the period in seconds.' })
  periodSeconds?: number | null;

  @Field(() => Int, { nullable: true, description: 'Calls per period, failed ones included. Null: no limit.' })
  calls?: number | null;

  @Field(() => Int, { nullable: true, description: 'Successful calls per period. Null: no limit.' })
  successes?: number | null;
}

@InputType()
abstract class TokenFieldsInput {
  @Field(() => String, { nullable: true, description: 'Null: the group of the user.' })
  group?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'At most 10 groups that are tried after `group`, in this order. Null: none.',
  })
  fallbackGroups?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'At most 10 models that are called in place of one that no channel can serve. Null: as the site sets.',
  })
  fallbackModels?: string[] | null;

  @Field(() => GraphQLQuota, { nullable: true, description: 'Remaining quota of the key. Null: unlimited.' })
  quota?: number | null;

  @Field(() => [String], { nullable: true, description: 'The models it can call, at least one. Null: all.' })
  modelLimits?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'IP addresses and CIDR ranges that can use it. Null: all.' })
  allowIps?: string[] | null;

  @Field(() => TokenRateLimitInput, { nullable: true, description: 'Null: only that of the user.' })
  rateLimit?: TokenRateLimitInput | null;

  @Field(() => Date, { nullable: true, description: 'In the future. Null: never.' })
  expiresAt?: Date | null;

  @Field(() => [TokenScopeEnum], { nullable: true, description: 'At least one. Null: RELAY and USAGE.' })
  scopes?: TokenScope[] | null;
}

@InputType('CreateTokenInput', { description: 'Absent fields are null: a key without a quota is unlimited.' })
export class CreateTokenInput extends TokenFieldsInput {
  @Field(() => String, { description: '1 to 30 characters.' })
  name: string;

  @Field(() => [TokenBudgetInput], {
    nullable: true,
    description: 'At most 20 budgets of the key, which is not created without them.',
  })
  budgets?: TokenBudgetInput[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'A retry with the same key returns the API key of the first call.',
  })
  idempotencyKey?: string | null;
}

@InputType('UpdateTokenInput', { description: 'Absent fields stay unchanged.' })
export class UpdateTokenInput extends TokenFieldsInput {
  @Field(() => Int, { description: '`Token.id`.' })
  id: number;

  @Field(() => String, { nullable: true, description: '1 to 30 characters.' })
  name?: string | null;

  @Field(() => GraphQLQuota, {
    nullable: true,
    description:
      'Instead of `quota`: the new `Token.grantedQuota`. The difference is added to the remaining quota, so that what the ' +
      'key spends in the meantime stays spent. Less than that leaves 0.',
  })
  grantedQuota?: number | null;
}

/**
 * Converts an input, in which a null quota, list of models or rate limit means none.
 * @throws InvalidInputError for an empty list of models, and for `quota` and `grantedQuota` together
 */
export function toTokenInput(input: CreateTokenInput | UpdateTokenInput): TokenInput {
  const { name, group, fallbackGroups, fallbackModels, quota, modelLimits, allowIps, rateLimit, expiresAt, scopes } =
    input;
  const grantedQuota = 'grantedQuota' in input ? (input.grantedQuota ?? undefined) : undefined;
  if (modelLimits?.length === 0) throw new InvalidInputError('List at least one model, or null for all', 'modelLimits');
  if (grantedQuota !== undefined && quota !== undefined) {
    throw new InvalidInputError('Give either quota or grantedQuota', 'grantedQuota');
  }
  return {
    name: name ?? undefined,
    expiresAt,
    scopes,
    allowIps,
    group,
    fallbackGroups,
    fallbackModels,
    unlimitedQuota: quota === undefined ? undefined : quota === null,
    remainQuota: quota ?? undefined,
    grantedQuota,
    modelLimitsEnabled: modelLimits === undefined ? undefined : modelLimits !== null,
    modelLimits: modelLimits ?? undefined,
    rateLimit: rateLimit === undefined ? undefined : toRateLimit(rateLimit),
  };
}

const toRateLimit = (given: TokenRateLimitInput | null): Partial<TokenRateLimit> =>
  given
    ? omitUndefined({
        enabled: true,
        periodSeconds: given.periodSeconds ?? undefined,
        calls: given.calls,
        successes: given.successes,
      })
    : { enabled: false };

@InputType({ description: 'API keys, and the group that they move to.' })
export class SetTokenGroupInput extends inputFields({
  ids: ints('`Token.id` of the keys.'),
  group: text.orNull('The new group. Absent or null: the group of the owner.'),
}) {}
