import { Arg, Args, Ctx, Int, Query, Resolver } from 'type-graphql';
import { Access, Cost } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import {
  BudgetListArgs,
  BudgetObject,
  BudgetPageObject,
  CreateBudgetInput,
  toBudgetFilter,
  toBudgetObject,
  toBudgetPatch,
  toNewBudget,
  UpdateBudgetInput,
} from './budget.object.js';
import type { BudgetService } from './budget.service.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';

@Resolver(() => BudgetObject)
export class BudgetResolver {
  constructor(private readonly budgetService: BudgetService) {}

  @Query(() => BudgetPageObject, {
    description: 'Budgets with their use. Admins read all, others those of their keys and of themselves.',
  })
  @Access('common', 'ACCOUNT_READ', 'ADMIN_READ')
  @Cost(1, ['pageSize'])
  async budgets(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => BudgetListArgs) args: BudgetListArgs,
  ): Promise<PageOf<BudgetObject>> {
    const page = await this.budgetService.list(actor, toBudgetFilter(args.filter), listQueryOf(args));
    return PageOf.from(page, toBudgetObject);
  }

  @PayloadMutation(
    {
      budget: [() => BudgetObject, 'The new budget, or that of the first call with the key.'],
      replayed: [() => Boolean, 'An earlier call with this idempotency key created the budget.'],
    },
    'Owners may set budgets of their keys, admins all. Safe to retry.',
  )
  @Access('common')
  async createBudget(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateBudgetInput, { description: 'The budget.' }) input: CreateBudgetInput,
  ): Promise<{ budget: BudgetObject; replayed: boolean }> {
    const { replayed, ...view } = await this.budgetService.create(actor, toNewBudget(input), input.idempotencyKey);
    return { budget: toBudgetObject(view), replayed };
  }

  @PayloadMutation(
    { budget: [() => BudgetObject, 'The budget after the change.'] },
    'Calls that begin from now on follow it.',
  )
  @Access('common')
  async updateBudget(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateBudgetInput, { description: 'What changes.' }) input: UpdateBudgetInput,
  ): Promise<{ budget: BudgetObject }> {
    return { budget: toBudgetObject(await this.budgetService.update(actor, input.id, toBudgetPatch(input))) };
  }

  @PayloadMutation({ id: [() => Int, 'The id of the deleted budget.'] }, 'Deletes a budget and what it has counted.')
  @Access('common')
  async deleteBudget(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Budget.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.budgetService.delete(actor, id);
    return { id };
  }
}
