import { asFields, asList, type Fields } from '../../../shared/json.js';
import { textOf, textsOf } from './values.js';

/** The names by which clients can call the models of a file. */
export class Served {
  readonly names: ReadonlySet<string>;
  /** Access group → its models. Keys may have a group in place of names. */
  private readonly groups = new Map<string, string[]>();

  constructor(models: readonly Fields[]) {
    this.names = new Set(models.map((model) => textOf(model['model_name'])));
    for (const model of models) {
      for (const group of textsOf(asFields(model['model_info'])?.['access_groups'])) {
        this.groups.set(group, [...(this.groups.get(group) ?? []), textOf(model['model_name'])]);
      }
    }
  }

  /** Returns the models that an entry of a key's list means: a group, a pattern such as `openai/*`, or a name. */
  namedBy(entry: string): string[] {
    const group = this.groups.get(entry);
    if (group) return group;
    if (!entry.includes('*')) return [entry];
    const pattern = new RegExp(`^${entry.split('*').map(escaped).join('.*')}$`);
    const matching = [...this.names].filter((name) => pattern.test(name));
    return matching.length > 0 ? matching : [entry];
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Returns the deployments of a file with those of its aliases: `router_settings.model_group_alias` gives models further
 * names, which cost the same.
 */
export function modelsOf(config: Fields): Fields[] {
  const models = asList(config['model_list']).map((model) => asFields(model) ?? {});
  const aliases = asFields(asFields(config['router_settings'])?.['model_group_alias']) ?? {};
  const ofAliases = Object.entries(aliases).flatMap(([alias, target]) => {
    const name = textOf(target) || textOf(asFields(target)?.['model']);
    return (
      models
        .filter((model) => textOf(model['model_name']) === name)
        // Access groups allow the names of their own models only.
        .map((model) => ({
          ...model,
          model_name: alias,
          model_info: { ...asFields(model['model_info']), access_groups: [] },
        }))
    );
  });
  return [...models, ...ofAliases];
}
