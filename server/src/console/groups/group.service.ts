import { requireAccount, requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { Permission } from '../../shared/permission.js';
import type { OptionValues } from '../../options/option.service.js';

/** Permissions of which one suffices to read groups. */
export const groupReaders: readonly Permission[] = [
  'channels.read',
  'users.read',
  'budgets',
  'prices',
  'options',
  'logs.read',
];

export interface UsableGroup {
  readonly name: string;
  readonly description: string;
  readonly ratio: number;
}

/** Provided by the channels: which models a group can call. */
export interface ModelsOfGroups {
  /** Returns models that enabled channels of these groups serve, under the names that clients of the own group use. */
  modelsOfGroups(groups: readonly string[], own: string): string[] | Promise<string[]>;
}

/** Groups are the keys of option GroupRatio. Option UserUsableGroups names the groups that any user may choose. */
export class GroupService {
  constructor(
    private readonly options: { readonly values: OptionValues },
    private readonly channels: ModelsOfGroups,
  ) {}

  /**
   * Every group, sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  list(actor: MaybeActor): string[] {
    requirePermission(actor, ...groupReaders);
    return Object.keys(this.options.values.GroupRatio).sort();
  }

  /** Groups that the caller may choose for tokens: the usable groups and their own. */
  listUsable(actor: MaybeActor): UsableGroup[] {
    return this.usableBy(requireAccount(actor, 'keys.own').group);
  }

  /** Names of the groups that a user of this group can use. */
  namesUsableIn(group: string): string[] {
    return this.usableBy(group).map(({ name }) => name);
  }

  /** Returns the groups for visitors without an account: the usable groups and `default`. */
  listPublic(): UsableGroup[] {
    return this.usableBy('default', 'Default group');
  }

  /** Models that the caller can use with a token of one of their groups. */
  async models(actor: MaybeActor): Promise<string[]> {
    const groups = this.listUsable(actor).map(({ name }) => name);
    return this.channels.modelsOfGroups(groups, requireAccount(actor, 'keys.own').group || 'default');
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
