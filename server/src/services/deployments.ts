import type { Endpoint } from '../gateway/endpoint.js';
import type { OpenedBody } from '../gateway/request.js';
import { parseJsonBody } from '../dialects/wire/forms/json-body.js';
import { modelOf } from './chat/chat-endpoints.js';
import { endpoints } from './endpoints.js';
import { imageEditsEndpoint, transcriptionEndpoint, translationEndpoint } from './media/media-endpoints.js';

const tasks = /^\/((chat\/)?completions|embeddings|images\/\w+|audio\/\w+)$/;

/** The paths under Azure's `/openai/deployments/{deployment}`, with their endpoints. */
export const deploymentEndpoints = Object.entries(endpoints).filter(([path]) => tasks.test(path));

const readsForm: ReadonlySet<Endpoint> = new Set([imageEditsEndpoint, transcriptionEndpoint, translationEndpoint]);

/** Binds the endpoint to one deployment, whose name is the model, whatever the body says. */
export function atDeployment(endpoint: Endpoint, deployment: string): Endpoint {
  const isForm = readsForm.has(endpoint);
  return {
    ...endpoint,
    open(rawBody, incoming) {
      const opened: Omit<OpenedBody, 'model'> = isForm
        ? endpoint.open(rawBody, incoming)
        : { body: parseJsonBody(rawBody) };
      const body = { ...opened.body, model: deployment };
      // The model of a form is added when the form is written.
      return { ...opened, body, model: modelOf(body), ...(opened.form ? null : { isRewritten: true }) };
    },
  };
}

/**
 * Messages as hosts of Claude take them: the model is in the path, and the body names the version of the dialect instead.
 * @param model undefined where the body names it
 */
export function atHostedModel(endpoint: Endpoint, model?: string): Endpoint {
  return {
    ...endpoint,
    open(rawBody) {
      const { anthropic_version: _version, ...given } = parseJsonBody(rawBody);
      const body = model === undefined ? given : { ...given, model };
      return { body, model: modelOf(body), isRewritten: true };
    },
  };
}
