import type { Adapter } from '../../contract.js';
import type { Target } from '../../target.js';
import { everythingAt } from '../openai-compatible/variant.js';
import { needsResponses, openAICompatible } from '../openai-compatible/openai-compatible.js';
import { deploymentRules } from '../openai-compatible/chat-body.js';
import { azureDrawingHeader, drawingIn } from '../../languages/responses/drawing-tool.js';

/** Older channels name their deployments without dots. */
const dotsSince = new Date('2025-05-10T00:00:00Z');
const defaultVersion = '2024-12-01-preview';
/** Versions of the `/openai/v1` API, which has no dates. */
const undated = /^(?:v1|preview|latest)$/;
const cloudflareGateway = 'https://gateway.ai.cloudflare.com';

/** Returns the deployment of a model, which is in the URL. */
export const deploymentOf = (model: string, { createdAt }: Pick<Target, 'createdAt'>): string =>
  createdAt === null || createdAt < dotsSince ? model.replaceAll('.', '') : model;

/**
 * Returns `/openai/deployments/{deployment}/{task}?api-version=`, or the `/openai/v1` API if the version is one of that
 * API, such as `v1` (docs/reference/providers/openai-family.md).
 */
export function azureUrl(base: string, { path }: { readonly path: string }, target: Target): string {
  const [route = '', query = ''] = path.split('?', 2);
  const task = route.replace(/^\/v1\//, '');
  const asked = new URLSearchParams(query).get('api-version');
  const named = target.other.trim();
  const given = asked || named;
  if (undated.test(given)) return `${base}/openai/v1/${task}${given === 'v1' ? '' : `?api-version=${given}`}`;
  const version = encodeURIComponent(given || target.azureVersion || defaultVersion);
  const deployment = encodeURIComponent(deploymentOf(target.upstreamModel, target));
  const prefix = base.startsWith(cloudflareGateway) ? base : `${base}/openai/deployments`;
  return `${prefix}/${deployment}/${task}?api-version=${version}`;
}

const { rerank: _rerank, ...offers } = everythingAt(azureUrl);

export const azure: Adapter = openAICompatible({
  chat: azureUrl,
  capabilities: offers,
  // The deployment is in the body here.
  responses: (base) => `${base}/openai/v1/responses`,
  compaction: true,
  credentials: ({ key }) => ({ 'api-key': key }),
  headers: (target, { body = {} }): Record<string, string> => {
    const drawing = drawingIn(body);
    return drawing ? { [azureDrawingHeader]: deploymentOf(drawing.model, target) } : {};
  },
  rules: deploymentRules,
  needsResponses,
  provesThoughts: true,
});
