import { ofEachGroup, ofEachObject } from '../../../shared/of-each-object.js';
import { omitUndefined } from '../../../shared/omit-undefined.js';
import type { ProviderCodec, WrittenRequest } from '../../neutral/codec.js';
import { Dropped, dropCacheMarks, dropExtras, fieldName, unsupported } from '../../neutral/field-name.js';
import { asFields, type Fields, type Json } from '../../neutral/fields.js';
import type { NeutralRequest, NeutralTool } from '../../neutral/request.js';
import { cutSuffix, geminiTraits, type GeminiTraits } from './gemini-model.js';
import { readGeminiAnswer } from './gemini-read.js';
import { safetySettings, type GeminiSettings } from './gemini-settings.js';
import { GeminiStreamReader } from './gemini-stream-reader.js';
import { thinkingConfig } from './gemini-thinking.js';
import { googleFields, googleHolders, withSafety, withThinking, type GoogleFields } from './google-fields.js';
import { checkImages, fetchable, writeContents, writeInstruction } from './gemini-write-content.js';
import { isRecursive, SchemaSize, toGeminiSchema } from './schema-write.js';
import { withProviderSearch } from '../../neutral/web-search.js';
import { runnableTools } from '../../neutral/runnable-tools.js';
import { hasTypedChoices } from '../../neutral/typed-choices.js';
import { oneObject } from '../../neutral/tool-schema.js';

/** The codec of `generateContent` for Google. */
export const geminiProvider = (settings: GeminiSettings): ProviderCodec => ({
  dialect: 'gemini-generate',
  write: (request) => writeGeminiRequest(request, settings),
  read: readGeminiAnswer,
  openReader: () => new GeminiStreamReader(),
  fetches: (url) => fetchable.test(url),
  checkMedia(request) {
    for (const { parts } of request.messages) checkImages(parts, settings);
  },
});

const carried: ReadonlySet<string> = new Set(['image_config']);
const carriedFromChat: ReadonlySet<string> = new Set([...carried, ...googleHolders]);

function writeGeminiRequest(given: NeutralRequest, settings: GeminiSettings): WrittenRequest {
  const own = given.dialect === 'gemini-generate';
  const dropped = new Dropped(given.dialect);
  const { model, suffix } = cutSuffix(given.model, settings);
  const traits = geminiTraits(model, settings);
  const request = runnableTools(
    withSearch(given, traits, settings, dropped),
    dropped,
    (tool) => tool.kind === 'function' || (tool.kind === 'builtin' && tool.dialect === 'gemini-generate'),
  );
  const isChat = request.dialect === 'openai-chat';
  dropExtras(request, dropped, own ? new Set(Object.keys(request.extras)) : isChat ? carriedFromChat : carried);
  const google: GoogleFields = isChat ? googleFields(request.extras, dropped) : { body: {}, safety: [] };
  const { user, verbosity, serviceTier, parallelToolCalls, sampling } = request;
  dropped.hints({
    user,
    verbosity,
    serviceTier,
    logitBias: sampling.logitBias,
    topLogprobs: sampling.logprobs ? undefined : sampling.topLogprobs,
    parallelToolCalls: parallelToolCalls === false && request.tools.length > 0 ? false : undefined,
  });
  dropCacheMarks(request, dropped);
  const { generationConfig: _config, ...extras } = own ? request.extras : {};
  const thinking = own
    ? asFields(request.reasoning?.given['thinkingConfig'])
    : withThinking(
        google.thinking,
        thinkingConfig(model, suffix, request.reasoning, request.maxOutput, traits, settings),
      );
  const config = generationConfig(request, traits, { image: google.image, thinking: thinking ?? undefined }, own);
  const body = omitUndefined<Json>({
    safetySettings: withSafety(safetySettings(settings), google.safety),
    ...extras,
    ...google.body,
    contents: writeContents(request, traits, settings, dropped),
    systemInstruction: writeInstruction(request),
    tools: writeTools(request, traits),
    toolConfig: writeToolConfig(request),
    generationConfig: Object.keys(config).length > 0 ? config : undefined,
  });
  return { body, model, dropped: dropped.names };
}

function generationConfig(
  request: NeutralRequest,
  traits: GeminiTraits,
  { thinking, image }: { readonly thinking: Fields | undefined; readonly image: Fields | undefined },
  own: boolean,
): Json {
  const { sampling, stop, count, dialect } = request;
  if (count > 1 && traits.draws) throw unsupported(fieldName(dialect, 'count'), 'image models return one choice');
  if (stop.length > 5) throw unsupported(fieldName(dialect, 'stop'), 'Gemini accepts at most five');
  return omitUndefined<Json>({
    ...(own ? asFields(request.extras['generationConfig']) : {}),
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    seed: sampling.seed,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    responseLogprobs: sampling.logprobs,
    logprobs: sampling.logprobs ? sampling.topLogprobs : undefined,
    maxOutputTokens: request.maxOutput,
    candidateCount: count === 1 ? undefined : count,
    stopSequences: stop.length > 0 ? stop : undefined,
    ...responseFormat(request, traits),
    responseModalities: modalities(request, traits, own),
    imageConfig:
      image ??
      imageConfig(asFields(request.extras['image_config'])) ??
      (own ? asFields(request.extras['generationConfig'])?.['imageConfig'] : undefined),
    thinkingConfig: thinking,
  });
}

function responseFormat({ responseFormat: format }: NeutralRequest, traits: GeminiTraits): Json {
  if (!format || format.kind === 'text') return {};
  const responseMimeType = 'application/json';
  if (format.kind === 'json') return { responseMimeType };
  if (traits.jsonSchema) return { responseMimeType, responseJsonSchema: format.schema };
  return {
    responseMimeType,
    responseSchema: toGeminiSchema(format.schema, 'response_format.json_schema.schema', false),
  };
}

function modalities(request: NeutralRequest, traits: GeminiTraits, own: boolean): string[] | undefined {
  const wanted = request.modalities.map((each) => each.toUpperCase());
  if (own) return wanted.length > 0 ? wanted : undefined;
  if (wanted.includes('AUDIO'))
    throw unsupported(fieldName(request.dialect, 'modalities'), 'it does not support these voices');
  if (traits.draws || wanted.includes('IMAGE')) return ['TEXT', 'IMAGE'];
  return undefined;
}

const imageConfig = (given: Fields | null): Json | undefined =>
  given ? omitUndefined<Json>({ aspectRatio: given['aspect_ratio'], imageSize: given['image_size'] }) : undefined;

/** Google's search in place of Anthropic's, where the model can combine it with the functions of the call. */
function withSearch(
  request: NeutralRequest,
  { third }: GeminiTraits,
  { excludesDomains }: GeminiSettings,
  dropped: Dropped,
): NeutralRequest {
  if (!third && request.tools.some(({ kind }) => kind !== 'builtin')) return request;
  return withProviderSearch(request, dropped, ({ blockedDomains: excludeDomains }) => ({
    tool: {
      name: 'googleSearch',
      dialect: 'gemini-generate',
      value: { googleSearch: omitUndefined<Json>({ excludeDomains }) },
    },
    takes: excludesDomains ? ['blockedDomains'] : [],
  }));
}

/** Google's own tools, by the names that chat clients use, in Google's order. */
const googleTools: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['codeExecution', ['codeExecution', 'code_execution']],
  ['googleSearch', ['googleSearch', 'google_search']],
  ['urlContext', ['urlContext', 'url_context']],
];

function writeTools(request: NeutralRequest, traits: GeminiTraits): Json[] | undefined {
  const { toolChoice } = request;
  const usable =
    toolChoice?.mode === 'allowed' && !toolChoice.required
      ? request.tools.filter((tool) => toolChoice.names.includes(tool.name))
      : request.tools;
  const google: Json[] = [];
  for (const [name, aliases] of googleTools) {
    if (usable.some((tool) => tool.kind === 'function' && aliases.includes(tool.name))) google.push({ [name]: {} });
  }
  const named = new Set(googleTools.flatMap(([, aliases]) => aliases));
  const functions: Json[] = [];
  let areKept = true;
  const size = new SchemaSize();
  for (const tool of usable) {
    if (tool.kind === 'builtin' && tool.dialect === 'gemini-generate') google.push({ ...tool.value });
    else if (tool.kind !== 'function') throw unsupported(tool.at ?? 'tools', 'Gemini cannot run or call such a tool');
    else if (!named.has(tool.name)) {
      const plain = plainDeclaration(tool, traits.jsonSchema);
      functions.push(plain ? plain.declaration : writeDeclaration(tool, traits.jsonSchema, size));
      if (plain) size.add(plain.size, parametersAt(tool));
      else areKept = false;
    }
  }
  if (google.length > 0 && functions.length > 0 && !traits.third) {
    throw unsupported(fieldName(request.dialect, 'tools'), "this model cannot combine Google's tools with functions");
  }
  const [first, ...others] = functions;
  const declared = first && areKept ? keptDeclarations([first, ...others]) : declarations(functions);
  const tools = [...google, ...(first ? [declared] : [])];
  return tools.length > 0 ? tools : undefined;
}

const declarations = (functions: readonly Json[]): Json => ({ functionDeclarations: functions });
const keptDeclarations = ofEachGroup((functions: readonly [Json, ...Json[]]) => declarations(functions));

type FunctionTool = Extract<NeutralTool, { kind: 'function' }>;

/** A schema that becomes much larger, because it has many references, is not kept with its tool. */
const plainDeclaration = ofEachObject((tool: FunctionTool, jsonSchema: boolean) => {
  const size = new SchemaSize();
  const written = writeDeclaration(tool, jsonSchema, size);
  return size.exceeds(JSON.stringify(tool).length) ? null : { declaration: written, size };
});

const parametersAt = ({ at = 'tools' }: FunctionTool): string => `${at}.parameters`;

function writeDeclaration(tool: FunctionTool, jsonSchema: boolean, size: SchemaSize): Json {
  if (jsonSchema && tool.parameters && (isRecursive(tool.parameters) || hasTypedChoices(tool.parameters))) {
    const { name, description, parameters: parametersJsonSchema } = tool;
    return omitUndefined<Json>({ name, description, parametersJsonSchema });
  }
  const schema = tool.parameters
    ? toGeminiSchema(oneObject(tool.parameters), parametersAt(tool), true, size)
    : undefined;
  // An object without properties is refused; omitting the parameters means the same.
  const empty =
    !schema || (schema['type'] === 'object' && Object.keys(asFields(schema['properties']) ?? {}).length === 0);
  return omitUndefined<Json>({
    name: tool.name,
    description: tool.description,
    parameters: empty ? undefined : schema,
  });
}

function writeToolConfig({ toolChoice: choice, tools, dialect }: NeutralRequest): Json | undefined {
  const functions = tools.filter((tool) => tool.kind === 'function');
  if (functions.length === 0) return undefined;
  const config = (given: Json): Json => ({ functionCallingConfig: given });
  switch (choice?.mode) {
    case 'required':
      return config({ mode: 'ANY' });
    case 'none':
      return config({ mode: 'NONE' });
    case 'tool':
      return config({ mode: 'ANY', allowedFunctionNames: [choice.name] });
    case 'builtin':
      throw unsupported(fieldName(dialect, 'toolChoice'), 'it refers to a tool of another provider');
    case 'allowed':
      if (choice.required) return config({ mode: 'ANY', allowedFunctionNames: choice.names });
      break;
    default:
      break;
  }
  if (functions.some((tool) => tool.strict)) return config({ mode: 'VALIDATED' });
  return choice ? config({ mode: 'AUTO' }) : undefined;
}
