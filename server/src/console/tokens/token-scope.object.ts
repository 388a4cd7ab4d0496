import { ObjectType } from 'type-graphql';
import { fields, moment, text } from '../../platform/graphql/fields.js';
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
export class TokenUseObject extends fields({
  address: text('Address of the client.'),
  at: moment('When the key was used last.'),
}) {}
