import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { Cost } from '../../platform/graphql/access.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { listArgs, pageObject, sortInput, type SortFields } from '../../platform/graphql/pagination.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import { columnKinds, type ColumnKind, type QueryColumn, type QueryShape } from '../../shared/stored-query.js';
import type { Visibility } from './dashboard.entity.js';
import type { DashboardSortField } from './dashboard.service.js';
import { maxPanels, type Panel, type PanelKind, type PanelSize } from './panel.js';

const VisibilityEnum = enumType(
  'DashboardVisibility',
  { PRIVATE: 'private', SHARED: 'shared' } satisfies Record<string, Visibility>,
  'Who sees a dashboard.',
  { PRIVATE: 'Only its owner.', SHARED: 'Everyone who may read usage of the site.' },
);

const PanelKindEnum = enumType(
  'PanelKind',
  {
    NUMBER: 'number',
    LINE: 'line',
    BAR: 'bar',
    PIE: 'pie',
    RANKING: 'ranking',
    TABLE: 'table',
  } satisfies Record<string, PanelKind>,
  'How a panel shows its rows.',
  {
    NUMBER:
      'The first number of the response, large. Its change against the same field of `compared…` and further numbers stand below it, the same field of rows over time beside it.',
    LINE: 'The first number of each row over its first moment, a line for each group.',
    BAR: 'Stacked columns over the first moment; without one, a column for each row.',
    PIE: 'A slice for each row.',
    RANKING:
      'A bar for each row, in the order of the rows, with its share of the same field outside the rows, else of their sum.',
    TABLE: 'All scalars of each row.',
  },
);

const PanelSizeEnum = enumType(
  'PanelSize',
  { SMALL: 'small', MEDIUM: 'medium', WIDE: 'wide', LARGE: 'large' } satisfies Record<string, PanelSize>,
  'The width of a panel. On phones all are as wide as the screen.',
  {
    SMALL: 'A third of the screen.',
    MEDIUM: 'Half of the screen.',
    WIDE: 'Two thirds of the screen.',
    LARGE: 'The whole width.',
  },
);

const ColumnKindEnum = enumType('PanelColumnKind', namesOf(columnKinds), 'The type of a scalar.', {
  TIME: 'A moment.',
  TEXT: 'A text, an id or a value of an enum.',
  NUMBER: 'A number.',
  QUOTA: 'An amount of quota.',
  BOOLEAN: 'True or false.',
} satisfies Record<ColumnKind, string>);

@ObjectType('PanelColumn', { description: 'A scalar that a query selects.' })
class PanelColumnObject implements QueryColumn {
  @Field(() => String, { description: 'Names in the response, joined with dots, such as `metrics.usd`.' })
  path: string;

  @Field(() => String, {
    description: 'The same path without aliases: `metrics.latencyMs` where `path` is `metrics.p95`.',
  })
  field: string;

  @Field(() => ColumnKindEnum, { description: 'Its type.' })
  kind: ColumnKind;
}

@ObjectType('PanelShape', { description: 'Where the response of a panel has its rows, derived from its query.' })
export class PanelShapeObject implements QueryShape {
  @Field(() => String, {
    nullable: true,
    description: 'The path of the first list in `data`, such as `usage.items`. Null: the response is one row.',
  })
  rows: string | null;

  @Field(() => [PanelColumnObject], {
    description: 'Scalars of a row, with paths inside the row. Without the numbers that the panel does not show.',
  })
  columns: PanelColumnObject[];

  @Field(() => [PanelColumnObject], { description: 'The same of scalars outside the list, with paths in `data`.' })
  values: PanelColumnObject[];
}

@ObjectType('Panel', { description: 'A chart, number or table of a saved dashboard.' })
export class PanelObject implements Panel {
  @Field(() => String, { description: 'Its heading.' })
  title: string;

  @Field(() => PanelKindEnum, { description: 'How it shows its rows.' })
  kind: PanelKind;

  @Field(() => PanelSizeEnum, { description: 'Its width.' })
  size: PanelSize;

  @Field(() => String, { description: 'A GraphQL query. The viewer runs it, with their own rights.' })
  query: string;

  @Field(() => GraphQLJSON, {
    description:
      'Fixed values of variables, by name. The viewer fills `$range`, `$from`, `$until`, `$timeZone`, `$bucket`, `$usageFilter` and `$logFilter` that have none.',
  })
  variables: Record<string, unknown>;

  @Field(() => [String], {
    nullable: true,
    description:
      'The names in the response of the numbers that it shows, such as `usd`, the first one first. Null: all that the query selects.',
  })
  numbers?: readonly string[] | null;
}

@ObjectType('Dashboard', { description: 'A saved dashboard.' })
export class DashboardObject {
  @Field(() => Int, { description: 'Names the dashboard in mutations and in its address in the console.' })
  id: number;

  @Field(() => String, { description: 'Several dashboards may have the same.' })
  name: string;

  @Field(() => VisibilityEnum, { description: 'Who sees it.' })
  visibility: Visibility;

  @Field(() => String, {
    nullable: true,
    description: 'Its name among those that every site has, which cannot be changed. Null: made by a user.',
  })
  builtIn: string | null;

  @Field(() => Int, { nullable: true, description: '`User.id` of its owner. Null: built in.' })
  ownerId: number | null;

  @Cost(1, undefined, { rows: maxPanels })
  @Field(() => [PanelObject], { description: 'In the order in which they are shown.' })
  panels: PanelObject[];

  @Field(() => Date, { description: 'When it was created.' })
  createdAt: Date;

  @Field(() => Date, { description: 'When it was changed last.' })
  updatedAt: Date;
}

export const DashboardPageObject = pageObject(DashboardObject, 'DashboardPage', 'A page of dashboards.');

@InputType('DashboardFilter', { description: 'Conditions on dashboards. All must match.' })
export class DashboardFilterInput {
  @Field(() => VisibilityEnum, { nullable: true, description: 'Only private or only shared ones.' })
  visibility?: Visibility | null;

  @Field(() => Boolean, { nullable: true, description: 'True: only the caller’s own. False: only those of others.' })
  isMine?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Only the one with this `Dashboard.builtIn`, such as `usage`.' })
  builtIn?: string | null;
}

const sortFields: SortFields<DashboardSortField> = {
  ID: ['id', 'The id, which grows with time.'],
  NAME: ['name', 'The name, without regard to case.'],
  UPDATED_AT: ['updatedAt', 'When it was changed last.'],
};

@ArgsType()
export class DashboardListArgs extends listArgs(
  DashboardFilterInput,
  sortInput('Dashboard', sortFields),
  'Default: by name.',
) {}

@InputType('PanelInput', { description: 'A panel of a dashboard.' })
export class PanelInput {
  @Field(() => String, { description: '1 to 100 characters.' })
  title: string;

  @Field(() => PanelKindEnum, { description: 'How it shows its rows.' })
  kind: PanelKind;

  @Field(() => PanelSizeEnum, { defaultValue: 'medium', description: 'Its width.' })
  size: PanelSize;

  @Field(() => String, {
    description:
      'One GraphQL query that fits the schema, of at most 10,000 characters. No mutation, no subscription, and only root fields that the caller may read.',
  })
  query: string;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'Fixed values of variables, by name: at most 4,000 characters as JSON. Absent: none.',
  })
  variables?: Record<string, unknown> | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'The names in the response of the numbers that it shows, at most 20. Absent: all that the query selects. Panels with one query and other numbers ask once.',
  })
  numbers?: string[] | null;
}

export const toPanel = ({ variables, ...panel }: PanelInput): Record<string, unknown> => ({
  ...panel,
  variables: variables ?? {},
});

@InputType({ description: 'A new dashboard.' })
export class CreateDashboardInput {
  @Field(() => String, { description: '1 to 64 characters.' })
  name: string;

  @Field(() => VisibilityEnum, { defaultValue: 'private', description: 'Who sees it.' })
  visibility: Visibility;

  @Field(() => [PanelInput], { description: '1 to 24 panels, in the order in which they are shown.' })
  panels: PanelInput[];

  @Field(() => String, { nullable: true, description: 'A retry with the same key returns the same dashboard.' })
  idempotencyKey?: string | null;
}

@InputType({ description: 'Changes of a dashboard.' })
export class UpdateDashboardInput {
  @Field(() => Int, { description: '`Dashboard.id`.' })
  id: number;

  @Field(() => String, { nullable: true, description: 'Absent: unchanged.' })
  name?: string | null;

  @Field(() => VisibilityEnum, { nullable: true, description: 'Absent: unchanged.' })
  visibility?: Visibility | null;

  @Field(() => [PanelInput], { nullable: true, description: 'All of them. Absent: unchanged.' })
  panels?: PanelInput[] | null;
}
