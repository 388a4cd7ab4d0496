import type { OptionValues } from '../../../options/option.service.js';
import type { DrawingAction } from '../../../console/tasks/index.js';
import { text, whole } from '../field.js';
import { actionOfButton, isChange, isWindowAction, modelOf, parseSimpleChange } from './action.js';
import { requestError } from './drawing-error.js';
import { asFields, asList, type Fields } from '../../../dialects/neutral/fields.js';

/** Paths after `/mj/`. */
export const submitPaths = {
  'submit/imagine': 'IMAGINE',
  'submit/describe': 'DESCRIBE',
  'submit/blend': 'BLEND',
  'submit/shorten': 'SHORTEN',
  'submit/modal': 'MODAL',
  'submit/upload-discord-images': 'UPLOAD',
  'submit/change': null,
  'submit/simple-change': null,
  'submit/action': null,
  'insight-face/swap': 'SWAP_FACE',
} as const satisfies Record<string, DrawingAction | null>;
export type SubmitPath = keyof typeof submitPaths;

/** A parsed submission. */
export interface DrawingSubmission {
  readonly action: DrawingAction;
  readonly model: string;
  /** False for an action that opens a dialog. It is charged when the dialog is submitted. */
  readonly isCharged: boolean;
  /** The id of the drawing that is continued. */
  readonly originId: string | null;
  readonly prompt: string;
  /** The body for the provider. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Where a client submits: the path, and the first segment before `/mj`, which is empty without one. */
export interface SubmitAddress {
  readonly path: SubmitPath;
  readonly mode: string;
}

type SubmissionSettings = Pick<
  OptionValues,
  'MjAccountFilterEnabled' | 'MjNotifyEnabled' | 'MjModeClearEnabled' | 'UnpricedTools'
>;
/**
 * Parses a submission.
 * @throws DrawingError with the messages of docs/reference/relay/tasks.md#midjourney
 */
export function parseDrawingSubmission(
  { path, mode }: SubmitAddress,
  body: Fields,
  settings: SubmissionSettings,
): DrawingSubmission {
  const sent = cleaned(body, settings);
  const prompt = sent['prompt'] ?? '';
  if (typeof prompt !== 'string') throw requestError('prompt_must_be_text');
  const { action, originId } = readAction(path, body);
  // The prompt is checked at any length, because the provider gets all of it.
  checkPrompt(prompt);
  if (settings.UnpricedTools === 'refuse') checkPrices(prompt, mode, sent['accountFilter']);
  return {
    action,
    model: modelOf(action),
    isCharged: !isWindowAction(action),
    originId,
    prompt: text(sent['prompt']),
    body: sent,
  };
}

function readAction(path: SubmitPath, body: Fields): { action: DrawingAction; originId: string | null } {
  const taskId = text(body['taskId'], 200);
  switch (path) {
    case 'submit/simple-change': {
      const change = parseSimpleChange(text(body['content'], 1000));
      if (!change) throw requestError('content_parse_failed');
      return { action: change.action, originId: change.taskId };
    }
    case 'submit/change': {
      if (taskId === '') throw requestError('task_id_is_required');
      const action = text(body['action'], 100).toUpperCase();
      if (action === '') throw requestError('action_is_required');
      if (!isChange(action)) throw requestError(`unknown_action:${action}`);
      // A reroll draws all four images again, so there is no index.
      if (whole(body['index']) === 0 && action !== 'REROLL') throw requestError('index_is_required');
      return { action, originId: taskId };
    }
    case 'submit/action': {
      const customId = text(body['customId'], 1000);
      if (customId === '') throw requestError('custom_id_is_required');
      if (taskId === '') throw requestError('task_id_is_required');
      const action = actionOfButton(customId);
      if (!action) throw requestError(`unknown_action:${customId}`);
      return { action, originId: taskId };
    }
    case 'submit/modal':
      if (taskId === '') throw requestError('task_id_is_required');
      return { action: 'MODAL', originId: taskId };
    case 'submit/imagine':
      if (text(body['prompt']).trim() === '') throw requestError('prompt_is_required');
      return { action: 'IMAGINE', originId: null };
    case 'insight-face/swap':
      if (!text(body['sourceBase64'], 10)) throw requestError('source_base64_is_required');
      if (!text(body['targetBase64'], 10)) throw requestError('target_base64_is_required');
      return { action: 'SWAP_FACE', originId: null };
    default:
      return { action: submitPaths[path], originId: null };
  }
}

/**
 * Checks that a prompt asks for one drawing. Midjourney draws once for each option in braces, and as often as `--repeat`
 * says, up to 40 times (https://docs.midjourney.com/docs/permutations, https://docs.midjourney.com/docs/repeat).
 * @throws DrawingError
 */
function checkPrompt(prompt: string): void {
  // A dash before a blank may be punctuation, as in "a robot \u2014 r2d2".
  const repeats = /(?:--|[\u2013\u2014])(?!\s+r\d+[a-z])\s*(?:repeat|r)(?![a-z_-])/i;
  if (repeats.test(prompt)) throw requestError('repeat_is_not_supported');
  if (hasOptions(prompt)) throw requestError('permutations_are_not_supported');
}

/**
 * Checks that a drawing takes the GPU time of a usual one: Turbo takes twice as much
 * (https://docs.midjourney.com/hc/en-us/articles/32016412137741, November 2026), a higher quality more.
 * @param mode a word of the provider, under which the client submits
 * @throws DrawingError
 */
function checkPrices(prompt: string, mode: string, accountFilter: unknown): void {
  const modes = [isOwnMode(mode) ? '' : mode, ...asList(asFields(accountFilter)?.['modes'])];
  const isTurbo = modes.some((word) => /turbo/i.test(text(word)));
  if (isTurbo || switchOf('turbo').test(prompt)) throw requestError('turbo_has_no_price');
  if (switchOf(`(?:quality|q)\\s*${aboveOne}`).test(prompt)) throw requestError('quality_has_no_price');
}

/** Matches numbers other than those up to 1. */
const aboveOne = '(?!0*(?:\\.\\d+|1?(?:\\.0*)?)(?![\\d.]))[\\d.]+';

/** Matches a switch of a prompt. Midjourney also accepts the dashes that text fields make of two hyphens. */
const switchOf = (name: string): RegExp => new RegExp(`(?:--\\s*|[\u2012-\u2015])${name}(?![\\w-])`, 'gi');

/**
 * Whether a comma is within braces, at any depth. Midjourney does not document whether a backslash escapes a brace, so
 * an escaped closing brace ends a permutation, and the text after it still counts as within braces.
 */
function hasOptions(prompt: string): boolean {
  let depth = 0;
  let hasComma = false;
  for (const sign of prompt.match(/\\\}|[{},]/g) ?? []) {
    if (sign === '{') depth += 1;
    else if (sign === ',') hasComma ||= depth > 0;
    else if (hasComma) return true;
    else if (sign === '}') depth = Math.max(0, depth - 1);
  }
  return false;
}

/**
 * Fields that reach the provider. Other fields could request more than is charged, by a name that only the provider
 * knows.
 */
const knownFields: ReadonlySet<string> = new Set([
  ...['prompt', 'base64', 'base64Array', 'link', 'botType', 'dimensions', 'state', 'notifyHook', 'accountFilter'],
  ...['taskId', 'action', 'index', 'content', 'customId', 'chooseSameChannel', 'enableRemix', 'maskBase64'],
  ...['sourceBase64', 'targetBase64', 'filter', 'language'],
]);

/** Removes unknown fields, and fields that the site does not let clients choose: account, callback and paid speed. */
function cleaned(body: Fields, settings: SubmissionSettings): Fields {
  const sent: Record<string, unknown> = Object.fromEntries(
    Object.entries(body).filter(([name]) => knownFields.has(name)),
  );
  if (!settings.MjAccountFilterEnabled) delete sent['accountFilter'];
  if (!settings.MjNotifyEnabled) delete sent['notifyHook'];
  const { prompt } = sent;
  if (settings.MjModeClearEnabled && typeof prompt === 'string') {
    sent['prompt'] = prompt.replace(switchOf('(?:fast|relax|turbo)'), '').trimEnd();
  }
  return sent;
}

/** Whether the first segment is a speed prefix of this server. Any other one belongs to the provider. */
const isOwnMode = (mode: string): boolean => /^mj-/i.test(mode);

/** Returns the path at the provider. */
export const upstreamPath = (mode: string, path: string): string =>
  mode === '' || isOwnMode(mode) ? `/mj/${path}` : `/${encodeURIComponent(mode)}/mj/${path}`;
