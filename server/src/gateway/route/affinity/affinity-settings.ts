import type { OptionValues } from '../../../options/option.service.js';
import { entryOfModel } from '../../../shared/model-pattern.js';

/** Options of session affinity. */
export type AffinityOptions = Pick<OptionValues, 'session_affinity.ttl_seconds' | 'session_affinity.min_prompt_bytes'>;

/** Maximum number of model names whose lifetime is cached. */
const maxModels = 1000;

/**
 * The lifetime of a pin by model (option `session_affinity.ttl_seconds`): the entry of the exact name, or else of the
 * longest prefix that ends with `*`.
 */
export class PinLifetimes {
  private table: AffinityOptions['session_affinity.ttl_seconds'] | null = null;
  private readonly known = new Map<string, number>();

  /** @returns seconds; 0 when sessions of this model are not pinned */
  of(model: string, options: AffinityOptions): number {
    const table = options['session_affinity.ttl_seconds'];
    if (table !== this.table || this.known.size > maxModels) {
      this.table = table;
      this.known.clear();
    }
    let seconds = this.known.get(model);
    if (seconds === undefined) this.known.set(model, (seconds = entryOfModel(table, model) ?? 0));
    return seconds;
  }
}
