import { malformed } from '../../dialects/errors/relay-error.js';
import { parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { asFields, asText, parseFields, type Fields } from '../../dialects/neutral/fields.js';
import type { Exchange } from '../../gateway/upstream/exchange.js';
import { writeJson } from '../../shared/exact-json.js';
import type { ObjectAccount, ObjectAccounts } from '../objects/object-accounts.js';
import type { ObjectCall } from '../objects/object-calls.js';
import type { ObjectExchange } from '../objects/object-exchange.js';
import { batchRefused, withLineNumber } from './batch-errors.js';
import type { BatchEstimate, BatchLine, BatchLines, BatchPlace } from './batch-lines.js';
import type { BatchSubmissions, BatchSubmission } from './batches.js';
import { jsonLines } from './json-lines.js';
import { batchEndpoints, markName, openAIBatches } from './openai-batches.js';

interface OpenAISubmissionsDeps {
  readonly accounts: ObjectAccounts;
  readonly exchange: ObjectExchange;
  readonly lines: BatchLines;
  readonly maxBodyBytes: number;
}

/** Limits of OpenAI (platform.openai.com/docs/guides/batch, November 2026). */
const maxLines = 50_000;
const maxFileBytes = 200 * 1024 * 1024;
const maxLineBytes = 32 * 1024 * 1024;

/** Creates batches of OpenAI. Their lines are in a file at the maker, which is read once and not stored. */
export class OpenAISubmissions implements BatchSubmissions {
  constructor(private readonly deps: OpenAISubmissionsDeps) {}

  async read(call: ObjectCall, body: Fields): Promise<BatchSubmission> {
    const { input_file_id: file, endpoint: path, metadata } = body;
    if (typeof file !== 'string' || file === '') throw malformed('input_file_id is missing');
    const endpoint = batchEndpoints.get(path);
    if (typeof path !== 'string' || !endpoint) {
      throw batchRefused(
        'batch_endpoint_unsupported',
        `endpoint must be one of ${[...batchEndpoints.keys()].join(', ')}`,
      );
    }
    const named = { field: 'input_file_id', id: file, isConversation: false };
    const account = await this.deps.accounts.ofObjects(call.caller, 'openai', [named]);
    await this.checkFile(call, account, file);
    const estimate = await this.estimate({ call, account, endpoint, path, maxLines, named }, file);
    const marked = { ...body, metadata: { ...asFields(metadata), [markName]: call.incoming.requestId } };
    const sent = Buffer.from(writeJson(marked));
    return { dialect: openAIBatches, account, estimate, endpoint: path, path: '/v1/batches', body: sent };
  }

  /** @throws RelayError batch_file_invalid, batch_too_large */
  private async checkFile({ client }: ObjectCall, account: ObjectAccount, file: string): Promise<void> {
    const { exchange } = this.deps;
    const read = async (answer: Exchange) => parseFields((await exchange.collect(answer)).toString('utf8'));
    const shown = await exchange.ask(account, { method: 'GET', path: pathOf(file) }, read, client);
    if (shown?.['purpose'] !== 'batch') {
      throw batchRefused('batch_file_invalid', `The purpose of file ${file} is not batch`);
    }
    if (Number(shown['bytes']) > maxFileBytes) throw tooLarge('is too large');
  }

  private estimate(place: BatchPlace, file: string): Promise<BatchEstimate> {
    const { exchange, lines, maxBodyBytes } = this.deps;
    const limits = { maxLine: Math.min(maxLineBytes, maxBodyBytes), maxBytes: maxFileBytes, refusal: tooLarge };
    return exchange.ask(
      place.account,
      { method: 'GET', path: `${pathOf(file)}/content` },
      (answer) => lines.estimate(place, linesOf(jsonLines(answer, limits), place.path)),
      place.call.client,
    );
  }
}

const pathOf = (file: string): string => `/v1/files/${encodeURIComponent(file)}`;

const tooLarge = (reason: string): Error => batchRefused('batch_too_large', `The input file ${reason}`);

/** Reads the lines of an input file: `{"custom_id", "method", "url", "body"}`. */
async function* linesOf(lines: AsyncIterable<Buffer>, path: string): AsyncGenerator<BatchLine> {
  let count = 0;
  for await (const bytes of lines) {
    count++;
    yield lineOf(bytes, path, count);
  }
}

function lineOf(bytes: Buffer, path: string, count: number): BatchLine {
  try {
    const line = parseJsonBody(bytes);
    const body = asFields(line['body']);
    if (!body) throw invalid('it must have custom_id, method, url and body');
    if (line['method'] !== 'POST') throw invalid('method must be POST');
    if (line['url'] !== path) throw invalid(`url must be ${path}, as the batch says`);
    return { id: asText(line['custom_id']), body: Buffer.from(writeJson(body)) };
  } catch (error) {
    throw withLineNumber(error, count);
  }
}

const invalid = (reason: string): Error => batchRefused('batch_line_invalid', reason);
