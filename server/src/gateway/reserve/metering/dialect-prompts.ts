import { type Fields, asFields, asFieldsList, asText, either } from '../../../dialects/neutral/fields.js';
import { filePart } from './media-tokens.js';
import { listCounter, Prompt, type PromptTexts } from './prompt.js';

/*
 * This file counts the prompt tokens of calls other than chat completions
 * (docs/reference/relay/token-counting.md#prompts and docs/reference/relay/billing.md#usage), for providers that report
 * none. Fields of wrong types count as 0: counting never fails.
 */

const perAnthropicImage = 1000;
/** Tokens of the largest image of Claude, 2,576 pixels a side. */
const mostAnthropicImage = 4784;

const countMessages = listCounter((message, prompt) => {
  prompt.fixed += 2;
  prompt.text(message['role']);
  blocks(message['content'], prompt);
});

const countTools = listCounter((tool, prompt) => {
  prompt.fixed += 3;
  prompt.text(tool['name']);
  prompt.text(tool['description']);
  prompt.json(tool['input_schema']);
});

/** Anthropic's Messages (example T6 of docs/reference/relay/token-counting.md#worked-examples). */
export function messagesPrompt(body: Fields): PromptTexts {
  const prompt = new Prompt();
  countMessages(body['messages'], prompt);
  blocks(body['system'], prompt);
  countTools(body['tools'], prompt);
  return prompt;
}

function blocks(content: unknown, prompt: Prompt): void {
  if (typeof content === 'string') return prompt.text(content);
  for (const block of asFieldsList(content)) {
    switch (block['type']) {
      case 'text':
        prompt.text(block['text']);
        break;
      case 'image':
        prompt.fixed += perAnthropicImage;
        prompt.unsized += mostAnthropicImage - perAnthropicImage;
        break;
      case 'tool_use':
        prompt.text(block['name']);
        prompt.json(block['input']);
        break;
      case 'tool_result':
        if (Array.isArray(block['content'])) blocks(block['content'], prompt);
        else prompt.json(block['content']);
        break;
      case 'document':
        document(asFields(block['source']), prompt);
    }
  }
}

/** Counts the text of a document. Other documents are only counted by their number. */
function document(source: Fields | null | undefined, prompt: Prompt): void {
  if (source?.['type'] === 'text') prompt.text(source['data']);
  else if (source?.['type'] === 'content') blocks(source['content'], prompt);
  else prompt.fixed += filePart;
}

const perTool = 8;
const perImage = 255;

const countContents = listCounter((content, prompt) => {
  // Google reads an object in place of a list as its only entry.
  const part = asFields(content['parts']);
  for (const each of part ? [part] : asFieldsList(content['parts'])) geminiPart(each, prompt);
});

const countGeminiTools = listCounter((tool, prompt) => {
  for (const declared of asFieldsList(either(tool, 'functionDeclarations', 'function_declarations'))) {
    prompt.fixed += perTool;
    prompt.text(declared['name']);
    prompt.text(declared['description']);
    prompt.json(either(declared, 'parametersJsonSchema', 'parameters_json_schema', 'parameters'));
  }
});

/** Google's `contents`. */
export function contentsPrompt(body: Fields): PromptTexts {
  const prompt = new Prompt();
  const contents = body['contents'];
  if (typeof contents === 'string') prompt.text(contents);
  const instruction = either(body, 'systemInstruction', 'system_instruction');
  if (typeof instruction === 'string') prompt.text(instruction);
  countContents([instruction], prompt);
  countContents(Array.isArray(contents) ? contents : [contents], prompt);
  countGeminiTools(body['tools'], prompt);
  return prompt;
}

function geminiPart(part: Fields, prompt: Prompt): void {
  prompt.text(part['text']);
  const media = asFields(either(part, 'inlineData', 'inline_data', 'fileData', 'file_data'));
  if (media) prompt.fixed += asText(either(media, 'mimeType', 'mime_type')).startsWith('image/') ? perImage : filePart;
  const call = asFields(either(part, 'functionCall', 'function_call'));
  prompt.text(call?.['name']);
  prompt.json(call?.['args']);
  prompt.json(asFields(either(part, 'functionResponse', 'function_response'))?.['response']);
}

const countItems = listCounter((item, prompt) => {
  inputParts(item['content'], prompt);
  prompt.text(item['name']);
  prompt.text(item['arguments']);
  // Custom tools, such as patches, have an `input`.
  prompt.text(item['input']);
  result(item['output'], prompt);
});

const countFunctions = listCounter((tool, prompt) => {
  prompt.fixed += perTool;
  prompt.text(tool['name']);
  prompt.text(tool['description']);
  prompt.json(tool['parameters']);
});

/** Responses: text of input, instructions and tools (docs/reference/relay/token-counting.md#prompts). */
export function responsesPrompt(body: Fields, model: string): PromptTexts {
  const prompt = new Prompt();
  prompt.text(body['instructions']);
  const { input } = body;
  if (typeof input === 'string') prompt.text(input);
  countItems(input, prompt);
  countFunctions(body['tools'], prompt);
  prompt.countImages(model);
  return prompt;
}

function inputParts(content: unknown, prompt: Prompt): void {
  if (typeof content === 'string') return prompt.text(content);
  for (const part of asFieldsList(content)) inputPart(part, prompt);
}

function inputPart(part: Fields, prompt: Prompt): void {
  prompt.text(part['text']);
  if (part['type'] === 'input_image' || part['type'] === 'computer_screenshot')
    prompt.image(part['image_url'], part['detail']);
  if (part['type'] === 'input_file') prompt.fixed += filePart;
}

/** Google's Interactions: a text, one content, contents or steps. */
export function interactionPrompt(body: Fields): PromptTexts {
  const prompt = new Prompt();
  prompt.text(body['system_instruction']);
  const { input } = body;
  if (typeof input === 'string') prompt.text(input);
  for (const step of Array.isArray(input) ? asFieldsList(input) : asFieldsList([input])) interactionStep(step, prompt);
  for (const tool of asFieldsList(body['tools'])) {
    if (tool['type'] !== 'function') continue;
    prompt.fixed += perTool;
    prompt.text(tool['name']);
    prompt.text(tool['description']);
    prompt.json(tool['parameters']);
  }
  return prompt;
}

function interactionStep(step: Fields, prompt: Prompt): void {
  prompt.text(step['text']);
  prompt.text(step['name']);
  prompt.json(step['arguments']);
  for (const held of [step['content'], step['summary'], step['result']]) {
    const parts = Array.isArray(held) ? asFieldsList(held) : null;
    if (parts) for (const part of parts) interactionStep(part, prompt);
    else prompt.json(held);
  }
  const isMedia = step['data'] !== undefined || step['uri'] !== undefined;
  if (isMedia) prompt.fixed += step['type'] === 'image' ? perImage : filePart;
}

const partTypes = new Set<unknown>(['input_text', 'output_text', 'input_image', 'computer_screenshot', 'input_file']);

/**
 * Counts the result of a tool: text, one part or a list of parts (whose images must not count as text), or other data.
 */
function result(output: unknown, prompt: Prompt): void {
  for (const each of Array.isArray(output) ? (output as unknown[]) : [output]) {
    const part = asFields(each);
    if (part && partTypes.has(part['type'])) inputPart(part, prompt);
    else prompt.json(each);
  }
}
