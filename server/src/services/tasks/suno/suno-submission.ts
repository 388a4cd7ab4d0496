import type { CreativeAction } from '../../../console/tasks/index.js';
import { text } from '../field.js';
import { sunoRequestError } from './suno-error.js';

export const sunoPlatform = 'suno';

const usualVersion = 'chirp-v3-0';

/** A parsed submission. */
export interface SunoSubmission {
  readonly action: CreativeAction;
  readonly model: string;
  /** The id of the task whose clip is continued. Only the channel that created the clip can continue it. */
  readonly originId: string | null;
  /** The user's text, for display. */
  readonly input: string;
  /** The body for the provider. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Fields that reach the provider. Other fields could request more than is charged, by a name that only the provider
 * knows.
 */
const knownFields: ReadonlySet<string> = new Set([
  ...[
    'prompt',
    'gpt_description_prompt',
    'title',
    'tags',
    'negative_tags',
    'mv',
    'make_instrumental',
    'generation_type',
  ],
  ...['task_id', 'continue_clip_id', 'continue_at', 'cover_clip_id', 'infill_start_s', 'infill_end_s', 'notify_hook'],
  ...['persona_id', 'artist_clip_id', 'vocal_gender', 'style_weight', 'weirdness_constraint', 'audio_weight'],
]);

/** @throws SunoError with the messages of docs/reference/relay/tasks.md#suno */
export function parseSunoSubmission(actionName: string, body: Readonly<Record<string, unknown>>): SunoSubmission {
  const action = actionName.toUpperCase();
  if (action !== 'MUSIC' && action !== 'LYRICS') throw sunoRequestError('invalid_request', 'invalid_action');
  const prompt = text(body['prompt']);
  if (action === 'LYRICS' && prompt === '') throw sunoRequestError('invalid_request', 'prompt_empty');
  const taskId = text(body['task_id'], 200);
  const continues = text(body['continue_clip_id'], 200) !== '';
  if (continues && taskId === '') throw sunoRequestError('invalid_request', 'task id is empty');
  const described = text(body['gpt_description_prompt']);
  const sent = Object.fromEntries(Object.entries(body).filter(([name]) => knownFields.has(name)));
  return {
    action,
    model: `suno_${action.toLowerCase()}`,
    originId: continues ? taskId : null,
    input: prompt || described,
    body: action === 'MUSIC' ? { make_instrumental: false, ...sent, mv: text(body['mv'], 100) || usualVersion } : sent,
  };
}
