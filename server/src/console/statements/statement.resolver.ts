import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Int, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import { asksFor } from '../../platform/graphql/asks-for.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { nullWhenNotFound } from '../../platform/graphql/nullable.js';
import { patchOf } from '../../platform/graphql/patch.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import { groupUsage, type UsageDimension } from '../../billing/statements/index.js';
import type { StatementService } from './statement.service.js';
import {
  BillingProfileObject,
  OwnStatementListArgs,
  StatementDimensionEnum,
  StatementListArgs,
  StatementObject,
  StatementPage,
  StatementUsageObject,
  toStatementFilter,
  toStatementObject,
  UpdateBillingProfileInput,
} from './statement.object.js';

const asksForLines = (info: GraphQLResolveInfo): boolean =>
  ['movements', 'payments', 'usageBy'].some((field) => asksFor(info, field));

const accountText = 'The account. The caller’s own when absent; others need the permission for payments.';

@Resolver(() => StatementObject)
export class StatementResolver {
  constructor(private readonly statementService: StatementService) {}

  @Query(() => StatementPage, { description: 'Closed statements of all accounts.' })
  @Access('payments')
  @Cost(1, ['pageSize'])
  async statements(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => StatementListArgs) args: StatementListArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PageOf<StatementObject>> {
    return PageOf.from(
      await this.statementService.list(actor, toStatementFilter(args.filter), listQueryOf(args), asksForLines(info)),
      toStatementObject,
    );
  }

  @Query(() => [String], { description: 'Months of which statements are closed, such as `2026-11`, the newest first.' })
  @Access('payments')
  statementMonths(@Ctx() { actor }: GraphQLContext): Promise<string[]> {
    return this.statementService.months(actor);
  }

  @Query(() => StatementPage, { description: 'Own closed statements.' })
  @Access('common')
  @Cost(1, ['pageSize'])
  async myStatements(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => OwnStatementListArgs) args: OwnStatementListArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PageOf<StatementObject>> {
    return PageOf.from(
      await this.statementService.listOwn(actor, toStatementFilter(args.filter), listQueryOf(args), asksForLines(info)),
      toStatementObject,
    );
  }

  @Query(() => StatementObject, {
    nullable: true,
    description: 'A closed statement: an own one, or any for those who see payments.',
  })
  @Access('common')
  async statement(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Statement.id`.' }) id: number,
  ): Promise<StatementObject | null> {
    const statement = await nullWhenNotFound(this.statementService.get(actor, id));
    return statement && toStatementObject(statement);
  }

  @Query(() => StatementObject, { description: 'What the statement of the current month would say now.' })
  @Access('common')
  @Cost(50)
  async statementPreview(
    @Ctx() { actor }: GraphQLContext,
    @Arg('accountId', () => Int, { nullable: true, description: accountText }) accountId?: number | null,
  ): Promise<StatementObject> {
    return toStatementObject(await this.statementService.preview(actor, accountId));
  }

  @FieldResolver(() => [StatementUsageObject], { description: 'Calls, grouped; the highest charge first.' })
  usageBy(
    @Root() { lines, accountId: ownerId }: StatementObject,
    @Arg('dimensions', () => [StatementDimensionEnum], {
      defaultValue: ['key', 'model'],
      description: 'By what it is grouped. An empty list: one sum.',
    })
    dimensions: UsageDimension[],
  ): StatementUsageObject[] {
    return groupUsage(lines, dimensions).map((group) => ({ ...group, ownerId }));
  }

  @Query(() => BillingProfileObject, { description: 'What an account wants to read on its statements.' })
  @Access('common')
  billingProfile(
    @Ctx() { actor }: GraphQLContext,
    @Arg('accountId', () => Int, { nullable: true, description: accountText }) accountId?: number | null,
  ): Promise<BillingProfileObject> {
    return this.statementService.profile(actor, accountId);
  }

  @PayloadMutation(
    { profile: [() => BillingProfileObject, 'The profile after the change.'] },
    'Changes what the caller’s next statements say about the account. Closed ones stay as they are.',
  )
  @Access('common')
  async updateBillingProfile(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateBillingProfileInput, { description: 'The fields to change.' })
    input: UpdateBillingProfileInput,
  ): Promise<{ profile: BillingProfileObject }> {
    const patch = patchOf(input, { name: '', address: '', taxNumber: '', notifies: false });
    return { profile: await this.statementService.updateProfile(actor, patch) };
  }
}
