import { providers } from '../../dialects/providers/providers.js';
import { firstOwnType, mapType } from './channel-types.js';

/** Custom channels whose endpoints are chosen: new-api uses the number for something else. */
const chosenEndpoints = 58;

/** The key of a channel goes to the host of its type, so a number must mean one provider in both programs. */
it.each(['new-api', 'veloera'] as const)(
  'a number of %s is served by the provider that was listed for it',
  (family) => {
    const sameNumber = providers.filter(({ id }) => mapType(family, id, [])?.type === id).map(({ id }) => id);
    const others = providers.filter(({ id, offered }) => offered && !sameNumber.includes(id)).map(({ id }) => id);
    expect(others.filter((id) => id < firstOwnType)).toEqual([chosenEndpoints]);
    expect(mapType(family, chosenEndpoints, [])).toBeNull();
  },
);

it.each([52, 56, 57, 59, 61, 64, 999, firstOwnType])(
  'type %s of new-api, which no provider here serves, is not mapped',
  (type) => {
    expect(mapType('new-api', type, [])).toBeNull();
  },
);
