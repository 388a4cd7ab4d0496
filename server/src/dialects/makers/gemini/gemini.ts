import { writeJson } from '../../../shared/exact-json.js';
import type {
  Adapter,
  ChatCapability,
  ChatRequest,
  ConversationCapability,
  KeptObjectsCapability,
  TokenCount,
} from '../../contract.js';
import type { Target } from '../../target.js';
import { asFieldsList } from '../../neutral/fields.js';
import { isInstruction } from '../../neutral/message.js';
import type { NeutralRequest } from '../../neutral/request.js';
import { minimalChange } from '../../wire/pass-through/native-body.js';
import { cutSuffix } from '../../languages/gemini/gemini-model.js';
import { nativeGeminiChanges, type NativeChanges } from '../../languages/gemini/gemini-native-changes.js';
import { nativeGeminiAnswer, nativeGeminiStream } from '../../languages/gemini/gemini-native.js';
import { defaultGeminiSettings, type GeminiSettings } from '../../languages/gemini/gemini-settings.js';
import { geminiProvider } from '../../languages/gemini/gemini-write.js';
import { embeddings } from './embeddings.js';
import { images } from './images.js';
import { interactions } from './interactions.js';
import { geminiBase, geminiHeaders, geminiUrl, isAtV1, modelPath } from './url.js';
import { writeBody } from '../../wire/forms/written-body.js';

const settingsOf = (target: Target): GeminiSettings => ({ ...defaultGeminiSettings, ...target.families.gemini });

const streamMethod = 'streamGenerateContent';

/** The method called on the model: the last word of the path. */
const methodOf = (path: string): string => /:([A-Za-z]+)(?:\?|$)/.exec(path)?.[1] ?? 'generateContent';

/** For clients of the Gemini dialect: bytes pass through, for every method. */
const generate: ChatCapability = {
  toUpstreamRequest(request, target) {
    const asked = methodOf(request.path);
    const method = asked === streamMethod && !request.stream ? 'generateContent' : asked;
    const { model, changes } = nativeChanges(request, target);
    return {
      method: 'POST',
      url: geminiUrl(target, model, method === streamMethod ? `${method}?alt=sse` : method, request.body),
      headers: geminiHeaders(target, request.stream),
      body: minimalChange(request, changes),
      upstreamModel: model,
    };
  },
  fromUpstreamResponse: nativeGeminiAnswer,
  openStream: (_request, _target, transcript) => nativeGeminiStream(transcript),
};

/** The model name where the body repeats it, and what Google's own hosts have in common. */
function nativeChanges(request: ChatRequest, target: Target): NativeChanges {
  const { body } = request;
  return nativeGeminiChanges(body, target, settingsOf(target), (model) => {
    const changes: Record<string, unknown> = {};
    const path = modelPath(model);
    if (body['model'] !== undefined && body['model'] !== path) changes['model'] = path;
    const requests = asFieldsList(body['requests']);
    if (requests.some((each) => each['model'] !== path))
      changes['requests'] = requests.map((each) => ({ ...each, model: path }));
    return changes;
  });
}

/** `v1` refuses `systemInstruction` (yym68686/uni-api#47, November 2024), so instructions are turns of the user. */
const withoutInstructions = (request: NeutralRequest): NeutralRequest => ({
  ...request,
  messages: request.messages.map((message) => (isInstruction(message) ? { ...message, role: 'user' } : message)),
});

/** Translates calls of clients that use another dialect. */
const conversation: ConversationCapability = {
  codec(target) {
    const codec = geminiProvider(settingsOf(target));
    if (!isAtV1(target, target.upstreamModel)) return codec;
    return { ...codec, write: (request) => codec.write(withoutInstructions(request)) };
  },
  toUpstreamRequest: (body, call, target) => {
    const { model } = cutSuffix(call.model, settingsOf(target));
    return {
      method: 'POST',
      url: geminiUrl(target, model, call.stream ? `${streamMethod}?alt=sse` : 'generateContent', body),
      headers: geminiHeaders(target, call.stream),
      body: writeBody(body),
      upstreamModel: model,
    };
  },
};

/** Google takes `contents` alone, or a whole request in a field of its own. It refuses other fields beside them. */
const countContents: TokenCount = {
  toUpstreamRequest(request, target) {
    const { model, changes } = nativeChanges(request, target);
    const { model: _named, ...asked } = { ...request.body, ...changes };
    const isPlain = Object.keys(asked).every((name) => name === 'contents');
    return {
      method: 'POST',
      url: geminiUrl(target, model, 'countTokens'),
      headers: geminiHeaders(target, false),
      body: writeJson(isPlain ? asked : { generateContentRequest: { ...asked, model: modelPath(model) } }),
      upstreamModel: model,
    };
  },
};

/** Files and caches. Both exist in `v1beta` alone. */
const keptObjects: KeptObjectsCapability = {
  api: 'gemini',
  toUpstreamRequest: (method, path, target, headers) => ({
    method,
    url: geminiBase(target) + path,
    headers: { ...headers, 'x-goog-api-key': target.key },
    body: null,
  }),
};

/** Type 24 (docs/reference/providers/gemini-and-vertex.md). */
export const gemini: Adapter = {
  generate,
  interactions,
  conversation,
  countContents,
  embeddings,
  images,
  keptObjects,
};
