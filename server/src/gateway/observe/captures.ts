import type { OptionValues } from '../../options/option.service.js';
import type { Logger } from '../../platform/observability/logger.js';
import type { CaptureRule } from '../../shared/capture-rule.js';
import { wholeSecond, type Clock } from '../../shared/clock.js';
import { concerns } from '../../shared/guardrail-rule.js';
import { randomBetween } from '../../shared/ids.js';
import { storableText } from '../../shared/json.js';
import type { Caller } from '../admit/authentication.js';
import type { BodyGrant } from '../admit/body-budget.js';
import { bodyTexts, withTexts } from '../admit/guardrails/body-texts.js';
import { personalDataCheck } from '../admit/guardrails/local-checks.js';
import { masked, SearchTime } from '../../platform/matching/search.js';
import { wordsCheck } from '../../platform/matching/words-check.js';
import type { TextMeter } from '../reserve/metering/text-meter.js';
import type { Queries } from '../../platform/db/queries.js';
import { contentLimit } from './chat-content.js';
import type { Call } from '../call.js';

const stepsOfPercent = 1000;

export interface CapturesDeps {
  readonly database: Queries;
  readonly options: { readonly values: OptionValues };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A call whose content is stored. */
export interface Captured extends Pick<Call, 'requestId' | 'caller'> {
  readonly route: Pick<Call['route'], 'group' | 'model'>;
  readonly request: Pick<Call['request'], 'body'>;
}

/** Maximum number of writes that wait for the database. Further contents are not captured. */
const maxWaiting = 200;

const sql = `INSERT INTO captured_contents (request_id, created_at, user_id, token_id, "group", model_name, request, response,
    is_cut)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (request_id) DO NOTHING`;

/** Stores prompts and responses of selected callers in a table of their own (docs/reference/relay/captures.md). */
export class Captures {
  private waiting = 0;

  constructor(private readonly deps: CapturesDeps) {}

  /** Finds the rule by which this call is captured. Callers skip it while the site has no rules. */
  of({ token }: Caller, group: string): CaptureRule | undefined {
    const rules = this.deps.options.values['content_capture.rules'];
    if (rules.length === 0) return undefined;
    const rule = rules.find((one) => concerns(one, group, token.id));
    return rule && randomBetween(0, 99_999) < rule.percent * stepsOfPercent ? rule : undefined;
  }

  /**
   * Stores the content in the background, after the response was sent. Never throws.
   * @param grant holds the body, which is read after its call has ended
   */
  keep(call: Captured, rule: CaptureRule, meter: Pick<TextMeter, 'transcript'>, grant?: BodyGrant): void {
    const { logger } = this.deps;
    const { requestId } = call;
    if (this.waiting >= maxWaiting) {
      logger.warn({ requestId }, 'content is not captured: too many writes wait');
      return;
    }
    this.waiting++;
    const letGo = grant?.keepBody();
    setImmediate(() => {
      this.write(call, rule, meter.transcript)
        .catch((error: unknown) => logger.error({ err: error, requestId }, 'content could not be captured'))
        .finally(() => {
          this.waiting--;
          letGo?.();
        });
    });
  }

  private async write(call: Captured, rule: CaptureRule, transcript: string): Promise<void> {
    const { database, clock } = this.deps;
    const { caller, route } = call;
    const { body } = call.request;
    const texts = await redacted(rule, [...(await bodyTexts(body)), transcript], caller.user.id);
    const response = texts.pop() ?? '';
    const request = JSON.stringify(await withTexts(body, texts), withoutMedia);
    await database.query(sql, [
      ...[call.requestId, wholeSecond(clock.now()), caller.user.id, caller.token.id, route.group, route.model],
      ...[storableText(request.slice(0, contentLimit)), storableText(response.slice(0, contentLimit))],
      request.length > contentLimit || transcript.length >= contentLimit,
    ]);
  }
}

async function redacted(rule: CaptureRule, texts: readonly string[], userId: number): Promise<string[]> {
  const { redact, redact_words: words = [] } = rule;
  const search = { userId, isFirstEnough: false, time: new SearchTime() };
  const clean = masked(texts, await personalDataCheck(redact)({ ...search, texts }));
  return masked(clean, await wordsCheck(words)({ ...search, texts: clean }), 'removed');
}

const media: ReadonlySet<string> = new Set([
  ...['data', 'image_url', 'file_data', 'b64_json', 'url', 'encrypted_content', 'signature', 'thoughtSignature'],
]);
const longestAddress = 200;

const withoutMedia = (name: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > longestAddress && media.has(name) ? '[media]' : value;
