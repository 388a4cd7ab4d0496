import { providerOf } from '../../dialects/makers/providers.js';
import { InvalidInputError } from '../../shared/errors.js';
import { omitUndefined } from '../../shared/omit-undefined.js';
import {
  checkRegion,
  checkWhole,
  joinKeys,
  newChannelDefaults,
  parseFields,
  type ChannelInput,
} from './channel-input.js';

export type NewChannel = ReturnType<typeof newChannel>;

/**
 * Validates a new channel.
 * @returns its row, and its keys in stored form
 * @throws InvalidInputError
 */
export function newChannel(given: ChannelInput) {
  const { key, ...fields } = parseFields({ ...newChannelDefaults, ...omitUndefined(given) });
  const type = fields.type ?? newChannelDefaults.type;
  const keys = joinKeys(type, key ?? '');
  if (!fields.name) throw new InvalidInputError('Fill in the channel name', 'name');
  if (keys === '') throw new InvalidInputError('Fill in the channel key', 'keys');
  if (!fields.models) throw new InvalidInputError('At least one model is required', 'models');
  const other = fields.other || (providerOf(type).other.default ?? '');
  const row = { ...fields, type, other, baseUrl: fields.baseUrl ?? '' };
  checkWhole(row);
  checkRegion(type, row.other);
  return { row, keys };
}
