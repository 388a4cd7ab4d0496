import { AppError } from '../../../shared/errors.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { noUsage, type Usage } from '../../../shared/usage.js';
import type { NeutralAnswer } from '../../neutral/answer.js';
import type { StreamReader } from '../../neutral/codec.js';
import type { NeutralEvent } from '../../neutral/event.js';
import { asFields, asText, parseFields, someNumber, someText, type Fields } from '../../neutral/fields.js';
import { readError } from '../../errors/read-upstream-error.js';
import { toCount, toUsage } from '../../languages/openai/usage.js';
import type { ServerEvent } from '../../wire/sse/event.js';
import { oneAnswer, textPart } from '../openai-compatible/own-dialect.js';

const thinkingOpens =
  '<details style="color:gray;background-color: #f8f8f8;padding: 8px;border-radius: 4px;" open> <summary> Thinking... </summary>\n';

/** Dify wraps thoughts in HTML for browsers; clients expect a `<think>` tag. */
const unfolded = (text: string): string => text.replace(thinkingOpens, '<think>').replace('</details>', '</think>');

function errorOf(event: Fields): UpstreamError {
  const status = someNumber(event['status']);
  const code = someText(event['code']) ?? 'dify_error';
  const valid = status !== undefined && status >= 400 && status < 600;
  return new UpstreamError(valid ? status : 502, {
    message: asText(event['message']) || asText(event['error']) || 'The app failed',
    type: 'dify_error',
    code,
  });
}

const usageOf = (answer: Fields): Usage | null => toUsage(asFields(asFields(answer['metadata'])?.['usage']));

/** A workflow reports only the total, so the share of prompt tokens is unknown. */
function workflowUsage(reported: Fields): Usage | null {
  const total = toCount(reported['total_tokens']);
  return total === 0 ? null : { ...noUsage, completionTokens: total, details: { isTotal: true } };
}

/** `text` of the outputs, else the only text among them. */
function outputText(outputs: unknown): string {
  const fields = asFields(outputs) ?? {};
  if (typeof fields['text'] === 'string') return fields['text'];
  const texts = Object.values(fields).filter((value) => typeof value === 'string');
  return texts.length === 1 ? asText(texts[0]) : Object.keys(fields).length === 0 ? '' : JSON.stringify(fields);
}

/** @throws UpstreamError when it reports an error; AppError UPSTREAM_INVALID_RESPONSE when it is not a response */
export function readDify(body: unknown): NeutralAnswer {
  const answer = asFields(body);
  const workflow = asFields(answer?.['data']);
  if (workflow && answer) {
    if (workflow['status'] === 'failed') throw errorOf({ message: workflow['error'] });
    const id = asText(answer['workflow_run_id']);
    return oneAnswer({ id }, textPart(outputText(workflow['outputs'])), 'stop', workflowUsage(workflow));
  }
  if (!answer || typeof answer['answer'] !== 'string') {
    const error = readError(answer);
    if (error) throw new UpstreamError(502, error);
    throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not the response of an app');
  }
  const head = {
    id: someText(answer['conversation_id']) ?? asText(answer['message_id']),
    created: someNumber(answer['created_at']),
  };
  return oneAnswer(head, textPart(unfolded(answer['answer'])), 'stop', usageOf(answer));
}

/** Reads the events of an app; events inside a workflow are ignored. */
export class DifyStreamReader implements StreamReader {
  private started = false;
  private said = false;
  done = false;

  push({ data }: ServerEvent): NeutralEvent[] {
    const event = parseFields(data);
    if (!event) return [];
    switch (event['event']) {
      case 'message':
      case 'agent_message':
        return [...this.start(asText(event['message_id'])), ...this.say(unfolded(asText(event['answer'])))];
      case 'text_chunk':
        return [
          ...this.start(asText(event['workflow_run_id'])),
          ...this.say(asText(asFields(event['data'])?.['text'])),
        ];
      case 'message_end':
        return [...this.start(asText(event['message_id'])), ...this.finish(usageOf(event))];
      case 'workflow_finished':
        return this.finishWorkflow(event);
      case 'error':
        return [{ kind: 'error', error: errorOf(event) }];
      default:
        return [];
    }
  }

  private start(id: string): NeutralEvent[] {
    if (this.started) return [];
    this.started = true;
    return [{ kind: 'start', id, model: '' }];
  }

  private say(text: string): NeutralEvent[] {
    if (text === '') return [];
    this.said = true;
    return [{ kind: 'text', choice: 0, text }];
  }

  /** A chat app also runs a workflow, whose end is followed by `message_end`. */
  private finishWorkflow(event: Fields): NeutralEvent[] {
    const reported = asFields(event['data']) ?? {};
    if (reported['status'] === 'failed') return [{ kind: 'error', error: errorOf({ message: reported['error'] }) }];
    if (event['conversation_id'] !== undefined || event['message_id'] !== undefined) return [];
    if (this.chats) return [];
    const rest = this.said ? [] : this.say(outputText(reported['outputs']));
    return [...this.start(asText(event['workflow_run_id'])), ...rest, ...this.finish(workflowUsage(reported))];
  }

  private finish(usage: Usage | null): NeutralEvent[] {
    this.done = true;
    return [{ kind: 'finish', choice: 0, reason: 'stop' }, ...(usage ? [{ kind: 'usage', usage } as const] : [])];
  }

  /** @param chats whether the app responds with messages, even if it runs a workflow */
  constructor(private readonly chats: boolean) {}
}
