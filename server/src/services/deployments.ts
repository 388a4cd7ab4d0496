import type { Endpoint } from '../gateway/endpoint.js';
import type { OpenedBody } from '../gateway/request.js';
import { parseJsonBody } from '../dialects/wire/forms/json-body.js';
import { modelOf } from './chat/chat-endpoints.js';
import { endpoints } from './endpoints.js';
import { imageFields, speechFields, withKnownFields } from './known-fields.js';
import {
  imageEditsEndpoint,
  imageVariationsEndpoint,
  imagesEndpoint,
  speechEndpoint,
  transcriptionEndpoint,
  translationEndpoint,
} from './media/media-endpoints.js';

const tasks = /^\/((chat\/)?completions|embeddings|images\/\w+|audio\/\w+)$/;

/** The paths under Azure's `/openai/deployments/{deployment}`, with their endpoints. */
export const deploymentEndpoints = Object.entries(endpoints).filter(([path]) => tasks.test(path));

const readsForm: ReadonlySet<Endpoint> = new Set([
  imageEditsEndpoint,
  imageVariationsEndpoint,
  transcriptionEndpoint,
  translationEndpoint,
]);

/** Media are priced by their fields, so unknown ones are removed here too. */
const knownFields: ReadonlyMap<Endpoint, ReadonlySet<string>> = new Map([
  [imagesEndpoint, imageFields],
  [speechEndpoint, speechFields],
]);

/** Binds the endpoint to one deployment, whose name is the model, whatever the body says. */
export function atDeployment(endpoint: Endpoint, deployment: string): Endpoint {
  const isForm = readsForm.has(endpoint);
  const known = knownFields.get(endpoint);
  return {
    ...endpoint,
    open(rawBody, incoming) {
      const opened: Omit<OpenedBody, 'model'> = isForm
        ? endpoint.open(rawBody, incoming)
        : { body: parseJsonBody(rawBody) };
      const body = { ...opened.body, model: deployment };
      // The model of a form is added when the form is written.
      const bound: OpenedBody = {
        ...opened,
        body,
        model: modelOf(body),
        ...(opened.form ? null : { isRewritten: true }),
      };
      return known ? withKnownFields(bound, known) : bound;
    },
  };
}
