import { AppError } from '../../../shared/errors.js';
import type { Target } from '../../target.js';
import { asText, parseFields, someText } from '../../neutral/fields.js';

export type Mode = 'claude' | 'gemini' | 'chat';

/** Returns the maker of the model from its name; null for a name that no maker uses. */
export function makerOf(model: string): Mode | null {
  if (model.startsWith('claude')) return 'claude';
  if (model.startsWith('gemini')) return 'gemini';
  return model.includes('llama') ? 'chat' : null;
}

/**
 * The maker of the model (docs/reference/providers/gemini-and-vertex.md#vertex-ai).
 * @throws AppError UNSUPPORTED_BY_CHANNEL
 */
export function modeOf(model: string): Mode {
  const maker = makerOf(model);
  if (maker) return maker;
  throw new AppError(
    'UNSUPPORTED_BY_CHANNEL',
    'model is not supported by the provider of this channel: it has no such model',
    {
      field: 'model',
    },
  );
}

/**
 * The project of a channel's service account.
 * @returns null when the key is an API key (express mode)
 * @throws AppError UPSTREAM_UNREACHABLE for an account without a project
 */
export function projectOf({ key }: Pick<Target, 'key'>): string | null {
  const account = parseFields(key);
  if (!account) return null;
  const project = asText(account['project_id']);
  if (project === '') throw new AppError('UPSTREAM_UNREACHABLE', "The channel's key contains no project");
  return project;
}

/** `other` is one region, or a JSON object from model name to region with a `default`. */
function regionOf({ other, requestedModel }: Pick<Target, 'other' | 'requestedModel'>): string {
  const map = parseFields(other);
  const region = map ? (someText(map[requestedModel]) ?? asText(map['default'])) : other.trim();
  if (!/^[a-z0-9-]+$/.test(region))
    throw new AppError('UPSTREAM_UNREACHABLE', 'The channel has no region for the model');
  return region;
}

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `aiplatform.${region}.rep.googleapis.com`;
  return `${region}-aiplatform.googleapis.com`;
}

/** Vertex separates the date of a model name by `@`. */
export function claudeName(model: string): string {
  if (model === 'claude-3-5-sonnet-20241022') return 'claude-3-5-sonnet-v2@20241022';
  return model.replace(/-(\d{8})$/, '@$1');
}

/**
 * URL of a publisher's model.
 * @param method with its query
 */
export function modelUrl(
  target: Pick<Target, 'key' | 'other' | 'requestedModel'>,
  publisher: 'anthropic' | 'google',
  model: string,
  method: string,
): string {
  const project = projectOf(target);
  const name = encodeURIComponent(model).replaceAll('%40', '@');
  if (project === null) return `https://aiplatform.googleapis.com/v1/publishers/${publisher}/models/${name}:${method}`;
  const region = regionOf(target);
  return `https://${hostOf(region)}/v1/projects/${encodeURIComponent(project)}/locations/${region}/publishers/${publisher}/models/${name}:${method}`;
}

/** A long-running operation of a model of Google, and the URL at which it is read. */
interface Operation {
  readonly name: string;
  readonly url: string;
}

/**
 * The operation of a name behind the project, which is that of the channel's account.
 * @returns null for a name of another form
 */
export function operationOf(name: string, { key }: Pick<Target, 'key'>): Operation | null {
  const [, model, region] =
    /^(locations\/([a-z0-9-]+)\/publishers\/google\/models\/[\w.-]+)\/operations\/[\w-]+$/.exec(name) ?? [];
  const project = projectOf({ key });
  if (region === undefined || project === null) return null;
  const place = `https://${hostOf(region)}/v1/projects/${encodeURIComponent(project)}/${model}`;
  return { name: `projects/${project}/${name}`, url: `${place}:fetchPredictOperation` };
}

/**
 * URL of open models, which use chat completions.
 * @throws AppError UNSUPPORTED_BY_CHANNEL for an API key
 */
export function chatUrl(target: Target): string {
  const project = projectOf(target);
  if (project === null)
    throw new AppError('UNSUPPORTED_BY_CHANNEL', 'Open models require a service account, not an API key');
  const region = regionOf(target);
  return `https://${hostOf(region)}/v1beta1/projects/${encodeURIComponent(project)}/locations/${region}/endpoints/openapi/chat/completions`;
}

export const vertexHeaders = (target: Target, stream: boolean): Record<string, string> => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream' : 'application/json',
  ...(projectOf(target) === null
    ? { 'x-goog-api-key': target.key.trim() }
    : { authorization: `Bearer ${target.credential}` }),
});
