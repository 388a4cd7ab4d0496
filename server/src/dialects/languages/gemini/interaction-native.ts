import { AppError } from '../../../shared/errors.js';
import { laterUsage, type Usage } from '../../../shared/usage.js';
import type { ChatAnswer, StreamTransform, Transcript } from '../../contract.js';
import { UpstreamError } from '../../errors/upstream-error.js';
import { asFields, asFieldsList, asText, parseJson, type Fields } from '../../neutral/fields.js';
import { reportEvent } from '../../neutral/report.js';
import { NativeStream, type NativeListener } from '../../wire/pass-through/native-stream.js';
import { idsOfInteraction } from '../provider-ids.js';
import { readGeminiError } from './error.js';
import { InteractionReader } from './interaction-reader.js';
import {
  moreWork,
  noWork,
  sumOfWork,
  toInteractionUsage,
  workOf,
  workOfSteps,
  type FoundWork,
} from './interaction-usage.js';

/**
 * A complete interaction for a client of the same dialect: the bytes stay unchanged.
 * @throws UpstreamError when it reports an error, or failed without usage; AppError UPSTREAM_INVALID_RESPONSE
 */
export function nativeInteraction(body: Buffer): ChatAnswer {
  const answer = asFields(parseJson(body.toString('utf8')));
  if (!answer) throw new AppError('UPSTREAM_INVALID_RESPONSE', 'The upstream response is not a JSON object');
  const usage = usageOf(answer, workOfSteps(answer));
  const error = readGeminiError(answer) ?? (usage ? null : failureOf(answer));
  if (error) throw error;
  return {
    body,
    usage,
    givenIds: idsOfInteraction(answer),
    report: (transcript) => {
      for (const event of new InteractionReader().read(answer)) reportEvent(event, transcript);
    },
  };
}

/** A stream of Interactions for a client of the same dialect. */
export const nativeInteractionStream = (transcript: Transcript): StreamTransform =>
  new NativeStream(new InteractionListener(), new InteractionReader(), transcript);

const usageOf = (interaction: Fields, work = noWork): Usage | null =>
  toInteractionUsage(interaction['usage'], interaction['service_tier'], work);

/** Returns the error of an interaction that failed before it produced anything. */
function failureOf({ status, errors }: Fields): UpstreamError | null {
  if (status !== 'failed') return null;
  const message = asText(asFieldsList(errors)[0]?.['message']) || 'the interaction failed';
  return new UpstreamError(502, { message, type: 'upstream_error', code: 'interaction_failed' });
}

/** The older form of the stream ends with `interaction.complete`. */
const endTypes: ReadonlySet<unknown> = new Set(['interaction.completed', 'interaction.complete']);

/** The last event has the usage of the interaction. Usage in earlier events counts if the stream breaks off. */
class InteractionListener implements NativeListener {
  readonly marks =
    /"event_type"\s*:\s*"(?:error|interaction\.)|"(?:total_)?usage"|"google_(?:search|maps)_call"|"image"/;
  private last: Usage | null = null;
  /** The work of each step, by its index. */
  private readonly work = new Map<unknown, FoundWork>();
  private readonly ids = new Set<string>();
  complete = false;
  readonly done = false;
  failure: UpstreamError | null = null;
  reportedFailure: UpstreamError | undefined;

  read(event: Fields): boolean {
    const { event_type: type } = event;
    if (type === 'error') {
      this.failure = readGeminiError(event) ?? failureOf({ status: 'failed' });
      return false;
    }
    const interaction = asFields(event['interaction']) ?? {};
    for (const id of idsOfInteraction(interaction)) this.ids.add(id);
    const part = asFields(event['step']) ?? asFields(event['delta']);
    if (part) this.work.set(event['index'], moreWork(this.work.get(event['index']) ?? noWork, workOf(part)));
    const { usage = asFields(event['metadata'])?.['total_usage'] } = event;
    const ended = endTypes.has(type);
    const work = [...this.work.values()].reduce(sumOfWork, noWork);
    const reported = usageOf({ ...interaction, usage: interaction['usage'] ?? usage }, work);
    if (reported) this.last = ended ? reported : this.last ? laterUsage(this.last, reported) : reported;
    if (!ended) return false;
    this.complete = true;
    if (!this.last) this.reportedFailure = failureOf(interaction) ?? undefined;
    return true;
  }

  get givenIds(): readonly string[] {
    return [...this.ids];
  }

  usage(): Usage | null {
    return this.last;
  }
}
