import { setImmediate } from 'node:timers/promises';
import type { Logger } from '../../../platform/observability/logger.js';
import { AppError, UnavailableError } from '../../../shared/errors.js';
import type { GuardrailRule, GuardrailStage } from '../../../shared/guardrail-rule.js';
import {
  type Findings,
  isEmpty,
  masked,
  namesIn,
  nothingFound,
  type SearchTime,
} from '../../../platform/matching/search.js';
import { searchedAtOnce, type LocalCheck } from '../../../platform/matching/words-check.js';
import { pause } from '../../../shared/slices.js';
import type { CheckedTexts, RemoteCheck } from './remote-checks.js';

/** A rule with its check. */
export interface CompiledRule {
  readonly rule: GuardrailRule;
  readonly local: LocalCheck | null;
  readonly remote: RemoteCheck | null;
}

/** One rule that matched, for the log of admins. Personal data itself is never part of it. */
export interface GuardNote {
  readonly rule: string;
  readonly stage: GuardrailStage;
  readonly action: GuardrailRule['action'] | 'failed_open' | 'failed_closed';
  /** Kinds of personal data, blocked words, categories, or names that a webhook returned. */
  readonly matched: string[];
}

/** The caller, as it is described to remote checks. */
export type GuardedCaller = Omit<CheckedTexts, 'texts' | 'stage'>;

/** The rules that concern one call. */
export class CallGuard {
  readonly notes: GuardNote[];
  private readonly rules: readonly CompiledRule[];
  private readonly forInput: readonly CompiledRule[];
  private readonly forOutput: readonly CompiledRule[];

  /** @param before the guard of the group that could not serve the call: its rules have checked the input already */
  constructor(
    rules: readonly CompiledRule[],
    private readonly caller: GuardedCaller,
    private readonly logger: Logger,
    private readonly time: SearchTime,
    before?: CallGuard,
  ) {
    const known = before?.rules ?? [];
    const added = rules.filter((rule) => !known.includes(rule));
    this.notes = before?.notes ?? [];
    this.rules = [...known, ...added];
    this.forInput = added.filter((one) => isFor(one, 'input'));
    this.forOutput = this.rules.filter((one) => isFor(one, 'output'));
  }

  get checksInput(): boolean {
    return this.forInput.length > 0;
  }

  get checksOutput(): boolean {
    return this.forOutput.length > 0;
  }

  /** Whether a check of a window of output calls another server. */
  get asksOthers(): boolean {
    return this.forOutput.some(({ remote }) => remote !== null);
  }

  /**
   * Applies every rule in order.
   * @returns the texts after masking; the same array when nothing was masked
   * @throws AppError GUARDRAIL_BLOCKED; UnavailableError when a check that fails closed failed
   */
  async apply(texts: readonly string[], stage: GuardrailStage): Promise<readonly string[]> {
    this.time.earn(texts);
    let current = texts;
    let searched = 0;
    for (const one of stage === 'input' ? this.forInput : this.forOutput) {
      // Rules that search a text at once would all run in one turn of the event loop.
      if (searched > searchedAtOnce) {
        searched = 0;
        await pause();
      }
      for (const { length } of current) searched += length;
      current = one.local
        ? await this.applyLocal(one.rule, one.local, current, stage)
        : await this.ask(one, current, stage);
    }
    return current;
  }

  /** Returns the largest position up to `cut` that does not split a match of a local rule for output. */
  async cutBefore(text: string, cut: number): Promise<number> {
    let at = cut;
    for (const one of this.forOutput) {
      if (!one.local) continue;
      const { parts, rest } = await this.found(one.rule, one.local, [text], 'output', false);
      if (rest) return 0;
      for (const { start, end } of parts.get(0) ?? []) if (start < at && end > at) at = start;
    }
    return at;
  }

  private async applyLocal(
    rule: GuardrailRule,
    find: LocalCheck,
    texts: readonly string[],
    stage: GuardrailStage,
  ): Promise<readonly string[]> {
    const found = await this.found(rule, find, texts, stage, rule.action === 'block');
    if (isEmpty(found)) return texts;
    this.note(rule, stage, namesIn(found));
    if (rule.action === 'block') throw blocked(rule);
    // Once the time of the call is used up, each further rule returns at once, and may have to mask very many texts.
    if (found.rest) await setImmediate();
    return rule.action === 'mask' ? maskedBy(rule, texts, found) : texts;
  }

  /**
   * Runs one rule. A rule that only reports does not refuse a call that it could not check.
   * @throws UnavailableError
   */
  private async found(
    rule: GuardrailRule,
    find: LocalCheck,
    texts: readonly string[],
    stage: GuardrailStage,
    isFirstEnough: boolean,
  ): Promise<Findings> {
    const { userId, requestId } = this.caller;
    try {
      return await find({ texts, userId, isFirstEnough, time: this.time });
    } catch (error) {
      const isOpen = rule.action === 'log';
      this.logger.warn({ err: error, requestId, rule: rule.name }, 'a guardrail could not be checked');
      this.add({ rule: rule.name, stage, action: isOpen ? 'failed_open' : 'failed_closed', matched: [] });
      if (isOpen) return nothingFound;
      throw error;
    }
  }

  private async ask(
    { rule, remote }: CompiledRule,
    texts: readonly string[],
    stage: GuardrailStage,
  ): Promise<readonly string[]> {
    if (!remote || texts.length === 0) return texts;
    try {
      const { matched, texts: masked } = await remote({ ...this.caller, texts, stage });
      if (matched.length === 0) return texts;
      this.note(rule, stage, [...matched]);
      if (rule.action === 'block') throw blocked(rule);
      return rule.action === 'mask' && masked ? masked : texts;
    } catch (error) {
      if (error instanceof AppError && error.code === 'GUARDRAIL_BLOCKED') throw error;
      const isClosed = 'on_failure' in rule && rule.on_failure === 'closed';
      const { requestId } = this.caller;
      this.logger.warn({ err: error, requestId, rule: rule.name }, 'a guardrail could not be checked');
      this.add({ rule: rule.name, stage, action: isClosed ? 'failed_closed' : 'failed_open', matched: [] });
      if (isClosed) throw new UnavailableError(`The guardrail ${rule.name} is unavailable. Try again shortly.`);
      return texts;
    }
  }

  private note(rule: GuardrailRule, stage: GuardrailStage, matched: string[]): void {
    this.add({ rule: rule.name, stage, action: rule.action, matched: matched.slice(0, maxMatched) });
  }

  /** Adds at most one note for each rule and stage, because windows of a stream match repeatedly. */
  private add(note: GuardNote): void {
    const same = ({ rule, stage, action }: GuardNote): boolean =>
      rule === note.rule && stage === note.stage && action === note.action;
    const before = this.notes.find(same);
    if (!before) this.notes.push(note);
    else for (const each of note.matched) if (!before.matched.includes(each)) before.matched.push(each);
  }
}

const maxMatched = 20;

const isFor = ({ rule }: CompiledRule, stage: GuardrailStage): boolean => rule.stage === stage || rule.stage === 'both';

/** Returns the mask of a match. The mask of a blocked word does not repeat the word. */
export const maskedBy = ({ check }: GuardrailRule, texts: readonly string[], found: Findings): readonly string[] =>
  masked(texts, found, check === 'words' ? 'removed' : undefined);

const blocked = ({ name }: GuardrailRule): AppError =>
  new AppError('GUARDRAIL_BLOCKED', `The content was blocked by the guardrail ${name}`);
