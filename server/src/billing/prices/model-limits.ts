import { publishedLimits } from './model-limits-data.js';

/** Tokens; 0 where the figure is not published. */
export interface ModelLimits {
  readonly maxInput: number;
  readonly maxOutput: number;
}

const unknown: ModelLimits = { maxInput: 0, maxOutput: 0 };
let byName: ReadonlyMap<string, ModelLimits> | null = null;

const table = (): ReadonlyMap<string, ModelLimits> =>
  (byName ??= new Map(
    publishedLimits.flatMap(([maxInput, maxOutput, names]) =>
      names.split(' ').map((name) => [name, { maxInput, maxOutput }] as const),
    ),
  ));

/** Every call asks for its model, so the last results are kept. */
const looked = new Map<string, ModelLimits>();
const maxLooked = 4096;

/** Endings that name a date or a way to think, not another model. Only one of each is cut. */
const effort = /-(?:thinking|nothinking|minimal|low|medium|high|xhigh|none|search|thinking-\d+)$/;
const date = /[-@](?:latest|\d{4}-\d\d-\d\d|\d{8}|\d{4}|\d\d-\d\d|\d{3})$/;

/**
 * The published limits of a model: by its name, by what follows the last slash, and by the name without its date or its
 * thinking suffix.
 * @param ownOutputs option ModelMaxOutput: the operator's figures by exact name, which come first
 */
export function modelLimits(model: string, ownOutputs: Readonly<Record<string, number>> = {}): ModelLimits {
  let found = looked.get(model);
  if (!found) {
    if (looked.size >= maxLooked) looked.clear();
    looked.set(model, (found = published(model)));
  }
  const own = Object.hasOwn(ownOutputs, model) ? (ownOutputs[model] ?? 0) : 0;
  return own > 0 ? { ...found, maxOutput: Math.floor(own) } : found;
}

function published(model: string): ModelLimits {
  const names = table();
  const bare = model.slice(model.lastIndexOf('/') + 1);
  const calm = bare.replace(effort, '');
  for (const name of [bare, calm, calm.replace(date, '')]) {
    const found = names.get(name);
    if (found) return found;
  }
  return unknown;
}
