import type { Fields } from '../shared/json.js';
import type { Family } from './family.js';
import type { MovedLog } from './map/logs.js';
import type { Aliases } from './prices/served-calls.js';
import { hasAudio } from './prices/source-price.js';

/** A call that a log row can be of. */
interface RowReading {
  /** The requested model. */
  readonly model: string;
  /** The details of the row. */
  readonly details: Fields;
}

/** Kinds of tokens that one-api charges like all others. Its log does not tell them apart. */
const hiddenKinds = [
  { ofModel: /^/, input: 'cachedInput', output: 'output', column: 'cache_tokens' },
  { ofModel: /claude/, input: 'cacheWrite', output: 'output', column: 'cache_creation_tokens' },
  { ofModel: hasAudio, input: 'audioInput', output: 'audioOutput', column: 'audio_tokens' },
] as const;

/**
 * Returns the calls that a row can be of, because it does not say more: with the model as it is logged or under an alias, and in
 * one-api with tokens of any kind. The source charged the same for each of them. The first is the call as the row has it.
 */
export function possibleCalls(
  { modelName, promptTokens, completionTokens }: Pick<MovedLog, 'modelName' | 'promptTokens' | 'completionTokens'>,
  details: Fields,
  family: Family,
  aliases: Aliases,
): RowReading[] {
  const hidden = family === 'one-api' ? hiddenKinds.filter(({ ofModel }) => ofModel.test(modelName)) : [];
  const ofKinds = hidden.map(({ input, output, column }) => ({
    [column]: promptTokens,
    components: [
      [input, promptTokens, 0],
      [output, completionTokens, 0],
    ],
  }));
  const models = [modelName, ...(aliases.get(modelName) ?? [])];
  return models.flatMap((model) => [details, ...ofKinds].map((some) => ({ model, details: some })));
}
