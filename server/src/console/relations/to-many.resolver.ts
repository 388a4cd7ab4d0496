import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadFor } from '../../platform/graphql/loaders.js';
import { ListArgs, listQueryOf, pageObject, PageOf } from '../../platform/graphql/pagination.js';
import type { Slice } from '../../shared/page.js';
import type { AccessScope } from '../../shared/actor.js';
import { BudgetObject, toBudgetObject } from '../budgets/budget.object.js';
import type { UsedUpBudgets } from '../../billing/budgets/index.js';
import { costOfScan, OwnLogListArgs, toLogFilter } from '../logs/log-filter.object.js';
import { LogObject, toLogObject } from '../logs/log.object.js';
import type { LogService, LogView } from '../logs/index.js';
import { MemberPage, OrganisationObject, ProjectPage } from '../organisations/organisation.object.js';
import type {
  MemberService,
  MemberView,
  OrganisationView,
  ProjectService,
  ProjectView,
} from '../organisations/index.js';
import type { OptionValues } from '../../options/option.service.js';
import { type RedemptionUseObject, RedemptionUsePage, toUseObject } from '../redemptions/redemption.object.js';
import type { RedemptionService } from '../redemptions/index.js';
import { OwnTokenListArgs, TokenObject, TokenPage, toTokenFilter, toTokenObject } from '../tokens/token.object.js';
import type { TokenService } from '../tokens/index.js';
import type { User } from '../../billing/accounts/index.js';
import { UserObject } from '../users/user.object.js';
import { OwnTopUpOrderListArgs, toOrderFilter, toOrderObject, TopUpOrderObject } from '../wallet/wallet.object.js';
import type { TopUpOrder } from '../../billing/payments/index.js';
import type { WalletService } from '../wallet/index.js';
import { scopeOf, scopeOfEither } from './relation.object.js';

/*
 * Lists of users and organisations. They have no sums, unlike their root fields, and are read in one statement for all
 * users or organisations of a request.
 */

const UserLogPage = pageObject(LogObject, 'UserLogPage', 'A page of the log rows of one user.');
const UserTopUpOrderPage = pageObject(TopUpOrderObject, 'UserTopUpOrderPage', 'A page of the orders of one user.');

export interface UserListSources {
  readonly tokens: Pick<TokenService, 'listOf'>;
  readonly logs: Pick<LogService, 'listOf'>;
  readonly orders: Pick<WalletService, 'listOf' | 'statusOf'>;
  readonly redemptions: Pick<RedemptionService, 'usesBy'>;
  readonly options: { readonly values: Pick<OptionValues, 'QuotaPerUnit'> };
}

@Resolver(() => UserObject)
export class UserListRelations {
  constructor(private readonly sources: UserListSources) {}

  @Access('common')
  @Cost(1, ['pageSize'])
  @FieldResolver(() => TokenPage, { nullable: true, description: 'API keys of the user.' })
  tokens(
    @Root() { id }: User,
    @Args(() => OwnTokenListArgs) args: OwnTokenListArgs,
    @Ctx() context: GraphQLContext,
  ): Promise<PageOf<TokenObject> | null> {
    const { tokens } = this.sources;
    const [filter, query] = [toTokenFilter(args.filter), listQueryOf(args)];
    const question = { name: 'tokens of users', args: { filter, query }, scope: scopeOf(context.actor, id) };
    return pageOf(context, tokens, question, id, toTokenObject, (ids) =>
      tokens.listOf(context.actor, ids, filter, query),
    );
  }

  @Access('logs.read', 'LOGS_READ')
  @Cost(1, ['pageSize'], { once: costOfScan })
  @FieldResolver(() => UserLogPage, { nullable: true, description: 'Log rows of the user.' })
  logs(
    @Root() { id }: User,
    @Args(() => OwnLogListArgs) args: OwnLogListArgs,
    @Ctx() context: GraphQLContext,
  ): Promise<PageOf<LogObject> | null> {
    const { logs, options } = this.sources;
    const [filter, query] = [toLogFilter(args.filter), listQueryOf(args)];
    const question = { name: 'logs of users', args: { filter, query }, scope: 'LOGS_READ' as const };
    return pageOf(
      context,
      logs,
      question,
      id,
      (log: LogView) => toLogObject(log, options.values.QuotaPerUnit),
      (ids) => logs.listOf(context.actor, ids, filter, query),
    );
  }

  @Access('common')
  @Cost(1, ['pageSize'])
  @FieldResolver(() => UserTopUpOrderPage, { nullable: true, description: 'Orders of the user.' })
  topUps(
    @Root() { id }: User,
    @Args(() => OwnTopUpOrderListArgs) args: OwnTopUpOrderListArgs,
    @Ctx() context: GraphQLContext,
  ): Promise<PageOf<TopUpOrderObject> | null> {
    const { orders, options } = this.sources;
    const [filter, query] = [toOrderFilter(args.filter), listQueryOf(args)];
    const question = { name: 'orders of users', args: { filter, query }, scope: scopeOf(context.actor, id) };
    return pageOf(
      context,
      orders,
      question,
      id,
      (order: TopUpOrder) => toOrderObject(order, orders.statusOf(order), options.values.QuotaPerUnit),
      (ids) => orders.listOf(context.actor, ids, filter, query),
    );
  }

  @Access('common')
  @Cost(1, ['pageSize'])
  @FieldResolver(() => RedemptionUsePage, {
    nullable: true,
    description: 'Codes that the user redeemed, the latest first.',
  })
  redemptions(
    @Root() { id }: User,
    @Args(() => ListArgs) args: ListArgs,
    @Ctx() context: GraphQLContext,
  ): Promise<PageOf<RedemptionUseObject> | null> {
    const { redemptions } = this.sources;
    const query = listQueryOf(args);
    const question = { name: 'codes of users', args: query, scope: scopeOf(context.actor, id) };
    return pageOf(context, redemptions, question, id, toUseObject, (ids) =>
      redemptions.usesBy(context.actor, ids, query),
    );
  }
}

export interface OrganisationListSources {
  readonly members: Pick<MemberService, 'listOf'>;
  readonly projects: Pick<ProjectService, 'listOf'>;
}

@Resolver(() => OrganisationObject)
export class OrganisationListRelations {
  constructor(private readonly sources: OrganisationListSources) {}

  @Access('common')
  @Cost(1, ['pageSize'])
  @FieldResolver(() => MemberPage, {
    nullable: true,
    description: 'Members now, the latest first. The role MEMBER sees the own membership only.',
  })
  members(
    @Root() { id }: OrganisationView,
    @Args(() => ListArgs) args: ListArgs,
    @Ctx() context: GraphQLContext,
  ): Promise<PageOf<MemberView> | null> {
    const { members } = this.sources;
    const query = listQueryOf<never>(args);
    const question = { name: 'members of organisations', args: query, scope: scopeOfEither(context.actor) };
    return pageOf(
      context,
      members,
      question,
      id,
      (view: MemberView) => view,
      (ids) => members.listOf(context.actor, ids, query),
    );
  }

  @Access('common')
  @Cost(1, ['pageSize'])
  @FieldResolver(() => ProjectPage, { nullable: true, description: 'Projects, archived ones too, the latest first.' })
  projects(
    @Root() { id }: OrganisationView,
    @Args(() => ListArgs) args: ListArgs,
    @Ctx() context: GraphQLContext,
  ): Promise<PageOf<ProjectView> | null> {
    const { projects } = this.sources;
    const query = listQueryOf<never>(args);
    const question = { name: 'projects of organisations', args: query, scope: scopeOfEither(context.actor) };
    return pageOf(
      context,
      projects,
      question,
      id,
      (view: ProjectView) => view,
      (ids) => projects.listOf(context.actor, ids, query),
    );
  }
}

@Resolver(() => TokenObject)
export class TokenListRelations {
  constructor(private readonly budgets: Pick<UsedUpBudgets, 'ofTokens'>) {}

  @Access('common')
  @Cost(1)
  @FieldResolver(() => [BudgetObject], {
    nullable: true,
    description:
      'Budgets of the key and of its user that refuse calls now. Limits of a minute are left out, unless they allow nothing.',
  })
  async usedUpBudgets(
    @Root() { id, userId }: TokenObject,
    @Ctx() context: GraphQLContext,
  ): Promise<BudgetObject[] | null> {
    const question = { name: 'used up', scope: scopeOf(context.actor, userId) };
    const found = await loadFor(context, this.budgets, question, id, (ids) =>
      this.budgets.ofTokens(context.actor, ids),
    );
    return (found ?? []).map(toBudgetObject);
  }
}

/** @returns null for a user whose rows the caller may not see */
async function pageOf<Row, Item>(
  context: GraphQLContext,
  source: object,
  question: { readonly name: string; readonly args: object; readonly scope: AccessScope },
  userId: number,
  toItem: (row: Row) => Item,
  read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Slice<Row>>>,
): Promise<PageOf<Item> | null> {
  const slice = await loadFor(context, source, question, userId, read);
  return slice && PageOf.from(slice, toItem);
}
