import type { Adapter, ChatCapability, ChatRequest } from '../../contract.js';
import type { Target } from '../../target.js';
import { asFields } from '../../neutral/fields.js';
import { addOverride } from '../../overrides/body-override.js';
import { minimalChange } from '../../wire/pass-through/native-body.js';
import { withoutForeignItems } from '../../languages/responses/own-items.js';
import { nativeResponse, nativeResponseStream } from '../../languages/responses/responses-native.js';
import { bearer, addressOf } from './address.js';
import type { BodyRules, OpenAiVariant, EndpointPath } from './variant.js';
import { deploymentRules, reasoningRules } from './chat-body.js';
import { writeBody } from '../../wire/forms/written-body.js';

/**
 * For clients of Responses at a provider that supports it: bytes pass through
 * (docs/reference/providers/openai-family.md#native-responses).
 */
export const nativeResponses = (variant: OpenAiVariant, place: EndpointPath): ChatCapability => ({
  toUpstreamRequest(request, target) {
    const { model, reasoningEffort, changes } = responsesChanges(request, target, variant);
    return {
      method: 'POST',
      url: addressOf(place, request, { ...target, upstreamModel: model }),
      headers: {
        'content-type': 'application/json',
        accept: request.stream ? 'text/event-stream' : 'application/json',
        ...(variant.credentials ?? bearer)(target),
        ...variant.headers?.(target, request),
      },
      body: minimalChange(request, changes),
      upstreamModel: model,
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    };
  },
  fromUpstreamResponse: nativeResponse,
  openStream: (_request, _target, transcript) => nativeResponseStream(transcript),
});

/** Compaction at a path below that of Responses. It supports a part of the fields of Responses. */
export const nativeCompaction = (variant: OpenAiVariant, place: EndpointPath): ChatCapability => {
  const responses = nativeResponses(variant, place);
  return {
    ...responses,
    toUpstreamRequest(given, target) {
      const { stream: _stream, store: _store, max_output_tokens: _limit, ...body } = given.body;
      const isSame = Object.keys(body).length === Object.keys(given.body).length;
      const rawBody = isSame ? given.rawBody : writeBody(body);
      const request = { ...given, path: '/v1/responses', body, rawBody, stream: false };
      const written = responses.toUpstreamRequest(request, target);
      const [url = '', query] = written.url.split('?', 2);
      return { ...written, url: `${url}/compact${query === undefined ? '' : `?${query}`}` };
    },
  };
};

/** Returns the request for a stored response, at the path at which responses are created. */
export const storedResponseAt =
  (variant: OpenAiVariant, place: EndpointPath): NonNullable<Adapter['storedResponse']> =>
  (method, path, target) => {
    const [plain = '', query] = addressOf(place, { path: '/v1/responses' }, target).split('?', 2);
    const [rest = '', more] = path.split('?', 2);
    const search = [query, more].filter(Boolean).join('&');
    return {
      method,
      url: `${plain}/${rest}${search === '' ? '' : `?${search}`}`,
      headers: {
        accept: 'application/json',
        ...(variant.credentials ?? bearer)(target),
        ...variant.headers?.(target, { stream: false }),
      },
      body: null,
    };
  };

interface Changes {
  readonly model: string;
  readonly reasoningEffort?: string;
  readonly changes: Record<string, unknown>;
}

/** The model, and an effort that its name may contain. */
function responsesChanges(
  { body, stream }: ChatRequest,
  target: Target,
  { rules, provesThoughts }: OpenAiVariant,
): Changes {
  const { upstreamModel, models, passThrough } = target;
  // Only the name is interpreted: Responses accepts the fields of reasoning models unchanged.
  const named: Pick<BodyRules, 'model' | 'reasoningEffort'> = passThrough
    ? { model: upstreamModel }
    : (rules === deploymentRules ? deploymentRules : reasoningRules)({}, upstreamModel, { models });
  const reasoning = asFields(body['reasoning']);
  const changes: Record<string, unknown> = {};
  if (body['model'] !== named.model) changes['model'] = named.model;
  if (named.model !== upstreamModel) changes['reasoning'] = { ...reasoning, effort: named.reasoningEffort };
  if (!stream && body['stream'] === true) changes['stream'] = false;
  if (!passThrough) {
    const input = withoutForeignItems(body['input'], provesThoughts);
    if (input) changes['input'] = input;
    addOverride(body, changes, target);
  }
  const effort = named.reasoningEffort ?? reasoning?.['effort'];
  return { model: named.model, changes, ...(typeof effort === 'string' ? { reasoningEffort: effort } : {}) };
}
