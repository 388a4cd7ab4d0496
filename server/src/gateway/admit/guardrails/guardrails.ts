import type { TrialResult } from '../../../console/guardrails/index.js';
import type { OptionValues } from '../../../options/option.service.js';
import type { Logger } from '../../../platform/observability/logger.js';
import type { GuardedFetch } from '../../../platform/outbound/guarded-fetch.js';
import { concerns, type GuardrailRule } from '../../../shared/guardrail-rule.js';
import type { Caller } from '../authentication.js';
import type { SensitiveWords } from '../sensitive-words.js';
import { namesIn, SearchTime } from '../../../platform/matching/search.js';
import { CallGuard, maskedBy, type CompiledRule } from './call-guard.js';
import { localCheck } from './local-checks.js';
import { remoteCheck } from './remote-checks.js';

export interface GuardrailsDeps {
  readonly words: SensitiveWords;
  readonly options: { readonly values: OptionValues };
  readonly fetcher: GuardedFetch;
  readonly logger: Logger;
}

/** Everything that inspects the content of calls: the list of blocked words, and the rules of the site. */
export class Guardrails {
  /** The rules that `compiled` was made from. */
  private source: OptionValues['guardrails.rules'] | null = null;
  private compiled: readonly CompiledRule[] = [];

  /** The list of blocked words. See its property `enabled`. */
  readonly words: SensitiveWords;

  constructor(private readonly deps: GuardrailsDeps) {
    this.words = deps.words;
  }

  /**
   * Selects the rules for a call. Callers skip it while the site has no rules.
   * @param time the time budget of the call, if it is shared with other checks
   * @param before the guard of the group that could not serve the call. Its rules stay.
   * @returns undefined when no rule concerns the call
   */
  of(
    caller: Caller,
    group: string,
    model: string,
    requestId: string,
    time = new SearchTime(),
    before?: CallGuard,
  ): CallGuard | undefined {
    return this.ofAny(caller, [group], model, requestId, time, before);
  }

  /** Selects the rules for output that was made in one of these groups. */
  ofAny(
    caller: Caller,
    groups: readonly string[],
    model: string,
    requestId: string,
    time = new SearchTime(),
    before?: CallGuard,
  ): CallGuard | undefined {
    const rules = this.deps.options.values['guardrails.rules'];
    if (rules.length === 0) return before;
    const { user, token } = caller;
    const own = this.compile(rules).filter(({ rule }) => groups.some((group) => concerns(rule, group, token.id)));
    const [group = ''] = groups;
    return own.length === 0
      ? before
      : new CallGuard(own, { requestId, model, group, userId: user.id }, this.deps.logger, time, before);
  }

  /** Runs a rule that need not be saved. Never throws: a server that is unavailable is reported in the result. */
  async trial(rule: GuardrailRule, text: string): Promise<TrialResult> {
    const { local, remote } = this.toCompiled(rule);
    try {
      if (local) {
        const found = await local({ texts: [text], userId: 0, isFirstEnough: false, time: new SearchTime() });
        return { matched: namesIn(found), text: maskedBy(rule, [text], found)[0] ?? '', failure: null };
      }
      const stage = rule.stage === 'output' ? 'output' : 'input';
      const call = { requestId: 'trial', model: '', group: '', userId: 0, stage, texts: [text] } as const;
      const answer = await remote?.(call);
      return { matched: answer?.matched ?? [], text: answer?.texts?.[0] ?? text, failure: null };
    } catch (error) {
      return { matched: [], text, failure: error instanceof Error ? error.message.slice(0, 500) : 'it failed' };
    }
  }

  /** Compiles the rules once for each change of the option. */
  private compile(rules: OptionValues['guardrails.rules']): readonly CompiledRule[] {
    if (this.source === rules) return this.compiled;
    this.source = rules;
    this.compiled = rules.map((rule) => this.toCompiled(rule));
    return this.compiled;
  }

  private toCompiled(rule: GuardrailRule): CompiledRule {
    const { options, fetcher } = this.deps;
    const secrets = () => ({
      moderationKey: options.values['guardrails.moderation_token'],
      webhookSecret: options.values['guardrails.webhook_secret'],
    });
    return { rule, local: localCheck(rule), remote: remoteCheck(rule, fetcher, secrets) };
  }
}
