import { Field, Float, Int, ObjectType } from 'type-graphql';
import { enumType, namesOf } from '../../../platform/graphql/enums.js';
import { type DryRun, type DryRunFigures, type DryRunGap, dryRunGaps } from '../../../billing/prices/index.js';

const DryRunGapEnum = enumType('PriceDryRunGap', namesOf(dryRunGaps), 'Why calls are not part of the comparison.', {
  UNPRICED: 'The proposal has no price for the model: such calls would be refused.',
  UNKNOWN_QUANTITIES: 'The log rows lack a quantity that the proposal prices.',
});

@ObjectType('PriceDryRunFigures', { description: 'What calls brought in, and would bring in.' })
export class DryRunFiguresObject {
  @Field(() => Int, { description: 'Calls that were priced again.' })
  calls: number;

  @Field(() => Float, { description: 'As charged.' })
  usdBefore: number;

  @Field(() => Float, { description: 'By the proposal.' })
  usdAfter: number;

  @Field(() => Int, { description: 'Calls whose cost is known. The margins are theirs.' })
  costCalls: number;

  @Field(() => Float, { description: 'What these calls cost the operator.' })
  costUsd: number;

  @Field(() => Float, { description: 'As charged, less the cost, of calls whose cost is known.' })
  marginBeforeUsd: number;

  @Field(() => Float, { description: 'By the proposal, less the cost, of the same calls.' })
  marginAfterUsd: number;
}

@ObjectType('PriceDryRunUser', { description: 'The effect of proposed prices on one user.' })
export class DryRunUserObject {
  @Field(() => Int, { description: 'The user who paid for the calls.' })
  userId: number;

  @Field(() => String, { description: 'Empty when the user does not exist any more.' })
  username: string;

  @Field(() => DryRunFiguresObject, { description: 'The user’s calls.' })
  figures: DryRunFiguresObject;
}

@ObjectType('PriceDryRunModel', { description: 'The effect of proposed prices on one model.' })
export class DryRunModelObject {
  @Field(() => String, { description: 'As clients requested it.' })
  modelName: string;

  @Field(() => DryRunFiguresObject, { description: 'Calls of the model.' })
  figures: DryRunFiguresObject;
}

@ObjectType('PriceDryRunSkipped', { description: 'Calls that are not part of the comparison.' })
export class DryRunSkippedObject {
  @Field(() => DryRunGapEnum, { description: 'Why the calls cannot be compared.' })
  reason: DryRunGap;

  @Field(() => Int, { description: 'Calls with this reason.' })
  calls: number;

  @Field(() => Float, { description: 'As charged.' })
  usd: number;
}

@ObjectType('PriceDryRun', { description: 'Proposed prices, replayed over logged calls.' })
export class DryRunObject {
  @Field(() => Date, { description: 'Start of the time whose calls were replayed.' })
  since: Date;

  @Field(() => Date, { description: 'End of the time whose calls were replayed.' })
  until: Date;

  @Field(() => Boolean, { description: 'False: there were more calls than one run replays; the newest are compared.' })
  isComplete: boolean;

  @Field(() => DryRunFiguresObject, { description: 'Every call that could be priced again.' })
  total: DryRunFiguresObject;

  @Field(() => [DryRunSkippedObject], { description: 'Calls that cannot be compared, by reason. Empty: none.' })
  skipped: DryRunSkippedObject[];

  @Field(() => Int, { description: 'Users whose calls would cost more in total.' })
  usersPayingMore: number;

  @Field(() => Int, { description: 'Users whose calls would cost less in total.' })
  usersPayingLess: number;

  @Field(() => [DryRunUserObject], { description: 'The 20 largest differences, the largest first.' })
  users: DryRunUserObject[];

  @Field(() => [DryRunModelObject], { description: 'The 20 largest differences, the largest first.' })
  models: DryRunModelObject[];
}

const nano = 1e9;

export function toDryRun({ quotaPerUnit, ...run }: DryRun): DryRunObject {
  const usd = (quota: number): number => quota / quotaPerUnit;
  const toFigures = (figures: DryRunFigures): DryRunFiguresObject => {
    const costUsd = figures.costNano / nano;
    return {
      calls: figures.calls,
      costCalls: figures.costCalls,
      costUsd,
      usdBefore: usd(figures.quotaBefore),
      usdAfter: usd(figures.quotaAfter),
      marginBeforeUsd: usd(figures.costQuotaBefore) - costUsd,
      marginAfterUsd: usd(figures.costQuotaAfter) - costUsd,
    };
  };
  return {
    since: new Date(run.since),
    until: new Date(run.until),
    isComplete: run.isComplete,
    usersPayingMore: run.usersPayingMore,
    usersPayingLess: run.usersPayingLess,
    total: toFigures(run.total),
    skipped: run.skipped.map(({ reason, calls, quota }) => ({ reason, calls, usd: usd(quota) })),
    users: run.users.map(({ key, username, figures }) => ({ userId: key, username, figures: toFigures(figures) })),
    models: run.models.map(({ key, figures }) => ({ modelName: key, figures: toFigures(figures) })),
  };
}
