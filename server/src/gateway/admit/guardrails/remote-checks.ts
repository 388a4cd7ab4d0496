import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { GuardedFetch } from '../../../platform/outbound/guarded-fetch.js';
import type { GuardrailRule, GuardrailStage } from '../../../shared/guardrail-rule.js';

/** The result of a check by another server. */
export interface Verdict {
  /** Names of the matches; empty when nothing matched. */
  readonly matched: readonly string[];
  /** The texts after masking, as many as were sent. Absent when the server masks nothing. */
  readonly texts?: readonly string[] | undefined;
}

export interface CheckedTexts {
  readonly texts: readonly string[];
  readonly stage: GuardrailStage;
  readonly requestId: string;
  readonly model: string;
  readonly group: string;
  readonly userId: number;
}

/** Asks another server. @throws any error when there is no valid verdict in time */
export type RemoteCheck = (call: CheckedTexts) => Promise<Verdict>;

export interface RemoteSecrets {
  /** Option `guardrails.moderation_token`. */
  readonly moderationKey: string;
  /** Option `guardrails.webhook_secret`. */
  readonly webhookSecret: string;
}

const maxBytes = 4 * 1024 * 1024;

const moderationAnswer = z.object({
  results: z.array(
    z.object({
      flagged: z.boolean(),
      categories: z.record(z.string(), z.boolean().nullable()),
      category_scores: z.record(z.string(), z.number().nullable()).optional(),
    }),
  ),
});

const webhookAnswer = z.object({
  matched: z.array(z.string().max(200)).max(100).default([]),
  texts: z.array(z.string()).optional(),
});

/** @returns null for checks that need no other server */
export function remoteCheck(
  rule: GuardrailRule,
  fetcher: GuardedFetch,
  secrets: () => RemoteSecrets,
): RemoteCheck | null {
  if (rule.check !== 'moderation' && rule.check !== 'webhook') return null;
  const post = async (body: string, headers: Record<string, string>): Promise<unknown> => {
    const response = await fetcher.fetch({
      url: rule.url,
      policy: 'admin' as const,
      method: 'POST' as const,
      body,
      maxBytes,
      followRedirects: false,
      headers: { 'content-type': 'application/json', ...headers },
      timeoutMs: rule.timeout_ms,
    });
    if (response.status < 200 || response.status > 299) throw new Error(`status ${response.status}`);
    return JSON.parse(response.body.toString('utf8')) as unknown;
  };
  if (rule.check === 'moderation') {
    return async ({ texts }) => {
      const headers = { authorization: `Bearer ${secrets().moderationKey}` };
      const answer = await post(JSON.stringify({ model: rule.model, input: texts }), headers);
      return { matched: flaggedIn(moderationAnswer.parse(answer).results, rule) };
    };
  }
  return async (call) => {
    const body = JSON.stringify({
      rule: rule.name,
      stage: call.stage,
      request_id: call.requestId,
      model: call.model,
      group: call.group,
      user_id: call.userId,
      texts: call.texts,
    });
    const { webhookSecret } = secrets();
    const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
    const answer = await post(body, webhookSecret === '' ? {} : { 'x-tollgate-signature': `sha256=${signature}` });
    const { matched, texts } = webhookAnswer.parse(answer);
    if (texts && texts.length !== call.texts.length) throw new Error('the webhook returned another number of texts');
    return { matched, texts };
  };
}

function flaggedIn(
  results: z.infer<typeof moderationAnswer>['results'],
  { categories, threshold }: Extract<GuardrailRule, { check: 'moderation' }>,
): string[] {
  const found = new Set<string>();
  for (const result of results) {
    for (const [name, flagged] of Object.entries(result.categories)) {
      if (categories && !categories.includes(name)) continue;
      const score = result.category_scores?.[name] ?? 0;
      if (threshold === undefined ? flagged === true : score >= threshold) found.add(name);
    }
  }
  return [...found];
}
