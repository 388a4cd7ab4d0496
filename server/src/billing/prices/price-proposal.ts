import { InvalidInputError } from '../../shared/errors.js';
import { isOptionKey, parseOption, type OptionValues } from '../../options/option.service.js';

/** Settings that a proposal may change. */
export const proposable = [
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'GroupRatio',
  'PriceCards',
  'ToolPrices',
] as const satisfies ReadonlyArray<keyof OptionValues>;

/** A setting with another value, in the text form in which it is saved. */
export interface ProposedSetting {
  readonly key: string;
  readonly value: string;
}

const keys: ReadonlySet<string> = new Set(proposable);

/**
 * Returns the current settings with those of a proposal.
 * @throws AppError INVALID_INPUT for other settings, and like a save of the setting
 */
export function proposedValues(current: OptionValues, settings: readonly ProposedSetting[]): OptionValues {
  const changed = settings.map(({ key, value }) => {
    if (!keys.has(key) || !isOptionKey(key)) {
      throw new InvalidInputError(`${key.slice(0, 40)} is no setting of prices`, 'settings');
    }
    return [key, parseOption(key, value)] as const;
  });
  return { ...current, ...Object.fromEntries(changed) };
}
