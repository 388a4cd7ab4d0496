import { anthropicPage, geminiPage, type OfferedModel } from './model-page.js';
import { modelPermission } from '../../../shared/model-permission.js';
import { dateOf } from '../../../shared/clock.js';

export type ModelListFormat = 'openai' | 'anthropic' | 'gemini';

/** The creation time of every model in Unix seconds, which older gateways report too. */
const created = 1_626_777_600;

/**
 * The list shape that a client expects, by the way it presents its key (docs/reference/relay/routes.md#model-lists).
 */
export function modelListFormat(
  headers: Readonly<Record<string, unknown>>,
  path: string,
  query: string,
): ModelListFormat {
  if (headers['anthropic-version']) return 'anthropic';
  if (headers['x-goog-api-key'] || path.startsWith('/v1beta/') || new URLSearchParams(query).has('key'))
    return 'gemini';
  return 'openai';
}

export const openAIModel = ({ id, root, ownedBy }: OfferedModel): Record<string, unknown> => ({
  id,
  object: 'model',
  created,
  owned_by: ownedBy,
  permission: [modelPermission],
  root,
  parent: null,
});

const anthropicModel = ({ id, maxInput, maxOutput }: OfferedModel): Record<string, unknown> => ({
  id,
  created_at: dateOf(created).toISOString().replace('.000', ''),
  display_name: id,
  type: 'model',
  ...(maxInput > 0 ? { max_input_tokens: maxInput } : {}),
  ...(maxOutput > 0 ? { max_tokens: maxOutput } : {}),
});

const geminiModel = ({ id, maxInput, maxOutput }: OfferedModel): Record<string, unknown> => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
  ...(maxInput > 0 ? { inputTokenLimit: maxInput } : {}),
  ...(maxOutput > 0 ? { outputTokenLimit: maxOutput } : {}),
});

/**
 * Returns the list of models in the format of the client. Codex, which names its version, also requires `models`. It refuses
 * the whole list when an entry has no instructions for the model, and else replaces its own by them, so the list is
 * empty and Codex keeps its own data (docs/clients/codex.md).
 * @param query the query of the request, which may ask for a page
 */
export function modelList(
  offered: readonly OfferedModel[],
  format: ModelListFormat,
  query: string,
): Record<string, unknown> {
  const asked = new URLSearchParams(query);
  if (format === 'openai') {
    const list = { success: true, object: 'list', data: offered.map(openAIModel) };
    return asked.has('client_version') ? { ...list, models: [] } : list;
  }
  const { models, hasMore } = format === 'gemini' ? geminiPage(offered, asked) : anthropicPage(offered, asked);
  const last = models.at(-1)?.id ?? null;
  if (format === 'gemini') return { models: models.map(geminiModel), nextPageToken: hasMore ? last : null };
  return { data: models.map(anthropicModel), first_id: models[0]?.id ?? null, has_more: hasMore, last_id: last };
}

export const oneModel = (model: OfferedModel, format: ModelListFormat): Record<string, unknown> =>
  format === 'anthropic' ? anthropicModel(model) : format === 'gemini' ? geminiModel(model) : openAIModel(model);

/** The error of a model that the caller cannot see. */
export const unknownModel = (id: string) => ({
  message: `The model '${id}' does not exist`,
  type: 'invalid_request_error',
  param: 'model',
  code: 'model_not_found',
});
