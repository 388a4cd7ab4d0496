import { InvalidInputError } from '../../shared/errors.js';
import type { ChannelFields } from './channel-input.js';
import { textsOfOverride } from '../../shared/channel-override.js';

type Overrides = Partial<Pick<ChannelFields, 'parameters' | 'headers'>>;

/** Whether a change sets an override. */
export const namesOverride = ({ parameters, headers }: Overrides): boolean => Boolean(parameters ?? headers);

/** Characters. Shorter keys may be ordinary words: the key of a local server often is one. */
const minKey = 8;

/**
 * Refuses an override that contains the key of another channel, unless the channel itself has the same key.
 * @throws InvalidInputError
 */
export function checkForeignKeys(
  { parameters, headers }: Overrides,
  foreign: readonly string[],
  own: readonly string[],
): void {
  const keys = foreign.filter((key) => key.length >= minKey && !own.some((each) => each.includes(key)));
  const holdsKey = (override: unknown): boolean => {
    const texts = textsOfOverride(override);
    return keys.some((key) => texts.some((each) => each.includes(key)));
  };
  if (holdsKey(headers)) {
    throw new InvalidInputError('Header override: contains the key of another channel', 'headers');
  }
  if (holdsKey(parameters)) {
    throw new InvalidInputError('Parameter override: contains the key of another channel', 'parameters');
  }
}
