import { requireActor, requireRole, type MaybeActor } from '../../shared/actor.js';
import type { OptionValues } from '../options/option.service.js';

export interface UsableGroup {
  readonly name: string;
  readonly description: string;
  readonly ratio: number;
}

/** What this service asks of the channels. */
export interface ModelsOfGroups {
  /** Models that enabled channels of these groups serve, under the names clients may call. */
  modelsOfGroups(groups: readonly string[]): string[] | Promise<string[]>;
}

/** Groups are the keys of option GroupRatio; option UserUsableGroups says which of them anybody may pick. */
export class GroupService {
  constructor(
    private readonly options: { readonly values: OptionValues },
    private readonly channels: ModelsOfGroups,
  ) {}

  /** Every group, sorted. @throws AppError INSUFFICIENT_PRIVILEGES below admin */
  list(actor: MaybeActor): string[] {
    requireRole(actor, 'admin');
    return Object.keys(this.options.values.GroupRatio).sort();
  }

  /** What the caller may pick for his tokens: the public groups and his own. */
  listUsable(actor: MaybeActor): UsableGroup[] {
    return this.usableBy(requireActor(actor).group);
  }

  /** What a stranger would see: the public groups, and the default one always. */
  listPublic(): UsableGroup[] {
    return this.usableBy('default', 'Default group');
  }

  /** Models the caller can reach with a token of some group of his. */
  async models(actor: MaybeActor): Promise<string[]> {
    const groups = this.listUsable(actor).map(({ name }) => name);
    return this.channels.modelsOfGroups(groups);
  }

  private usableBy(ownGroup: string, ownDescription = 'User group'): UsableGroup[] {
    const { GroupRatio, UserUsableGroups } = this.options.values;
    return Object.entries(GroupRatio)
      .map(([name, ratio]) => ({
        name,
        ratio,
        description: UserUsableGroups[name] ?? (name === ownGroup ? ownDescription : undefined),
      }))
      .filter((group): group is UsableGroup => group.description !== undefined)
      .sort((left, right) => left.name.localeCompare(right.name, 'en'));
  }
}
