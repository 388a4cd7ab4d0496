import { Field, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import type { TokenScope } from '../../shared/token-scopes.js';

export const TokenScopeEnum: { readonly [Name in 'RELAY' | 'USAGE' | 'KEYS']: TokenScope } = enumType(
  'TokenScope',
  { RELAY: 'relay', USAGE: 'usage', KEYS: 'keys' },
  'What an API key may do.',
  {
    RELAY: 'Call models.',
    USAGE: 'Read its own usage, budget and log rows.',
    KEYS: 'Create, change, rotate and delete the keys of its owner over REST.',
  },
);

@ObjectType('TokenUse', { description: 'The last use of an API key, within about a minute.' })
export class TokenUseObject {
  @Field(() => String, { description: 'Address of the client.' })
  address: string;

  @Field(() => Date, { description: 'When the key was used last.' })
  at: Date;
}
