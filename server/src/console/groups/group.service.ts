import { requireAccount, requirePermission, type MaybeActor } from '../../shared/actor.js';
import type { Permission } from '../../shared/permission.js';
import type { Queries } from '../../platform/db/queries.js';
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

/** Provided by the plans: which groups they open for an account. */
export interface GroupsOfPlans {
  /** @param transaction in which it is read, if there is one */
  groupsOf(accountId: number, transaction?: Queries): Promise<readonly string[]>;
}

/** Groups are the keys of option GroupRatio. Option UserUsableGroups names the groups that any user may choose. */
export class GroupService {
  constructor(
    private readonly options: { readonly values: OptionValues },
    private readonly channels: ModelsOfGroups,
    private readonly plans: GroupsOfPlans,
  ) {}

  /**
   * Every group, sorted.
   * @throws AppError INSUFFICIENT_PRIVILEGES for callers below admin
   */
  list(actor: MaybeActor): string[] {
    requirePermission(actor, ...groupReaders);
    return Object.keys(this.options.values.GroupRatio).sort();
  }

  /** Groups that the caller may choose for tokens: the usable groups, their own, and those that their plans open. */
  async listUsable(actor: MaybeActor, transaction?: Queries): Promise<UsableGroup[]> {
    const { id, group } = requireAccount(actor, 'keys.own');
    return this.usableBy(group, { ofPlans: await this.plans.groupsOf(id, transaction) });
  }

  /** Names of the groups that a user of this group can use. */
  namesUsableIn(group: string): string[] {
    return this.usableBy(group).map(({ name }) => name);
  }

  /** Returns the groups for visitors without an account: the usable groups and `default`. */
  listPublic(): UsableGroup[] {
    return this.usableBy('default', { own: 'Default group' });
  }

  /** Models that the caller can use with a token of one of their groups. */
  async models(actor: MaybeActor): Promise<string[]> {
    const groups = (await this.listUsable(actor)).map(({ name }) => name);
    return this.channels.modelsOfGroups(groups, requireAccount(actor, 'keys.own').group || 'default');
  }

  private usableBy(
    ownGroup: string,
    { own = 'User group', ofPlans = [] }: { readonly own?: string; readonly ofPlans?: readonly string[] } = {},
  ): UsableGroup[] {
    const described = (name: string): string | undefined => {
      if (name === ownGroup) return own;
      return ofPlans.includes(name) ? 'Opened by a plan' : undefined;
    };
    const { GroupRatio, UserUsableGroups } = this.options.values;
    return Object.entries(GroupRatio)
      .map(([name, ratio]) => ({
        name,
        ratio,
        description: UserUsableGroups[name] ?? described(name),
      }))
      .filter((group): group is UsableGroup => group.description !== undefined)
      .sort((left, right) => left.name.localeCompare(right.name, 'en'));
  }
}
