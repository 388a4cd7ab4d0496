import { ObjectType } from 'type-graphql';
import { fields, flag, float, int, moment, of, text } from '../../../platform/graphql/fields.js';
import { enumType, namesOf } from '../../../platform/graphql/enums.js';
import { type DryRun, type DryRunFigures, type DryRunGap, dryRunGaps } from '../../../billing/prices/index.js';

const DryRunGapEnum = enumType('PriceDryRunGap', namesOf(dryRunGaps), 'Why calls are not part of the comparison.', {
  UNPRICED: 'The proposal has no price for the model: such calls would be refused.',
  UNKNOWN_QUANTITIES: 'The log rows lack a quantity that the proposal prices.',
});

@ObjectType('PriceDryRunFigures', { description: 'What calls brought in, and would bring in.' })
export class DryRunFiguresObject extends fields({
  calls: int('Calls that were priced again.'),
  usdBefore: float('As charged.'),
  usdAfter: float('By the proposal.'),
  costCalls: int('Calls whose cost is known. The margins are theirs.'),
  costUsd: float('What these calls cost the operator.'),
  marginBeforeUsd: float('As charged, less the cost, of calls whose cost is known.'),
  marginAfterUsd: float('By the proposal, less the cost, of the same calls.'),
}) {}

@ObjectType('PriceDryRunUser', { description: 'The effect of proposed prices on one user.' })
export class DryRunUserObject extends fields({
  userId: int('The user who paid for the calls.'),
  username: text('Empty when the user does not exist any more.'),
  figures: of<DryRunFiguresObject>(() => DryRunFiguresObject, 'The user’s calls.'),
}) {}

@ObjectType('PriceDryRunModel', { description: 'The effect of proposed prices on one model.' })
export class DryRunModelObject extends fields({
  modelName: text('As clients requested it.'),
  figures: of<DryRunFiguresObject>(() => DryRunFiguresObject, 'Calls of the model.'),
}) {}

@ObjectType('PriceDryRunSkipped', { description: 'Calls that are not part of the comparison.' })
export class DryRunSkippedObject extends fields({
  reason: of<DryRunGap>(() => DryRunGapEnum, 'Why the calls cannot be compared.'),
  calls: int('Calls with this reason.'),
  usd: float('As charged.'),
}) {}

@ObjectType('PriceDryRun', { description: 'Proposed prices, replayed over logged calls.' })
export class DryRunObject extends fields({
  since: moment('Start of the time whose calls were replayed.'),
  until: moment('End of the time whose calls were replayed.'),
  isComplete: flag('False: there were more calls than one run replays; the newest are compared.'),
  total: of<DryRunFiguresObject>(() => DryRunFiguresObject, 'Every call that could be priced again.'),
  skipped: of<DryRunSkippedObject[]>(
    () => [DryRunSkippedObject],
    'Calls that cannot be compared, by reason. Empty: none.',
  ),
  usersPayingMore: int('Users whose calls would cost more in total.'),
  usersPayingLess: int('Users whose calls would cost less in total.'),
  users: of<DryRunUserObject[]>(() => [DryRunUserObject], 'The 20 largest differences, the largest first.'),
  models: of<DryRunModelObject[]>(() => [DryRunModelObject], 'The 20 largest differences, the largest first.'),
}) {}

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
