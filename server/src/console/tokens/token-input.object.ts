import { InputType } from 'type-graphql';
import { flag, inputFields, int, ints, moment, nullable, quota, text, texts } from '../../platform/graphql/fields.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import { InvalidInputError } from '../../shared/errors.js';
import { TokenBudgetInput } from '../budgets/budget.object.js';
import { TokenScopeEnum } from './token-scope.object.js';
import type { TokenScope } from '../../shared/token-scopes.js';
import type { TokenInput } from './token-input.js';
import type { TokenRateLimit } from '../../billing/accounts/index.js';

@InputType('TokenRateLimitInput', {
  description: 'Absent fields stay unchanged; in a new limit they are 60, 1000 and 10.',
})
export class TokenRateLimitInput extends inputFields({
  periodSeconds: int.orNull('Length of the period in seconds.'),
  calls: int.orNull('Calls per period, failed ones included. Null: no limit.'),
  successes: int.orNull('Successful calls per period. Null: no limit.'),
}) {}

@InputType()
abstract class TokenFieldsInput extends inputFields({
  group: text.orNull('Null: the group of the user.'),
  fallbackGroups: texts.orNull('At most 10 groups that are tried after `group`, in this order. Null: none.'),
  fallbackModels: texts.orNull(
    'At most 10 models that are called in place of one that no channel can serve. Null: as the site sets.',
  ),
  quota: quota.orNull('Remaining quota of the key. Null: unlimited.'),
  modelLimits: texts.orNull('The models it can call, at least one. Null: all.'),
  allowIps: texts.orNull('IP addresses and CIDR ranges that can use it. Null: all.'),
  rateLimit: nullable<TokenRateLimitInput>(() => TokenRateLimitInput, 'Null: only that of the user.'),
  expiresAt: moment.orNull('In the future. Null: never.'),
  scopes: nullable<TokenScope[]>(() => [TokenScopeEnum], 'At least one. Null: RELAY and USAGE.'),
}) {}

@InputType('CreateTokenInput', { description: 'Absent fields are null: a key without a quota is unlimited.' })
export class CreateTokenInput extends inputFields(
  {
    name: text('1 to 30 characters.'),
    budgets: nullable<TokenBudgetInput[]>(
      () => [TokenBudgetInput],
      'At most 20 budgets of the key, which is not created without them.',
    ),
    projectId: int.orNull('`Project.id` of the organisation for which the caller acts. Cannot be changed later.'),
    isShared: flag.orNull('True: the key is of the organisation itself, and not of the caller as its member.'),
    idempotencyKey: text.orNull('A retry with the same key returns the API key of the first call.'),
  },
  TokenFieldsInput,
) {}

@InputType('UpdateTokenInput', { description: 'Absent fields stay unchanged.' })
export class UpdateTokenInput extends inputFields(
  {
    id: int('`Token.id`.'),
    name: text.orNull('1 to 30 characters.'),
    grantedQuota: quota.orNull(
      'Instead of `quota`: the new `Token.grantedQuota`. The difference is added to the remaining quota, so that what the ' +
        'key spends in the meantime stays spent. Less than that leaves 0.',
    ),
  },
  TokenFieldsInput,
) {}

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
