import { omitUndefined } from '../../../shared/omit-undefined.js';
import { asFields, asList, asText, someNumber, someText, type Fields, type Json } from '../../neutral/fields.js';
import { changedList } from '../../wire/pass-through/changed-list.js';
import { callId } from './chat-read.js';
import { OpenCalls, type PlacedPiece } from './open-calls.js';
import { nameIn } from './tool-shapes.js';

/*
 * Clients that check chat completions against a schema fail on calls of many compatible providers: later pieces with an id or a name of
 * null or '', calls without index, type or id, arguments that are no JSON because there are none, an empty usage, and a response that
 * ends with "stop" though it calls tools.
 */

/** The finish reason of a choice with calls. */
export type CallEnding = 'tool_calls' | 'stop';

/** OpenAI ends with "stop" when the request names the tool, and so do servers that follow it (vllm#25054). */
export function callEnding({ tool_choice: choice }: Fields): CallEnding {
  const named = asFields(choice);
  return named && someText(nameIn(named)) !== undefined ? 'stop' : 'tool_calls';
}

interface Choice {
  readonly calls: OpenCalls;
  isFinished: boolean;
}

/** Repairs the chunks of one stream. Has to get every chunk with calls, and from then on every chunk with a finish reason. */
export class ChunkRepair {
  private readonly choices = new Map<number, Choice>();
  /** Whether nothing was wrong so far with the pieces of calls. */
  private isSound = true;

  constructor(private readonly ending: CallEnding = 'tool_calls') {}

  /** Whether later pieces that have only an index and a text need no repair. Their arguments have to have begun in every choice. */
  isSoundAt(index: number): boolean {
    return this.isSound && [...this.choices.values()].every(({ calls }) => calls.hasText(index));
  }

  /** @returns the same chunk when nothing is wrong with it */
  repair(chunk: Fields): Fields {
    let position = 0;
    const choices = changedList(chunk['choices'], (choice) => this.repairChoice(choice, position++));
    const usage = asFields(chunk['usage']);
    const isEmpty = usage !== null && Object.keys(usage).length === 0;
    if (choices === chunk['choices'] && !isEmpty) return chunk;
    return omitUndefined<Json>({ ...chunk, choices, usage: isEmpty ? undefined : chunk['usage'] });
  }

  /**
   * The chunk that finishes the choices which the provider did not finish.
   * @param like any earlier chunk, for its id and model
   */
  missingEnd(like: Fields): Json | null {
    const open = [...this.choices].filter(([, { isFinished }]) => !isFinished);
    if (open.length === 0) return null;
    const { id, created, model } = like;
    const choices = open.map(([index, { calls }]) => {
      const missing = missingArguments(calls);
      return { index, delta: missing.length > 0 ? { tool_calls: missing } : {}, finish_reason: this.ending };
    });
    return { id, object: 'chat.completion.chunk', created, model, choices };
  }

  private repairChoice(choice: Fields, position: number): Fields {
    const index = someNumber(choice['index']) ?? position;
    const delta = asFields(choice['delta']);
    const pieces = asList(delta?.['tool_calls']);
    let state = this.choices.get(index);
    if (!state && pieces.length === 0) return choice;
    if (!state) this.choices.set(index, (state = { calls: new OpenCalls(), isFinished: false }));
    const { calls } = state;
    const repaired = asList(changedList(pieces, (piece) => repairPiece(piece, calls.place(piece))));
    const given = choice['finish_reason'];
    // Some providers send '' in every chunk.
    const isEnd = given === 'stop' || (given === '' && Object.keys(delta ?? {}).length === 0);
    const reason = isEnd ? this.ending : given === '' ? null : given;
    const ends = someText(reason) !== undefined && !state.isFinished;
    if (ends) state.isFinished = true;
    if (repaired !== pieces) this.isSound = false;
    const missing = ends && !cutting.has(reason) ? missingArguments(calls) : [];
    const isSame = repaired === pieces && missing.length === 0;
    if (isSame && reason === given) return choice;
    const shown = isSame ? {} : { delta: { ...delta, tool_calls: [...repaired, ...missing] } };
    return { ...choice, ...shown, finish_reason: reason };
  }
}

/** Finish reasons of responses that may have been cut off before the arguments of a call. */
const cutting = new Set<unknown>(['length', 'content_filter']);

/** Pieces that give an empty object to the functions for which the provider sent no arguments. */
const missingArguments = (calls: OpenCalls): Json[] =>
  calls.withoutText().map((index) => ({ index, function: { arguments: '{}' } }));

function repairPiece(piece: Fields, placed: PlacedPiece | null): Fields {
  if (!placed) return piece;
  const { index, isFirst, id, text } = placed;
  const form = asFields(piece['custom']) ? 'custom' : 'function';
  const called = asFields(piece[form]);
  const name = someText(called?.['name']);
  const input = form === 'custom' ? 'input' : 'arguments';
  const shown = {
    index,
    id: someText(id) ?? (isFirst ? callId('') : undefined),
    type: someText(piece['type']) ?? (isFirst ? form : undefined),
    [form]: called
      ? withFields(called, { name, [input]: called[input] === undefined ? undefined : text })
      : piece[form],
  };
  return withFields(piece, shown);
}

/**
 * The complete response with calls that clients can read.
 * @returns the same response when nothing is wrong with it
 */
export function repairedAnswer(answer: Fields, ending: CallEnding = 'tool_calls'): Fields {
  const choices = changedList(answer['choices'], (choice) => {
    const message = asFields(choice['message']);
    const given = asList(message?.['tool_calls']);
    if (given.length === 0) return choice;
    const reason = choice['finish_reason'];
    const calls = changedList(given, (call) => repairCall(call, cutting.has(reason)));
    const isWrong = reason !== ending && (reason === 'stop' || reason === '');
    if (calls === given && !isWrong) return choice;
    return {
      ...choice,
      message: { ...message, tool_calls: calls },
      finish_reason: isWrong ? ending : reason,
    };
  });
  return choices === answer['choices'] ? answer : { ...answer, choices };
}

function repairCall(call: Fields, isCut: boolean): Fields {
  const placed = new OpenCalls().place(call);
  const { id, type, function: shown } = repairPiece(call, placed);
  const called = asFields(shown);
  const isEmpty = called !== null && asText(called['arguments']) === '' && !isCut;
  return withFields(call, { id, type, function: isEmpty ? { ...called, arguments: '{}' } : shown });
}

/** @returns the same object when it has these values already; undefined removes a field */
function withFields(given: Fields, values: Fields): Fields {
  const isSame = Object.entries(values).every(([name, value]) => given[name] === value);
  return isSame ? given : omitUndefined<Json>({ ...given, ...values });
}
