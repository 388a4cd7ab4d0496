import { writeJson } from '../../../shared/exact-json.js';
import type { ResponsesRoute, Target } from '../../contract.js';
import type { ProviderCodec } from '../../neutral/codec.js';
import { fieldName } from '../../neutral/field-name.js';
import { asFields, asList, type Fields } from '../../neutral/fields.js';
import { declaresWebSearch } from '../../neutral/web-search.js';
import { responsesProvider } from '../../languages/responses/responses-write.js';
import type { Dialect, EndpointPath } from './dialect.js';
import { nativeResponses } from './responses.js';

/** OpenAI serves these at Responses alone (its pages of models, November 2026). */
const onlyResponses =
  /^(?:o[13]-pro|o\d(?:-mini)?-deep-research|gpt-5[\d.]*-(?:pro|codex)|codex-|computer-use-preview|gpt-6-astra)/;
/** Models whose chat completions refuse functions unless the effort is `none` (BerriAI/litellm#34569, pipecat#4043). */
const reasonsWithTools = /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9]|\d\d)(?!.*-chat)/;

/** Models that search the web at Responses, where chat completions have no such tool. */
const searches = /^(?:gpt-(?:4o|4\.1|[5-9]|\d\d)|o[34])(?!.*-(?:chat|audio|realtime|search|nano))/;

/** Whether chat completions of OpenAI refuse the call, in any client's dialect, and Responses takes it. */
export function needsResponses(body: Fields, model: string): boolean {
  if (onlyResponses.test(model) || (searches.test(model) && declaresWebSearch(body))) return true;
  if (!reasonsWithTools.test(model) || model.endsWith('-none') || body['reasoning_effort'] === 'none') return false;
  return hasTools(body);
}

const hasTools = ({ tools, functions }: Fields): boolean => asList(tools).length > 0 || asList(functions).length > 0;

/** Fields without a counterpart in Responses, in the dialects of clients. Their calls stay at chat completions. */
function wantsMoreThanResponses(body: Fields): boolean {
  const config = asFields(body['generationConfig']) ?? {};
  const several = [body['n'], config['candidateCount']].some((count) => typeof count === 'number' && count > 1);
  const modalities = [...asList(body['modalities']), ...asList(config['responseModalities'])];
  return (
    several ||
    body['logprobs'] === true ||
    config['responseLogprobs'] === true ||
    asFields(body['web_search_options']) !== null ||
    modalities.some((each) => String(each).toLowerCase() !== 'text')
  );
}

/** Whether a call goes to Responses: as the channel is set, else as its provider refused before, else by the model. */
function takes({ needsResponses: needed }: Dialect, body: Fields, target: Target): boolean {
  const { setting, refusedAtChat, upstreamModel } = target;
  if (setting.chatUpstream === 'chat' || wantsMoreThanResponses(body)) return false;
  if (setting.chatUpstream === 'responses' || refusedAtChat === 'all') return true;
  return (refusedAtChat === 'tools' && hasTools(body)) || needed?.(body, upstreamModel) === true;
}

/** Responses refuses a lower limit, which the other dialects have. */
const minOutput = 16;

/** The models that need Responses refuse stop texts at chat completions too, so no call loses a field that worked there. */
const codec: ProviderCodec = {
  ...responsesProvider,
  write(request) {
    const { body, dropped, ...written } = responsesProvider.write({ ...request, stop: [] });
    const limit = body['max_output_tokens'];
    if (typeof limit === 'number' && limit < minOutput) body['max_output_tokens'] = minOutput;
    const names = request.stop.length > 0 ? [...dropped, fieldName(request.dialect, 'stop')] : dropped;
    return { ...written, body, dropped: names };
  },
};

/** Responses as the upstream of clients of other dialects (docs/reference/providers/openai-family.md#chat-over-responses). */
export function overResponses(dialect: Dialect, place: EndpointPath): ResponsesRoute {
  const native = nativeResponses(dialect, place);
  return {
    takes: (body, target) => takes(dialect, body, target),
    codec: () => codec,
    toUpstreamRequest(body, { stream, headers }, target) {
      const rawBody = Buffer.from(writeJson(body));
      const request = { path: '/v1/responses', body, rawBody, stream, wantsUsage: stream, headers };
      // The body has the channel's override already.
      return native.toUpstreamRequest(request, { ...target, override: null });
    },
  };
}
