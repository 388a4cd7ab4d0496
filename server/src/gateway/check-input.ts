import { AppError } from '../shared/errors.js';
import { jsonInTurns } from '../shared/json-in-turns.js';
import type { FormPart } from '../dialects/contract.js';
import { toCallFailure } from '../dialects/errors/failure.js';
import { SearchTime } from '../platform/matching/search-time.js';
import { bodyTexts, withTexts } from './admit/guardrails/body-texts.js';
import type { CallGuard } from './admit/guardrails/call-guard.js';
import type { Call, OpenedRequest } from './call.js';
import type { RelayDeps } from './deps.js';
import type { CallPricing } from './price-call.js';

/** Checks the texts of a request against the blocked words and the guardrails. */
export class InputChecks {
  constructor(
    private readonly deps: Pick<RelayDeps, 'guardrails' | 'options' | 'errors'>,
    private readonly pricing: CallPricing,
  ) {}

  /**
   * @returns the call after all guardrails for input, unchanged or with a masked body
   * @throws AppError SENSITIVE_WORDS, GUARDRAIL_BLOCKED
   */
  async check(asked: OpenedRequest, call: Call): Promise<Call> {
    const { guardrails, options } = this.deps;
    const { words } = guardrails;
    const { requestId, caller, admission } = call;
    const time = new SearchTime();
    if (words.enabled) {
      await words.check(call.endpoint.texts(call.request.body), { userId: caller.user.id, requestId, time });
    }
    if (options.values['guardrails.rules'].length === 0) return call;
    const guard = guardrails.of(caller, admission.group, admission.model, requestId, time);
    return guard ? this.guarded(asked, { ...call, guard }, guard) : call;
  }

  private async guarded(asked: OpenedRequest, call: Call, guard: CallGuard): Promise<Call> {
    asked.guard = guard;
    if (!guard.checksInput) return call;
    const { body, form } = asked.opened;
    const texts = await bodyTexts(body);
    try {
      const passed = await guard.apply(texts, 'input');
      if (passed === texts) return call;
      const masked = await withTexts(body, passed);
      asked.opened = { ...asked.opened, body: masked, ...(form ? { form: withFields(form, masked) } : {}) };
      if (!form) asked.rawBody = await jsonInTurns(masked);
      return this.pricing.price(asked, call.admission);
    } catch (error) {
      this.deps.errors.guarded({ call, error, failure: toCallFailure(error), usedChannels: [] });
      throw error;
    }
  }
}

/** Returns the form with the texts of the masked body in its parts. */
const withFields = (form: readonly FormPart[], body: Readonly<Record<string, unknown>>): FormPart[] =>
  form.map((part) => {
    const text = body[part.name];
    return typeof part.value === 'string' && typeof text === 'string' ? { ...part, value: text } : part;
  });

/** Refuses requests of browser extensions (option `global.block_browser_extension_enabled`). */
export function refuseExtensions(origin: string | undefined): void {
  if (origin?.includes('extension') && origin.includes('://')) {
    throw new AppError('BROWSER_EXTENSION_BLOCKED', 'browser extension blocked');
  }
}
