import { createStore, type Store } from '../../lib/store.js';
import { ChatFailure, type ChatPayload, type OpenChat } from './chatStream.js';
import {
  before,
  emptyAnswer,
  isRunning,
  messagesOf,
  newId,
  questionOf,
  splitThought,
  withoutPair,
  type Answer,
  type Bill,
  type Turn,
} from './turns.js';

/** How an answer is to be made, as the payload has it. */
export type Manner = Omit<ChatPayload, 'messages' | 'stream'> & { readonly systemPrompt: string };

export interface ConversationParts {
  readonly open: OpenChat;
  /** The cost of the call. Null: its log row does not exist (yet). */
  readonly bill: (requestId: string, since: Date) => Promise<Bill | null>;
  /** The error message shown to the user. */
  readonly describe: (error: unknown) => string;
  /** Called with every state that is worth keeping. */
  readonly keep: (turns: readonly Turn[]) => void;
  /** Runs its argument soon, at most once a frame. */
  readonly soon: (run: () => void) => void;
}

/** When the log is asked for the cost of an answer, in ms after it ended; a stopped one is charged a little later. */
const billAfter = [0, 700, 2000, 5000];

/** One conversation with one answer under way at most. Words that come are gathered and shown once a frame. */
export class Conversation {
  readonly turns: Store<readonly Turn[]>;
  private running: AbortController | null = null;

  constructor(
    turns: readonly Turn[],
    private readonly parts: ConversationParts,
  ) {
    this.turns = createStore(turns);
  }

  ask(text: string, pictures: readonly string[], manner: Manner): void {
    if (this.running) return;
    this.put([...this.turns.get(), { kind: 'question', id: newId(), text, pictures }]);
    void this.answer(manner);
  }

  /** Asks a question anew, with other words; what came after it falls away. */
  edit(questionId: string, text: string, manner: Manner): void {
    const turns = this.turns.get();
    const question = turns.find(({ id }) => id === questionId);
    if (this.running || question?.kind !== 'question') return;
    this.put(before(turns, questionId));
    this.ask(text, question.pictures, manner);
  }

  /** Makes an answer once more; what came after it falls away. */
  retry(answerId: string, manner: Manner): void {
    const question = questionOf(this.turns.get(), answerId);
    if (question) this.edit(question.id, question.text, manner);
  }

  remove(answerId: string): void {
    const running = this.running !== null && isRunning(this.turns.get().find(({ id }) => id === answerId));
    if (!running) this.put(withoutPair(this.turns.get(), answerId));
  }

  /** Draws a line: the model no longer hears of what is above it. */
  clearContext(): void {
    const turns = this.turns.get();
    const last = turns.at(-1);
    if (this.running || !last || last.kind === 'divider') return;
    this.put([...turns, { kind: 'divider', id: newId() }]);
  }

  /** Forgets everything. */
  startOver(): void {
    this.stop();
    this.put([]);
  }

  stop(): void {
    this.running?.abort();
  }

  private async answer(manner: Manner): Promise<void> {
    const { systemPrompt, ...rest } = manner;
    const payload: ChatPayload = { messages: messagesOf(this.turns.get(), systemPrompt), stream: true, ...rest };
    const controller = new AbortController();
    this.running = controller;
    let answer = emptyAnswer(manner.model);
    let words = '';
    let thoughts = '';
    let requestId: string | null = null;
    let drawn = true;
    this.put([...this.turns.get(), answer]);

    const update = (patch: Partial<Answer>): void => {
      answer = { ...answer, ...patch };
      const turns = this.turns.get();
      if (turns.some(({ id }) => id === answer.id)) {
        this.turns.set(turns.map((turn) => (turn.id === answer.id ? answer : turn)));
      }
    };
    const gathered = (): Pick<Answer, 'text' | 'reasoning'> => {
      const { reasoning, text } = splitThought(words);
      return { text, reasoning: thoughts || reasoning };
    };
    const draw = (): void => {
      if (!drawn) return;
      drawn = false;
      this.parts.soon(() => {
        drawn = true;
        if (isRunning(answer)) update({ ...gathered(), state: 'incomplete' });
      });
    };

    const started = new Date();
    const end = (patch: Partial<Answer>): void => {
      this.running = null;
      update({ ...gathered(), seconds: (Date.now() - started.getTime()) / 1000, ...patch });
      this.parts.keep(this.turns.get());
    };
    let cut: Answer['cut'] = null;
    try {
      const listener = {
        begun: (id: string | null) => void (requestId = id),
        words: (text: string) => {
          words += text;
          draw();
        },
        thoughts: (text: string) => {
          thoughts += text;
          draw();
        },
        finished: (reason: string) => {
          if (reason === 'length') cut = 'length';
        },
      };
      await this.parts.open(payload, listener, controller.signal);
      end({ state: 'complete', cut });
    } catch (error) {
      if (controller.signal.aborted) end({ state: 'complete', cut: 'stopped' });
      else end({ state: 'error', error: this.parts.describe(error) });
    }
    if (requestId !== null) await this.addBill(requestId, started, update);
  }

  private async addBill(requestId: string, started: Date, update: (patch: Partial<Answer>) => void): Promise<void> {
    // The server's clock may be a little behind ours.
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

/** Whether the call failed because the session has ended. */
export const isSignedOut = (error: unknown): boolean => error instanceof ChatFailure && error.status === 401;
