import { createStore, type Store } from '../../lib/store.js';
import type { OtherCall } from './calls.js';
import { ChatFailure, type ChatListener, type ChatPayload, type OpenChat } from './chatStream.js';
import type { OpenOther, OtherListener } from './otherCalls.js';
import type { Output } from './outputs.js';
import {
  before,
  emptyAnswer,
  isRunning,
  messagesOf,
  newId,
  questionOf,
  splitReasoning,
  withoutPair,
  type Answer,
  type Bill,
  type Question,
  type Turn,
} from './turns.js';

/** Parameters of a chat request, without its messages. */
export type ChatParams = Omit<ChatPayload, 'messages' | 'stream'> & { readonly systemPrompt: string };
/** Parameters of a request to another kind of model, without its text. */
export type OtherParams = Omit<OtherCall, 'text' | 'recording'>;
export type RequestParams = ChatParams | OtherParams;

export interface ConversationParts {
  readonly open: OpenChat;
  readonly openOther: OpenOther;
  /** The cost of the call. Null: its log row does not exist (yet). */
  readonly bill: (requestId: string, since: Date) => Promise<Bill | null>;
  /** The error message shown to the user. */
  readonly describe: (error: unknown) => string;
  /** Persists the conversation; called after each complete change. */
  readonly keep: (turns: readonly Turn[]) => void;
  /** Schedules its argument, at most once per frame. */
  readonly schedule: (run: () => void) => void;
}

/** Times at which the log is queried for a response's cost, in ms after its end. Stopped responses are charged later. */
const billAfter = [0, 700, 2000, 5000];

/** One conversation with at most one streaming response. Received text is batched and shown once per frame. */
export class Conversation {
  readonly turns: Store<readonly Turn[]>;
  private running: AbortController | null = null;

  constructor(
    turns: readonly Turn[],
    private readonly parts: ConversationParts,
  ) {
    this.turns = createStore(turns);
  }

  ask(text: string, images: readonly string[], params: RequestParams, recording?: Question['recording']): void {
    if (this.running) return;
    const question: Question = { kind: 'question', id: newId(), text, images, ...(recording && { recording }) };
    this.put([...this.turns.get(), question]);
    void this.answer(params);
  }

  /** Sends an edited message again; all later turns are removed. */
  edit(questionId: string, text: string, params: RequestParams): void {
    const turns = this.turns.get();
    const question = turns.find(({ id }) => id === questionId);
    if (this.running || question?.kind !== 'question') return;
    this.put(before(turns, questionId));
    this.ask(text, question.images, params, question.recording);
  }

  /** Requests a response again; all later turns are removed. */
  retry(answerId: string, params: RequestParams): void {
    const question = questionOf(this.turns.get(), answerId);
    if (question) this.edit(question.id, question.text, params);
  }

  remove(answerId: string): void {
    const running = this.running !== null && isRunning(this.turns.get().find(({ id }) => id === answerId));
    if (!running) this.put(withoutPair(this.turns.get(), answerId));
  }

  /** Adds a divider: turns above it are no longer sent to the model. */
  clearContext(): void {
    const turns = this.turns.get();
    const last = turns.at(-1);
    if (this.running || !last || last.kind === 'divider') return;
    this.put([...turns, { kind: 'divider', id: newId() }]);
  }

  /** Removes all turns. */
  startOver(): void {
    this.stop();
    this.put([]);
  }

  /** Continues with the turns of another conversation, except a response that it still receives. */
  copy(turns: readonly Turn[]): void {
    this.stop();
    const running = turns.find(isRunning);
    this.put(running ? withoutPair(turns, running.id) : turns);
  }

  stop(): void {
    this.running?.abort();
  }

  private async answer(params: RequestParams): Promise<void> {
    const before = this.turns.get();
    const controller = new AbortController();
    this.running = controller;
    let answer: Answer = 'kind' in params ? { ...emptyAnswer(params.model), outputs: [] } : emptyAnswer(params.model);
    const outputs: Output[] = [];
    let firstSeconds: number | null = null;
    let received = '';
    let receivedReasoning = '';
    let requestId: string | null = null;
    let isScheduled = false;
    this.put([...before, answer]);

    const update = (patch: Partial<Answer>): void => {
      answer = { ...answer, ...patch };
      const turns = this.turns.get();
      if (turns.some(({ id }) => id === answer.id)) {
        this.turns.set(turns.map((turn) => (turn.id === answer.id ? answer : turn)));
      }
    };
    const receivedParts = (): Pick<Answer, 'text' | 'reasoning'> => {
      const { reasoning, text } = splitReasoning(received);
      return { text, reasoning: receivedReasoning || reasoning };
    };
    const render = (): void => {
      if (isScheduled) return;
      isScheduled = true;
      this.parts.schedule(() => {
        isScheduled = false;
        if (isRunning(answer)) update({ ...receivedParts(), state: 'incomplete' });
      });
    };

    const started = new Date();
    const elapsed = (): number => (Date.now() - started.getTime()) / 1000;
    const receive = (): void => {
      firstSeconds ??= elapsed();
      render();
    };
    const end = (patch: Partial<Answer>): void => {
      this.running = null;
      update({
        ...receivedParts(),
        ...(answer.outputs ? { outputs } : { firstSeconds }),
        seconds: elapsed(),
        ...patch,
      });
      this.parts.keep(this.turns.get());
    };
    let cut: Answer['cut'] = null;
    try {
      const listener = {
        // A stream that broke may be requested again; its text then begins anew.
        started: (id: string | null) => {
          requestId = id;
          received = '';
          receivedReasoning = '';
          cut = null;
          firstSeconds = null;
        },
        text: (text: string) => {
          received += text;
          receive();
        },
        reasoning: (text: string) => {
          receivedReasoning += text;
          receive();
        },
        finished: (reason: string) => {
          if (reason === 'length') cut = 'length';
        },
        output: (output: Output) => void outputs.push(output),
        progress: (progress: number) => update({ progress }),
      };
      await this.call(params, before, listener, controller.signal);
      end({ state: 'complete', cut });
    } catch (error) {
      if (controller.signal.aborted) end({ state: 'complete', cut: 'stopped' });
      else end({ state: 'error', error: this.parts.describe(error) });
    }
    if (requestId !== null) await this.addBill(requestId, started, update);
  }

  /** Sends the last request of `turns`. */
  private call(
    params: RequestParams,
    turns: readonly Turn[],
    listener: ChatListener & OtherListener,
    signal: AbortSignal,
  ): Promise<void> {
    if ('kind' in params) {
      const question = turns.at(-1);
      if (question?.kind !== 'question') return Promise.resolve();
      const { text, recording } = question;
      return this.parts.openOther({ ...params, text, recording: recording?.file }, listener, signal);
    }
    const { systemPrompt, ...rest } = params;
    const payload: ChatPayload = { messages: messagesOf(turns, systemPrompt), stream: true, ...rest };
    return this.parts.open(payload, listener, signal);
  }

  private async addBill(requestId: string, started: Date, update: (patch: Partial<Answer>) => void): Promise<void> {
    // The server's clock may be behind the browser's.
    const since = new Date(started.getTime() - 600_000);
    for (const wait of billAfter) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      const bill = await this.parts.bill(requestId, since).catch(() => null);
      if (!bill) continue;
      update({ bill });
      this.parts.keep(this.turns.get());
      return;
    }
  }

  private put(turns: readonly Turn[]): void {
    this.turns.set(turns);
    this.parts.keep(turns);
  }
}

/** Codes of a session that has ended, or is another user's by now. */
const sessionCodes: readonly string[] = ['not_signed_in', 'user_id_mismatch'];

/** Whether the call failed because the session has ended. A provider answers 401, too, when it refuses the channel's key. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ChatFailure && error.status === 401 && sessionCodes.includes(error.code);
