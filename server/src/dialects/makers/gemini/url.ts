import type { Target } from '../../target.js';

/** Names of tuned models contain their own folder. */
export const modelPath = (model: string): string => (model.includes('/') ? model : `models/${model}`);

/** @param method called on the model, with its query */
export function geminiUrl(target: Target, model: string, method: string): string {
  const base = target.baseUrl
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/v1(?:beta|alpha)?$/, '');
  const versions = target.families.geminiVersions;
  const version = versions[model] ?? versions['default'] ?? 'v1beta';
  const path = modelPath(model).split('/').map(encodeURIComponent).join('/');
  return `${base}/${version}/${path}:${method}`;
}

/** The key is never part of the URL, which is logged. */
export const geminiHeaders = (target: Target, stream: boolean): Record<string, string> => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream' : 'application/json',
  'x-goog-api-key': target.key,
});
