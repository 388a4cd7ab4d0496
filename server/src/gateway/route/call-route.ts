import { opensGroup } from '../../billing/plans/index.js';
import type { OptionValues } from '../../options/option.service.js';
import { usualDrawingModel } from '../../dialects/languages/responses/drawing-tool.js';
import { AppError } from '../../shared/errors.js';
import { declaredTools, withTools } from '../../dialects/neutral/declared-tools.js';
import { asFields, asFieldsList, asText, someText, without, type Fields } from '../../dialects/neutral/fields.js';
import { modelFields } from '../../dialects/priced-fields.js';
import type { RoutedChannel } from './routed-channel.js';
import type { ChannelTiers, RoutingTable } from './routing-table.js';
import type { Caller } from '../admit/authentication.js';
import { withoutPrefix } from '../../shared/model-pattern.js';

/** Options that decide the route of a call. */
export interface RouteSettings {
  readonly values: Pick<
    OptionValues,
    'UserUsableGroups' | 'GroupRatio' | 'fallback_models.by_model' | 'fallback_models.by_group'
  >;
}

/** The group, the model and the channels that may serve a call. */
export interface CallRoute {
  /** The group that routes and pays: the token's, or else the user's. */
  readonly group: string;
  readonly model: string;
  /** The model that is priced: the requested one without the routing prefix. */
  readonly bareModel: string;
  readonly candidates: ChannelTiers;
  /** If set, only this channel may serve the call. */
  readonly pinned: RoutedChannel | null;
}

/** Returns the error for a model that no channel of the group serves. */
export const noChannel = (model: string, group: string): AppError =>
  new AppError('NO_CHANNEL', `No available channel for model ${model} in group ${group}`);

/**
 * Whether a limit of calls per time applies to this caller (docs/reference/relay/access.md#model-rate-limits). It is
 * checked first, so that most calls wait for nothing.
 */
export const isRateLimited = (
  { token }: Caller,
  { values }: { readonly values: Pick<OptionValues, 'ModelRequestRateLimitEnabled'> },
): boolean => token.rateLimit !== null || values.ModelRequestRateLimitEnabled;

/**
 * Checks row 12 of docs/reference/relay/access.md#order-of-checks.
 * @throws AppError IP_NOT_ALLOWED
 */
export function checkAddress(caller: Caller, address: string): void {
  const { allowList } = caller.token;
  if (allowList && !allowList.allows(address)) {
    throw new AppError('IP_NOT_ALLOWED', "Your IP is not in the token's allow list");
  }
}

/**
 * Checks rows 14 and 15 of docs/reference/relay/access.md#order-of-checks: the owner may use the group, and the group
 * exists.
 * @throws AppError GROUP_NOT_ALLOWED, GROUP_DEPRECATED
 */
export function groupOf(caller: Caller, settings: RouteSettings): string {
  const { token, user } = caller;
  if (token.group === '') return user.group === '' ? 'default' : user.group;
  const { UserUsableGroups, GroupRatio } = settings.values;
  const own = user.group === '' ? 'default' : user.group;
  if (token.group !== own && !Object.hasOwn(UserUsableGroups, token.group) && !opensGroup(user.plans, token.group)) {
    throw new AppError('GROUP_NOT_ALLOWED', `Token group ${token.group} is disabled`);
  }
  if (!Object.hasOwn(GroupRatio, token.group)) {
    throw new AppError('GROUP_DEPRECATED', `Group ${token.group} is deprecated`);
  }
  return token.group;
}

/**
 * Returns the other groups of the key, in order. Groups that its owner may not use, or that no longer exist, are left
 * out.
 */
export const otherGroups = ({ token, user }: Caller, group: string, { values }: RouteSettings): readonly string[] =>
  token.fallbackGroups.length === 0
    ? token.fallbackGroups
    : token.fallbackGroups.filter(
        (other) =>
          other !== group &&
          (other === (user.group || 'default') ||
            Object.hasOwn(values.UserUsableGroups, other) ||
            opensGroup(user.plans, other)) &&
          Object.hasOwn(values.GroupRatio, other),
      );

/**
 * Checks rows 14 to 19 of docs/reference/relay/access.md#order-of-checks, in this order.
 * @throws AppError with the code of the first row that refuses
 */
export function findRoute(caller: Caller, model: string, table: RoutingTable, settings: RouteSettings): CallRoute {
  const group = groupOf(caller, settings);
  const pinned = caller.pin === null ? null : pinnedChannel(caller.pin, caller, table);
  checkModel(caller, model);
  if (pinned) {
    const bareModel = withoutPrefix(model, pinned.prefix);
    const candidates = { tiers: [{ priority: 0, channels: [pinned] }], bareModel, plainWeights: true };
    return { group, model, bareModel, candidates, pinned };
  }
  const route = routeIn(group, model, caller, table);
  if (route) return route;
  for (const other of otherGroups(caller, group, settings)) {
    const found = routeIn(other, model, caller, table);
    if (found) return found;
  }
  throw noChannel(model, group);
}

/** @throws AppError MODEL_NOT_ALLOWED */
export function checkModel({ token }: Pick<Caller, 'token'>, model: string): void {
  if (token.modelLimits && !token.modelLimits.has(model)) {
    throw new AppError('MODEL_NOT_ALLOWED', `This token may not use model ${model}`);
  }
}

/** The documented default models of tools that name none, by the type of the tool. */
const usualToolModels: ReadonlyMap<unknown, string> = new Map([
  ['image_generation', usualDrawingModel],
  ['openrouter:image_generation', 'openai/gpt-5-image'],
]);

/**
 * Returns the model that a tool names. Tools that a provider runs have a type of their own; the fields of a function
 * are the client's.
 */
function modelOfTool({ type, model, parameters }: Fields): string | undefined {
  if (typeof type !== 'string' || type === 'function' || type === 'custom') return undefined;
  return someText(model) ?? someText(asFields(parameters)?.['model']);
}

interface WithBody {
  readonly body: Fields;
  readonly form?: unknown;
  readonly dropped?: readonly string[];
  readonly isRewritten?: true;
  readonly fallbackModels?: readonly string[];
}

/** Maximum number of models in a list of a client. */
const maxModels = 10;

/**
 * Reads the models that a client names for the case that its first one cannot serve the call, in OpenRouter's form
 * (https://openrouter.ai/docs/features/model-routing, November 2026).
 * @returns null for any other form
 */
function ownFallbacks({ models, route }: Fields): readonly string[] | null {
  if (!Array.isArray(models) || models.length === 0 || models.length > maxModels) return null;
  const isRoute = route === undefined || route === null || route === 'fallback';
  const texts = models.filter((model): model is string => typeof model === 'string' && model !== '');
  return isRoute && texts.length === models.length ? texts : null;
}

/** Preferences of OpenRouter's `provider` that name no provider. Others could choose one that asks more for the model. */
const keptPreferences: ReadonlySet<string> = new Set([
  ...['data_collection', 'zdr', 'enforce_distillable_text', 'require_parameters', 'allow_fallbacks', 'max_price'],
]);

/**
 * Removes fields that choose another model than the one that is priced, or a provider of the model. The list `models` of
 * a call that writes text becomes the list of its fallbacks, each of which is priced by itself.
 * @returns the body with the names of the removed fields in `dropped`; the same object if there are none, as in nearly
 * all calls
 */
export function withoutOtherModels<Opened extends WithBody>(opened: Opened, writesText: boolean): Opened {
  const { body } = opened;
  const given = body['provider'];
  if (opened.form || (given === undefined && !modelFields.some((name) => body[name] !== undefined))) return opened;
  const preferences = asFields(given);
  const names = modelFields.filter((name) => body[name] !== undefined);
  if (!preferences && given !== undefined) names.push('provider');
  const chosen = Object.keys(preferences ?? {}).filter((name) => !keptPreferences.has(name));
  if (names.length + chosen.length === 0) return opened;
  const rest = {
    ...without(body, new Set(names)),
    ...(preferences ? { provider: without(preferences, new Set(chosen)) } : {}),
  };
  const fallbackModels = writesText ? ownFallbacks(body) : null;
  const unserved = fallbackModels ? names.filter((name) => name !== 'models' && name !== 'route') : names;
  const dropped = [...(opened.dropped ?? []), ...unserved, ...chosen.map((name) => `provider.${name}`)];
  return {
    ...opened,
    body: rest,
    isRewritten: true,
    ...(dropped.length > 0 ? { dropped } : {}),
    ...(fallbackModels ? { fallbackModels } : {}),
  };
}

/**
 * Prevents that a key uses a model through a tool that it may not call directly. Agents declare drawing tools with
 * every request. A tool that names no model is removed if the key may not use the default model.
 * @returns the body with the removed tools in `dropped`; the same object if there are none, as in nearly all calls
 * @throws AppError MODEL_NOT_ALLOWED for a model that a tool names, and when the call requires a removed tool
 */
export function withAllowedTools<Opened extends WithBody>(caller: Caller, opened: Opened): Opened {
  const { modelLimits } = caller.token;
  if (!modelLimits) return opened;
  const forbidden = new Map<Fields, string>();
  const dropped: string[] = [];
  for (const { at, tool } of declaredTools(opened.body)) {
    const named = modelOfTool(tool);
    if (named !== undefined) checkModel(caller, named);
    const usual = named === undefined ? usualToolModels.get(tool['type']) : undefined;
    if (usual === undefined || modelLimits.has(usual)) continue;
    forbidden.set(tool, usual);
    dropped.push(`${at}.${asText(tool['type'])}`);
  }
  if (forbidden.size === 0) return opened;
  const body = withTools(opened.body, (tool) => (forbidden.has(tool) ? null : tool));
  const isEmpty = declaredTools(body).length === 0;
  for (const [tool, model] of forbidden) if (requires(body['tool_choice'], tool, isEmpty)) checkModel(caller, model);
  const { tools, tool_choice: choice, ...rest } = body;
  const left = isEmpty ? rest : { ...rest, tools, ...(choice === undefined ? {} : { tool_choice: choice }) };
  return { ...opened, body: left, dropped: [...(opened.dropped ?? []), ...dropped] };
}

/** Whether a tool choice names the tool, or requires any tool and this was the only one. */
function requires(choice: unknown, { type }: Fields, wasOnly: boolean): boolean {
  const given = asFields(choice);
  if (!given) return wasOnly && (choice === 'required' || choice === 'any');
  const listed = asFields(given['allowed_tools']) ?? given;
  return given['type'] === type || asFieldsList(listed['tools']).some((tool) => tool['type'] === type);
}

/** @returns null when no enabled channel of the group serves the model for this caller */
export function routeIn(
  group: string,
  model: string,
  { user }: Pick<Caller, 'user'>,
  table: RoutingTable,
): CallRoute | null {
  const candidates = table.find(group, model, user.id);
  return candidates && { group, model, bareModel: candidates.bareModel, candidates, pinned: null };
}

/** Checks rows 16 and 17 of docs/reference/relay/access.md#order-of-checks. */
function pinnedChannel(pin: string, { user }: Caller, table: RoutingTable): RoutedChannel {
  const channel = /^\d{1,9}$/.test(pin) ? table.channel(Number(pin)) : undefined;
  if (!channel) throw new AppError('INVALID_CHANNEL_ID', 'Invalid channel id');
  if (!channel.enabled) throw new AppError('CHANNEL_DISABLED', 'The channel is disabled');
  if (channel.ownerId !== null && channel.ownerId !== user.id) {
    throw new AppError('CHANNEL_PIN_FORBIDDEN', 'The channel serves the calls of its owner only');
  }
  return channel;
}
