import type { Correction, Remedy } from '../../dialects/corrections/correction.js';
import { correctedRequest, namesOf } from '../../dialects/corrections/corrected-request.js';
import { remedyFor } from '../../dialects/corrections/refusals.js';
import type { UpstreamRequest } from '../../dialects/contract.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { ChatDialect } from '../deliver/chat-dialects.js';
import type { ClientResponse } from '../deliver/client-response.js';
import { mapModel } from '../route/model-mapping.js';
import type { Attempt, AttemptOutcome } from './attempt.js';
import { toTarget } from './attempt-exchange.js';
import type { LearnedCorrections } from './learned-corrections.js';

/** Maximum number of corrected refusals of one attempt. Providers name one field, or one fault of a history, at a time. */
const maxCorrected = 6;

/** The corrections change nothing: the provider would refuse the same request again. */
class UnchangedRequestError extends Error {}

type Run = (attempt: Attempt) => Promise<AttemptOutcome>;

/** Returns the attempt with the corrections that are known for its channel and model. */
export function withLearned(attempt: Attempt, learned: LearnedCorrections): Attempt {
  const corrections = learned.of(keyOf(attempt));
  return corrections ? { ...attempt, corrections } : attempt;
}

/** An attempt that failed, and how it is made again. */
interface Refused {
  readonly attempt: Attempt;
  readonly dialect: ChatDialect;
  readonly client: ClientResponse;
  readonly run: Run;
}

/**
 * Makes an attempt again if the provider refused the request and named the cause: the request is corrected and sent at
 * once with the same key. The correction is stored once the provider has accepted it
 * (docs/reference/providers/README.md#refused-requests).
 * @throws the given error when there is no correction for it
 */
export async function correctedAttempt(refused: Refused, error: unknown, count = 1): Promise<AttemptOutcome> {
  const { attempt, client, run } = refused;
  if (count > maxCorrected || client.started || client.gone || !(error instanceof UpstreamError)) throw error;
  const remedy = remedyFor(error);
  if (!remedy || !isOpen(refused, remedy)) throw error;
  const next: Attempt = {
    ...attempt,
    corrections: [...(attempt.corrections ?? []), ...remedy.corrections],
    newCorrections: remedy.corrections,
    accepted: () => {
      if (remedy.isLasting) attempt.learned?.learn(keyOf(attempt), remedy.corrections);
      attempt.accepted?.();
    },
  };
  try {
    return await run(next);
  } catch (problem) {
    if (problem instanceof UnchangedRequestError) throw error;
    return correctedAttempt({ ...refused, attempt: next }, problem, count + 1);
  }
}

/** Whether the call can be sent to Responses, if that is the remedy. */
function isOpen({ attempt, dialect }: Refused, { corrections }: Remedy): boolean {
  const responses = corrections.filter(({ kind }) => kind === 'responses');
  if (responses.length === 0) return true;
  const { overResponses } = attempt.channel.provider.adapter;
  if (!overResponses || dialect.native === 'responses' || !dialect.client) return false;
  const { body } = attempt.request;
  return (
    !overResponses.takes(body, toTarget(attempt)) && overResponses.takes(body, toTarget({ ...attempt, corrections }))
  );
}

const keyOf = ({ channel, requestedModel, bareModel }: Attempt): string =>
  JSON.stringify([channel.id, channel.baseUrl, mapModel(channel.mapping, requestedModel, bareModel)]);

/**
 * Applies the corrections to the request of an attempt, and adds the names of removed fields.
 * @throws UnchangedRequestError when the provider has just refused the same request
 */
export function withCorrections(attempt: Attempt, { client }: ChatDialect, sent: UpstreamRequest): UpstreamRequest {
  const { corrections = [], newCorrections } = attempt;
  const { request, changed } = correctedRequest(sent, corrections);
  const isNew = (each: Correction): boolean => each.kind === 'responses' || changed.includes(each);
  if (newCorrections && !newCorrections.some(isNew)) throw new UnchangedRequestError();
  const names = changed.flatMap((each) => namesOf(each, client?.dialect ?? 'openai-chat'));
  return names.length === 0 ? request : { ...request, dropped: [...new Set([...(sent.dropped ?? []), ...names])] };
}
