import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql';
import { Access, Cost, TakesSettings } from '../../platform/graphql/access.js';
import type { GraphQLContext } from '../../platform/graphql/context.js';
import { nullWhenNotFound, omitNullish } from '../../platform/graphql/nullable.js';
import { listQueryOf, PageOf } from '../../platform/graphql/pagination.js';
import { PayloadMutation } from '../../platform/graphql/payload.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import type { QueryShape } from '../../shared/stored-query.js';
import type { Dashboard } from './dashboard.entity.js';
import {
  CreateDashboardInput,
  DashboardListArgs,
  DashboardObject,
  DashboardPageObject,
  PanelInput,
  PanelObject,
  PanelShapeObject,
  toPanel,
  UpdateDashboardInput,
} from './dashboard.object.js';
import type { DashboardService } from './dashboard.service.js';
import { maxPanels, type Panel } from './panel.js';

/** The cost of validating the query of a panel. */
const checkCost = 10;

/** Validation checks each distinct text of a query once. */
const costOfPanels = ({ input: { panels } }: { readonly input: UpdateDashboardInput }): number =>
  checkCost * new Set(panels?.map(({ query }) => query)).size;

@Resolver(() => DashboardObject)
export class DashboardResolver {
  constructor(private readonly service: DashboardService) {}

  @Access('usage.read')
  @Query(() => DashboardPageObject, { description: 'The caller’s own and all shared dashboards.' })
  @Cost(1, ['pageSize'])
  async dashboards(
    @Ctx() { actor }: GraphQLContext,
    @Args(() => DashboardListArgs) args: DashboardListArgs,
  ): Promise<PageOf<Dashboard>> {
    const page = await this.service.list(actor, omitNullish(args.filter ?? {}), listQueryOf(args));
    return PageOf.from(page, (row) => row);
  }

  @Access('usage.read')
  @Query(() => DashboardObject, {
    nullable: true,
    description: 'A dashboard. Null: it does not exist, or is private to another user.',
  })
  dashboard(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Dashboard.id`.' }) id: number,
  ): Promise<Dashboard | null> {
    return nullWhenNotFound(this.service.get(actor, id));
  }

  @Access('usage.read')
  @TakesSettings()
  @Cost(checkCost)
  @Query(() => PanelObject, {
    description:
      'Checks a panel as saving would, and returns it. INVALID_INPUT says what is wrong with it, INSUFFICIENT_PRIVILEGES what the caller may not read.',
  })
  checkPanel(
    @Ctx() { actor }: GraphQLContext,
    @Arg('panel', () => PanelInput, { description: 'The panel. It is not saved.' }) panel: PanelInput,
  ): Panel {
    return this.service.check(actor, toPanel(panel));
  }

  @FieldResolver(() => Boolean, { description: 'The caller may change and delete it.' })
  mayChange(@Root() dashboard: Dashboard, @Ctx() { actor }: GraphQLContext): boolean {
    return this.service.mayChange(actor, dashboard);
  }

  @Cost(maxPanels * checkCost)
  @FieldResolver(() => GraphQLJSON, {
    description:
      'The dashboard as Grafana imports it, with an Infinity data source (docs/graphql.md). Panels with a `refusal` are left out.',
  })
  grafana(@Root() dashboard: Dashboard): object {
    return this.service.exported(dashboard);
  }

  @Access('usage.read')
  @Cost(1, undefined, { once: costOfPanels })
  @PayloadMutation(
    {
      dashboard: [() => DashboardObject, 'The new dashboard, or that of the first call with the key.'],
      replayed: [() => Boolean, 'An earlier call with this key created the dashboard.'],
    },
    'Saves a new dashboard of the caller. Safe to retry. Each distinct query costs 10 more.',
  )
  createDashboard(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => CreateDashboardInput, { description: 'The dashboard.' })
    { idempotencyKey, ...fields }: CreateDashboardInput,
  ): Promise<{ dashboard: Dashboard; replayed: boolean }> {
    return this.service.create(actor, { ...fields, panels: fields.panels.map(toPanel) }, idempotencyKey);
  }

  @Access('usage.read')
  @Cost(1, undefined, { once: costOfPanels })
  @PayloadMutation(
    { dashboard: [() => DashboardObject, 'The dashboard after the change.'] },
    'Changes a dashboard of the caller. Root also changes shared ones of others. Each distinct query costs 10 more.',
  )
  async updateDashboard(
    @Ctx() { actor }: GraphQLContext,
    @Arg('input', () => UpdateDashboardInput, { description: 'What changes.' })
    { id, panels, ...fields }: UpdateDashboardInput,
  ): Promise<{ dashboard: Dashboard }> {
    const changes = { ...omitNullish(fields), ...(panels && { panels: panels.map(toPanel) }) };
    return { dashboard: await this.service.update(actor, id, changes) };
  }

  @Access('usage.read')
  @PayloadMutation(
    { id: [() => Int, 'The id of the deleted dashboard.'] },
    'Deletes a dashboard of the caller. Root also deletes shared ones of others.',
  )
  async deleteDashboard(
    @Ctx() { actor }: GraphQLContext,
    @Arg('id', () => Int, { description: '`Dashboard.id`.' }) id: number,
  ): Promise<{ id: number }> {
    await this.service.delete(actor, id);
    return { id };
  }
}

@Resolver(() => PanelObject)
export class PanelResolver {
  constructor(private readonly service: DashboardService) {}

  @Cost(checkCost)
  @FieldResolver(() => PanelShapeObject, {
    nullable: true,
    description: 'Where its response has rows and numbers. Null: the query is refused, and not to be run.',
  })
  shape(@Root() panel: Panel): QueryShape | null {
    return this.service.checkStored(panel).shape;
  }

  @Cost(checkCost)
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Why the query is not to be run: it does not fit the schema of this version, or asks for what no panel may. Null: it can be run.',
  })
  refusal(@Root() panel: Panel): string | null {
    return this.service.checkStored(panel).refusal;
  }
}
