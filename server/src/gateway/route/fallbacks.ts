import { entryOfModel } from '../../shared/model-pattern.js';
import type { RoutingTable } from './routing-table.js';
import { routeIn, groupOf, otherGroups, type CallRoute, type RouteSettings } from './call-route.js';
import type { Caller } from '../admit/authentication.js';

/** Maximum number of fallbacks of one call. */
const maxFallbacks = 10;

/** A call that could not be served as requested. */
export interface Unserved {
  readonly caller: Caller;
  /** The model as the client named it. */
  readonly model: string;
  /** The group that could not serve it. Null when no group of the key has a channel for the model. */
  readonly group: string | null;
  /** Whether the response is text that another model can write as well. */
  readonly writesText: boolean;
  /** The fallback models that the client named. Absent: the fallback models of the site apply. */
  readonly named?: readonly string[] | undefined;
}

/**
 * Returns the fallbacks of a call: the same model in the key's other groups, then each fallback model in each group
 * (docs/reference/relay/routing.md#fallback).
 */
export function* fallbacks(
  { caller, model, group, writesText, named }: Unserved,
  table: RoutingTable,
  settings: RouteSettings,
): Generator<CallRoute, undefined> {
  if (caller.pin !== null) return;
  const first = groupOf(caller, settings);
  const groups = [first, ...otherGroups(caller, first, settings)];
  let left = maxFallbacks;
  const after = group === null ? [] : groups.slice(groups.indexOf(group) + 1);
  for (const other of after) {
    const route = routeIn(other, model, caller, table);
    if (route && left-- > 0) yield route;
  }
  const { modelLimits } = caller.token;
  for (const fallback of named ?? fallbackModelsOf(caller, model, first, writesText, settings)) {
    if (fallback === model || (modelLimits && !modelLimits.has(fallback))) continue;
    for (const other of groups) {
      const route = routeIn(other, fallback, caller, table);
      if (route && left-- > 0) yield route;
    }
  }
}

/**
 * Returns the fallback models of the key, or else of the model, or else of the group. If the response is not text, only
 * the list of the model applies.
 */
function fallbackModelsOf(
  { token }: Caller,
  model: string,
  group: string,
  writesText: boolean,
  { values }: RouteSettings,
): readonly string[] {
  if (writesText && token.fallbackModels.length > 0) return token.fallbackModels;
  const ofModel = entryOfModel(values['fallback_models.by_model'], model);
  return ofModel ?? (writesText ? values['fallback_models.by_group'][group] : undefined) ?? [];
}
