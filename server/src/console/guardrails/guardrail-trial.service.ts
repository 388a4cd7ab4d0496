import { requireRole, type MaybeActor } from '../../shared/actor.js';
import { InvalidInputError } from '../../shared/errors.js';
import { guardrailRule, type GuardrailRule } from '../../shared/guardrail-rule.js';

/** The result of a rule for one text. */
export interface TrialResult {
  readonly matched: readonly string[];
  /** The text after masking. */
  readonly text: string;
  /** Why a remote check failed; null when it did not. */
  readonly failure: string | null;
}

/** Runs a rule that need not be saved. */
export interface GuardrailTrials {
  trial(rule: GuardrailRule, text: string): Promise<TrialResult>;
}

const maxText = 10_000;

/** Tries rules before they are saved. */
export class GuardrailTrialService {
  constructor(private readonly guardrails: GuardrailTrials) {}

  /**
   * @param json one rule, as in the option `guardrails.rules`
   * @throws AppError INSUFFICIENT_PRIVILEGES below root, INVALID_INPUT
   */
  async try(actor: MaybeActor, json: string, text: string): Promise<TrialResult> {
    requireRole(actor, 'root');
    if (text.length > maxText) throw new InvalidInputError(`text may have at most ${maxText} characters`, 'text');
    return this.guardrails.trial(parseRule(json), text);
  }
}

function parseRule(json: string): GuardrailRule {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new InvalidInputError('rule is not JSON', 'rule');
  }
  const parsed = guardrailRule.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidInputError(`rule ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is invalid'}`, 'rule');
}
