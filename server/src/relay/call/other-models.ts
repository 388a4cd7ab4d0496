import { AppError } from '../../shared/errors.js';
import type { Caller } from '../access/authentication.js';
import { asFields, asFieldsList, someText, type Fields } from '../neutral/fields.js';
import type { OpenedBody } from './relay-call.js';

/**
 * Fields in which providers take further models, or a name for them: OpenRouter (`models`, `route`, `preset`), Anthropic
 * (`fallbacks`), LiteLLM. One of those may serve the call, at a price that is not the one of `model`.
 */
const routingFields: readonly string[] = [
  ...['models', 'fallbacks', 'context_window_fallbacks', 'content_policy_fallbacks', 'route', 'preset'],
];

/** The body without fields that let the provider choose another model than the one that is priced. */
export function withoutOtherModels(opened: OpenedBody): OpenedBody {
  const { body } = opened;
  if (opened.form || !routingFields.some((name) => body[name] !== undefined)) return opened;
  const dropped = routingFields.filter((name) => body[name] !== undefined);
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !dropped.includes(name)));
  return { ...opened, body: rest, dropped };
}

/** A key calls no model by the way of a tool that it may not call itself. @throws AppError MODEL_NOT_ALLOWED */
export function checkToolModels({ token }: Caller, { tools }: Fields): void {
  if (!token.modelLimitsEnabled || !Array.isArray(tools)) return;
  for (const tool of asFieldsList(tools)) {
    const model = modelOfTool(tool);
    if (model !== undefined && !token.modelLimits.has(model))
      throw new AppError('MODEL_NOT_ALLOWED', `This token may not use model ${model}`);
  }
}

/** Tools that a provider runs have a type of their own; what functions have in their fields is theirs. */
function modelOfTool({ type, model, parameters }: Fields): string | undefined {
  if (typeof type !== 'string' || type === 'function' || type === 'custom') return undefined;
  return someText(model) ?? someText(asFields(parameters)?.['model']);
}
