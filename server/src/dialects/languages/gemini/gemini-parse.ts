import { InvalidInputError } from '../../../shared/errors.js';
import type { ClientRequest } from '../../neutral/codec.js';
import { FieldReader } from '../../neutral/field-reader.js';
import { asFields, asText, either, someText, without, type Fields } from '../../neutral/fields.js';
import {
  needFields,
  needName,
  optionalFields,
  optionalList,
  optionalNumber,
  optionalText,
  textList,
} from '../../neutral/given.js';
import {
  efforts,
  type NeutralRequest,
  type NeutralTool,
  type Reasoning,
  type ResponseFormat,
  type ToolChoice,
} from '../../neutral/request.js';
import { parseContents, parseInstruction } from './gemini-parse-content.js';
import { camelCased } from './google-fields.js';
import { toJsonSchema } from './schema-read.js';

/**
 * A `generateContent` call in the neutral form. Field names may be in snake case or camel case, as at Google.
 * @throws AppError INVALID_INPUT naming the field
 */
export function parseGeminiRequest({ body, model, stream }: ClientRequest): NeutralRequest {
  const read = new FieldReader(body, '', 'model');
  const contents = read.get('contents');
  if (contents === undefined || contents === null)
    throw new InvalidInputError('field contents is required', 'contents');
  const given = optionalFields(read.either('generationConfig', 'generation_config'), 'generationConfig');
  const config = new FieldReader(camelCased(given ?? {}), 'generationConfig.');
  const { choice, validated } = parseToolConfig(asFields(read.either('toolConfig', 'tool_config')));
  const messages = parseContents(contents);
  if (messages.length === 0) throw new InvalidInputError('field contents is required', 'contents');
  const maxOutput = config.count('maxOutputTokens');
  return {
    dialect: 'gemini-generate',
    model: model ?? needName(body['model'], 'model'),
    messages: [...parseInstruction(read.either('systemInstruction', 'system_instruction')), ...messages],
    tools: parseTools(read.list('tools'), validated),
    toolChoice: choice,
    responseFormat: parseFormat(config),
    sampling: {
      temperature: config.number('temperature'),
      topP: config.number('topP'),
      topK: config.number('topK'),
      seed: config.number('seed'),
      frequencyPenalty: config.number('frequencyPenalty'),
      presencePenalty: config.number('presencePenalty'),
      logprobs: config.flag('responseLogprobs') || undefined,
      topLogprobs: config.count('logprobs'),
    },
    stop: config.texts('stopSequences'),
    ...(maxOutput ? { maxOutput } : {}),
    reasoning: parseThinking(config.fields('thinkingConfig')),
    stream: stream ?? false,
    count: config.count('candidateCount') ?? 1,
    modalities: config.texts('responseModalities').map((each) => each.toLowerCase()),
    extras: { ...read.rest(), ...config.restIn('generationConfig') },
  };
}

function parseTools(tools: readonly unknown[], validated: boolean): NeutralTool[] {
  return tools.flatMap((entry, index): NeutralTool[] => {
    const at = `tools[${index}]`;
    const tool = needFields(entry, at);
    const declared = either(tool, 'functionDeclarations', 'function_declarations');
    const functions = optionalList(declared, `${at}.functionDeclarations`).map((each, position) =>
      parseDeclaration(
        needFields(each, `${at}.functionDeclarations[${position}]`),
        `${at}.functionDeclarations[${position}]`,
        validated,
      ),
    );
    const others = Object.entries(without(tool, new Set(['functionDeclarations', 'function_declarations'])));
    return [
      ...functions,
      ...others.map(([name, given]): NeutralTool => ({
        kind: 'builtin',
        name,
        dialect: 'gemini-generate',
        value: { [name]: given },
        at: `${at}.${name}`,
      })),
    ];
  });
}

function parseDeclaration(declaration: Fields, at: string, validated: boolean): NeutralTool {
  const schema =
    optionalFields(
      either(declaration, 'parametersJsonSchema', 'parameters_json_schema'),
      `${at}.parametersJsonSchema`,
    ) ?? optionalFields(declaration['parameters'], `${at}.parameters`);
  return {
    kind: 'function',
    name: needName(declaration['name'], `${at}.name`),
    description: optionalText(declaration['description'], `${at}.description`),
    parameters: schema ? toJsonSchema(schema) : undefined,
    ...(validated ? { strict: true } : {}),
    at,
  };
}

function parseToolConfig(config: Fields | null): { choice?: ToolChoice; validated: boolean } {
  const calling = asFields(config ? either(config, 'functionCallingConfig', 'function_calling_config') : null);
  if (!calling) return { validated: false };
  const names = textList(
    either(calling, 'allowedFunctionNames', 'allowed_function_names'),
    'toolConfig.functionCallingConfig.allowedFunctionNames',
  );
  switch (asText(calling['mode']).toUpperCase()) {
    case 'NONE':
      return { choice: { mode: 'none' }, validated: false };
    case 'ANY': {
      const [only] = names;
      if (only !== undefined && names.length === 1) return { choice: { mode: 'tool', name: only }, validated: false };
      return {
        choice: names.length > 0 ? { mode: 'allowed', names, required: true } : { mode: 'required' },
        validated: false,
      };
    }
    case 'VALIDATED':
      return {
        choice: names.length > 0 ? { mode: 'allowed', names, required: false } : { mode: 'auto' },
        validated: true,
      };
    default:
      return { choice: { mode: 'auto' }, validated: false };
  }
}

function parseFormat(config: FieldReader): ResponseFormat | undefined {
  const own = config.fields('responseSchema');
  const [given, older] = [config.get('responseJsonSchema'), config.get('_responseJsonSchema')];
  const json = optionalFields(given ?? older, 'generationConfig.responseJsonSchema');
  const mime = someText(config.get('responseMimeType'));
  if (json ?? own) return { kind: 'schema', name: 'response', schema: json ?? toJsonSchema(own ?? {}) };
  if (mime === undefined || mime === 'text/plain') return undefined;
  if (mime === 'application/json') return { kind: 'json' };
  throw new InvalidInputError(
    'generationConfig.responseMimeType must be one of text/plain, application/json',
    'generationConfig.responseMimeType',
  );
}

function parseThinking(config: Fields | undefined): Reasoning | undefined {
  if (!config) return undefined;
  const thinking = camelCased(config);
  const budget = optionalNumber(thinking['thinkingBudget'], 'generationConfig.thinkingConfig.thinkingBudget');
  const level = asText(thinking['thinkingLevel']).toLowerCase();
  const effort = efforts.find((each) => each === level);
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(budget !== undefined && budget > 0 ? { budget } : {}),
    ...(budget === 0 ? { off: true } : {}),
    ...(budget !== undefined && budget < 0 ? { adaptive: true } : {}),
    ...(thinking['includeThoughts'] === true ? { visible: true } : {}),
    given: { thinkingConfig: config },
  };
}
