import { AppError } from '../../../shared/errors.js';
import type { Adapter } from '../../contract.js';
import type { UpstreamError } from '../../errors/upstream-error.js';
import { droppedBy, plainTurns, splitInstructions } from '../../neutral/abilities.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { StreamReader, WrittenRequest } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asFieldsList, asText, parseFields, someNumber, type Fields } from '../../neutral/fields.js';
import type { NeutralRequest } from '../../neutral/request.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { baseOf, jsonHeaders, oneAnswer, providerError, textPart } from '../openai-compatible/own-dialect.js';

/** A knowledge base takes one query: the last message that is no instruction. */
const write =
  (library: string) =>
  (request: NeutralRequest): WrittenRequest => {
    const dropped = droppedBy(request, { sampling: [] });
    const { instructions, turns } = splitInstructions(plainTurns(request, dropped));
    const query = turns.at(-1)?.text ?? instructions;
    if (turns.length > 0 && instructions !== '') dropped.hint('instructions', true);
    if (turns.length > 1) dropped.hint('messages', true);
    return {
      body: { model: request.model, query, libraryId: library, stream: request.stream },
      dropped: dropped.names,
    };
  };

/** Lists the documents that the response is based on, after the response. */
function references(documents: unknown): string {
  const named = asFieldsList(documents).map(
    ({ title, url }, index) => `${index + 1}. [${asText(title) || asText(url)}](${asText(url)})`,
  );
  return named.length === 0 ? '' : `\n\nReferences:\n${named.join('\n')}`;
}

function errorOf(answer: Fields): UpstreamError | null {
  const code = someNumber(answer['errCode']) ?? 0;
  if (code === 0 && answer['success'] !== false) return null;
  // Any other code counts as a failure of the provider.
  const status = code >= 400 && code < 600 ? code : undefined;
  return providerError('library_error', code, asText(answer['message']), status);
}

/** @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a response */
function read(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  const error = answer ? errorOf(answer) : null;
  if (error) throw error;
  if (typeof answer?.['answer'] !== 'string') {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not the response of a knowledge base');
  }
  return oneAnswer({ id: '' }, textPart(answer['answer'] + references(answer['documents'])), 'stop', null);
}

class LibraryStreamReader implements StreamReader {
  private documents: unknown = [];
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    const piece = parseFields(data);
    if (!piece || this.done) return [];
    const error = errorOf(piece);
    if (error) return [{ kind: 'error', error }];
    if (asFieldsList(piece['documents']).length > 0) this.documents = piece['documents'];
    const ends = piece['finish'] === true;
    const text = asText(piece['content']) + (ends ? references(this.documents) : '');
    this.done = ends;
    return [
      ...(text === '' ? [] : [{ kind: 'text', choice: 0, text } as const]),
      ...(ends ? [{ kind: 'finish', choice: 0, reason: 'stop' } as const] : []),
    ];
  }
}

/**
 * Type 21, a knowledge base of AI Proxy (docs/reference/providers/own-protocols.md#knowledge-bases). `other` names the
 * library.
 */
export const library: Adapter = {
  conversation: {
    codec: ({ other }) => ({
      dialect: 'own',
      write: write(other.trim()),
      read,
      openReader: () => new LibraryStreamReader(),
    }),
    toUpstreamRequest: (body, { stream }, target) => ({
      method: 'POST',
      url: `${baseOf(target)}/api/library/ask`,
      headers: { ...jsonHeaders(stream), authorization: `Bearer ${target.key}` },
      body: JSON.stringify(body),
    }),
  },
};
