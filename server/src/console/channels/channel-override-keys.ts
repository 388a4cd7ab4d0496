import { InvalidInputError } from '../../shared/errors.js';
import { parseJson } from '../../shared/json.js';
import type { ChannelFields } from './channel-input.js';
import { textsOfOverride } from '../../shared/channel-override.js';

type Overrides = Partial<Pick<ChannelFields, 'paramOverride' | 'headerOverride'>>;

/** Whether a change sets an override. */
export const namesOverride = ({ paramOverride, headerOverride }: Overrides): boolean =>
  Boolean(paramOverride) || Boolean(headerOverride);

/** Characters. Shorter keys are ordinary words, such as those of a local server. */
const minKey = 8;

/**
 * Refuses an override that contains the key of another channel, unless the channel itself has the same key.
 * @throws InvalidInputError
 */
export function checkForeignKeys(
  { paramOverride, headerOverride }: Overrides,
  foreign: readonly string[],
  own: readonly string[],
): void {
  const keys = foreign.filter((key) => key.length >= minKey && !own.some((each) => each.includes(key)));
  const holdsKey = (text: string | undefined): boolean => {
    const texts = textsOfOverride(parseJson(text ?? ''));
    return keys.some((key) => texts.some((each) => each.includes(key)));
  };
  if (holdsKey(headerOverride)) {
    throw new InvalidInputError('Header override: contains the key of another channel', 'headers');
  }
  if (holdsKey(paramOverride)) {
    throw new InvalidInputError('Parameter override: contains the key of another channel', 'parameters');
  }
}
