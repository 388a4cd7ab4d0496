import type { Target } from '../../target.js';
import { asFields, type Fields } from '../../neutral/fields.js';
import { addOverride } from '../../overrides/body-override.js';
import { cutSuffix, geminiTraits } from './gemini-model.js';
import type { GeminiSettings } from './gemini-settings.js';
import { thinkingConfig } from './gemini-thinking.js';
import { withoutForeignSignatures } from './own-signatures.js';

/** Differences of a body in Google's dialect from the client's body. */
export interface NativeChanges {
  readonly model: string;
  /** Fields to set; undefined removes one. */
  readonly changes: Record<string, unknown>;
}

/**
 * Returns the changes of a native body: thinking by name suffix if the admin enabled it, signatures of other providers
 * removed, and the channel's override.
 * @param named changes that follow from the model's name
 */
export function nativeGeminiChanges(
  body: Fields,
  target: Target,
  settings: GeminiSettings,
  named: (model: string) => Record<string, unknown> = () => ({}),
): NativeChanges {
  const { model, suffix } = target.passThrough
    ? { model: target.upstreamModel, suffix: null }
    : cutSuffix(target.upstreamModel, settings);
  const changes = named(model);
  const config = asFields(body['generationConfig']) ?? {};
  if (suffix && config['thinkingConfig'] === undefined) {
    const limit = typeof config['maxOutputTokens'] === 'number' ? config['maxOutputTokens'] : undefined;
    const thinking = thinkingConfig(model, suffix, undefined, limit, geminiTraits(model, settings), settings);
    if (thinking) changes['generationConfig'] = { ...config, thinkingConfig: thinking };
  }
  if (!target.passThrough) {
    const contents = withoutForeignSignatures(body['contents']);
    if (contents) changes['contents'] = contents;
    addOverride(body, changes, target);
  }
  return { model, changes };
}
