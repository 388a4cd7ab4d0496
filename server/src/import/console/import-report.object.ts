import { Field, ObjectType } from 'type-graphql';
import { fields, flag, float, int, nullable, of, safeInt, text } from '../../platform/graphql/fields.js';
import { enumType } from '../../platform/graphql/enums.js';
import type { Finding } from '../findings.js';
import type { ChargeDifference } from '../replay.js';
import type { ChannelAddress } from '../channels/compare-channels.js';
import { isProven, type ImportReport, type Sums, type TableCounts } from '../report.js';

const shownExamples = 20;

const ImportSeverityEnum = enumType(
  'ImportSeverity',
  {
    BLOCKING: 'blocking',
    REFUSED: 'refused',
    DISABLED: 'disabled',
    CHANGED: 'changed',
    LEFT_OUT: 'left out',
    NOTICE: 'notice',
  },
  'How rows are treated that are not moved as they are.',
  {
    BLOCKING: 'The move needs a decision.',
    REFUSED: 'The row cannot be stored here.',
    DISABLED: 'Moved, and disabled.',
    CHANGED: 'Moved with other values.',
    LEFT_OUT: 'Not moved.',
    NOTICE: 'Moved as it is.',
  },
);

const ImportEffectEnum = enumType(
  'ImportEffect',
  { REFUSED_HERE: 'refused here', COSTS_DIFFERENTLY: 'costs differently', LEFT_OUT: 'left out' },
  'What users notice of a finding.',
  {
    REFUSED_HERE: 'Calls that worked will be refused.',
    COSTS_DIFFERENTLY: 'Calls will cost something else.',
    LEFT_OUT: 'Something is not moved.',
  },
);

@ObjectType('ImportTable', { description: 'Rows of a table of the source.' })
class ImportTableObject
  extends fields({
    table: text('The table of the source.'),
    found: safeInt('Rows in the source.'),
    moved: safeInt('Rows that are moved, or that the dry run would move.'),
    changed: safeInt('Moved before, and changed in the source since.'),
    same: safeInt('Moved before, and unchanged.'),
    leftOut: safeInt('Rows that are not moved.'),
  })
  implements TableCounts {}

@ObjectType('ImportSums', { description: 'Sums of the rows that are moved. Quota.' })
class ImportSumsObject
  extends fields({
    userQuota: safeInt('Balances of users.'),
    userUsedQuota: safeInt('Quota that users were charged.'),
    userRequests: safeInt('Number of calls.'),
    affiliateQuota: safeInt('Invite earnings that were not transferred.'),
    tokenRemainQuota: safeInt('Remaining quota of API keys.'),
    tokenUsedQuota: safeInt('Quota that calls of API keys were charged.'),
    channelUsedQuota: safeInt('Quota that calls of channels were charged.'),
    planQuota: safeInt('What is left of running subscriptions until their next reset.'),
  })
  implements Sums {}

@ObjectType('ImportRow', { description: 'A row that a finding is about.' })
class ImportRowObject extends fields({
  table: text('The table of the source.'),
  id: text('The id or name of the row in the source.'),
  detail: text('What is special about the row. Empty: nothing to add.'),
}) {}

@ObjectType('ImportFinding', { description: 'Rows that are changed or left out, or that need attention.' })
class ImportFindingObject
  extends fields({
    code: of<Finding['code']>(() => String, 'Stable.'),
    severity: of<Finding['severity']>(() => ImportSeverityEnum, 'How the rows are treated.'),
    text: text('The reason, in English.'),
    count: safeInt('Rows that the finding is about.'),
    examples: of<ImportRowObject[]>(() => [ImportRowObject], 'The first 20.'),
  })
  implements Omit<Finding, 'examples'>
{
  @Field(() => ImportEffectEnum, { nullable: true, description: 'What users notice. Null: nothing.' })
  list: Finding['list'];
}

@ObjectType('ImportChargeDifference', { description: 'Calls of the log whose charge would not be the same here.' })
class ImportChargeDifferenceObject
  extends fields({
    model: text('The model, as clients requested it.'),
    group: text('The group that the calls were charged by.'),
    calls: int('Calls of the log that would be charged differently.'),
    there: safeInt('Quota that was charged.'),
    here: safeInt.orNull('Quota that is charged here. Null: refused.'),
    perMonth: float('USD that users pay more in 30 days; negative: less.'),
    isAccepted: flag('Whether root accepted the difference, which then does not keep the move from being proven.'),
  })
  implements ChargeDifference {}

@ObjectType('ImportChannelAddress', { description: 'Where a channel sends a chat call.' })
class ImportChannelAddressObject
  extends fields({
    id: int('The id of the channel in the source.'),
    name: text('The name of the channel.'),
    model: text('Of the call, after the mapping.'),
    there: text.orNull('In the old program. Null: a URL is not known before the call.'),
    here: text.orNull('Here. Null: a URL is not known before the call.'),
    probe: text.orNull('The result of a test call. Null: none was sent.'),
  })
  implements ChannelAddress {}

@ObjectType('ImportProof', { description: 'Evidence that a move is complete.' })
class ImportProofObject extends fields({
  sumsAreEqual: flag('Balances and counters are equal to the unit.'),
  keysFound: int('API keys of the source that are found here.'),
  keysExpected: int('API keys that were to be moved.'),
  drifts: int('Inconsistent accounts of the ledger, as `reconcile` names them.'),
  replayed: int('Charges of the newest log rows that were computed at the prices of this site.'),
  replayedEqual: int('Those that come out the same, to one unit.'),
  isProven: flag('Equal sums, every key, a consistent ledger, and no charge that differs unless accepted.'),
}) {}

@ObjectType('ImportReport', { description: 'The result of a dry run or of a move.' })
export class ImportReportObject extends fields({
  family: text('`one-api`, `new-api`, `veloera`, `one-hub` or `litellm`.'),
  version: text('Empty when unknown.'),
  engine: text('`sqlite`, `mysql`, `postgres` or `config`.'),
  isDryRun: flag('True: nothing was written.'),
  isBlocked: flag('Findings need a decision; nothing was written.'),
  seconds: int('Duration in whole seconds.'),
  tables: of<TableCounts[]>(() => [ImportTableObject], 'Rows by table of the source.'),
  sums: of<Sums>(() => ImportSumsObject, 'Sums of the rows that are moved.'),
  findings: of<ImportFindingObject[]>(() => [ImportFindingObject], 'Rows that are not moved as they are. Empty: none.'),
  differences: of<readonly ChargeDifference[]>(() => [ImportChargeDifferenceObject], 'The largest amount first.'),
  channels: of<readonly ChannelAddress[]>(() => [ImportChannelAddressObject], 'Of a dry run.'),
  proof: nullable<ImportProofObject>(() => ImportProofObject, 'Null for a dry run.'),
}) {}

export const toReport = (report: ImportReport): ImportReportObject => {
  const { source, tables, findings, proof } = report;
  const replay = proof?.replay ?? report.replay;
  return {
    ...report,
    ...source,
    seconds: Math.round(report.seconds),
    tables: [...tables],
    findings: findings.map((finding) => ({ ...finding, examples: finding.examples.slice(0, shownExamples) })),
    differences: replay?.different ?? [],
    proof: proof && {
      ...proof,
      drifts: proof.drifts.length,
      replayed: proof.replay.rows - proof.replay.unknown - proof.replay.older,
      replayedEqual: proof.replay.equal,
      isProven: isProven(report),
    },
  };
};
