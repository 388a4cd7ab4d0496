import type { Target } from '../../target.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import type { Usage } from '../../../shared/usage.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { FinishReason } from '../../neutral/finish-reason.js';
import { unsupported } from '../../neutral/field-name.js';
import type { Json } from '../../neutral/fields.js';
import type { Part } from '../../neutral/message.js';
import type { NeutralTool } from '../../neutral/request.js';
import { omitUndefined } from '../../../shared/omit-undefined.js';

/** The target's base URL without a trailing slash. */
export const baseOf = (target: Pick<Target, 'baseUrl'>): string => target.baseUrl.trim().replace(/\/+$/, '');

export const jsonHeaders = (stream: boolean): Record<string, string> => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream' : 'application/json',
});

/** A response with one choice. */
export const oneAnswer = (
  { id, model = '', created }: { readonly id: string; readonly model?: string; readonly created?: number | undefined },
  parts: readonly Part[],
  finish: FinishReason | null,
  usage: Usage | null,
): NeutralAnswer => ({
  id,
  model,
  ...(created === undefined ? {} : { created }),
  choices: [{ index: 0, parts, finish }],
  usage,
});

export const textPart = (text: string): Part[] => (text === '' ? [] : [{ kind: 'text', text }]);

/** @throws AppError UNSUPPORTED_BY_CHANNEL for a tool that is no function */
export function functionTool(tool: NeutralTool): Json {
  if (tool.kind !== 'function') throw unsupported(tool.at ?? 'tools', 'it only supports functions');
  const { name, description, parameters } = tool;
  return {
    type: 'function',
    function: omitUndefined({ name, description, parameters: parameters ?? { type: 'object', properties: {} } }),
  };
}

/** An error in a provider's own shape; unknown codes count as a failure of the provider. */
export const providerError = (
  type: string,
  code: string | number,
  message: string,
  status: number | undefined,
): UpstreamError =>
  new UpstreamError(status ?? 502, { message: message || `the provider returned code ${code}`, type, code });
