import { Field, Float, Int, ObjectType } from 'type-graphql';
import { enumType } from '../../platform/graphql/enums.js';
import { GraphQLSafeInt } from '../../platform/graphql/scalars.js';
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
class ImportTableObject implements TableCounts {
  @Field(() => String, { description: 'The table of the source.' })
  table: string;

  @Field(() => GraphQLSafeInt, { description: 'Rows in the source.' })
  found: number;

  @Field(() => GraphQLSafeInt, { description: 'Rows that are moved, or that the dry run would move.' })
  moved: number;

  @Field(() => GraphQLSafeInt, { description: 'Moved before, and changed in the source since.' })
  changed: number;

  @Field(() => GraphQLSafeInt, { description: 'Moved before, and unchanged.' })
  same: number;

  @Field(() => GraphQLSafeInt, { description: 'Rows that are not moved.' })
  leftOut: number;
}

@ObjectType('ImportSums', { description: 'Sums of the rows that are moved. Quota.' })
class ImportSumsObject implements Sums {
  @Field(() => GraphQLSafeInt, { description: 'Balances of users.' })
  userQuota: number;

  @Field(() => GraphQLSafeInt, { description: 'Quota that users were charged.' })
  userUsedQuota: number;

  @Field(() => GraphQLSafeInt, { description: 'Number of calls.' })
  userRequests: number;

  @Field(() => GraphQLSafeInt, { description: 'Invite earnings that were not transferred.' })
  affiliateQuota: number;

  @Field(() => GraphQLSafeInt, { description: 'Remaining quota of API keys.' })
  tokenRemainQuota: number;

  @Field(() => GraphQLSafeInt, { description: 'Quota that calls of API keys were charged.' })
  tokenUsedQuota: number;

  @Field(() => GraphQLSafeInt, { description: 'Quota that calls of channels were charged.' })
  channelUsedQuota: number;
}

@ObjectType('ImportRow', { description: 'A row that a finding is about.' })
class ImportRowObject {
  @Field(() => String, { description: 'The table of the source.' })
  table: string;

  @Field(() => String, { description: 'The id or name of the row in the source.' })
  id: string;

  @Field(() => String, { description: 'What is special about the row. Empty: nothing to add.' })
  detail: string;
}

@ObjectType('ImportFinding', { description: 'Rows that are changed or left out, or that need attention.' })
class ImportFindingObject implements Omit<Finding, 'examples'> {
  @Field(() => String, { description: 'Stable.' })
  code: Finding['code'];

  @Field(() => ImportSeverityEnum, { description: 'How the rows are treated.' })
  severity: Finding['severity'];

  @Field(() => ImportEffectEnum, { nullable: true, description: 'What users notice. Null: nothing.' })
  list: Finding['list'];

  @Field(() => String, { description: 'The reason, in English.' })
  text: string;

  @Field(() => GraphQLSafeInt, { description: 'Rows that the finding is about.' })
  count: number;

  @Field(() => [ImportRowObject], { description: 'The first 20.' })
  examples: ImportRowObject[];
}

@ObjectType('ImportChargeDifference', { description: 'Calls of the log whose charge would not be the same here.' })
class ImportChargeDifferenceObject implements ChargeDifference {
  @Field(() => String, { description: 'The model, as clients requested it.' })
  model: string;

  @Field(() => String, { description: 'The group that the calls were charged by.' })
  group: string;

  @Field(() => Int, { description: 'Calls of the log that would be charged differently.' })
  calls: number;

  @Field(() => GraphQLSafeInt, { description: 'Quota that was charged.' })
  there: number;

  @Field(() => GraphQLSafeInt, { nullable: true, description: 'Quota that is charged here. Null: refused.' })
  here: number | null;

  @Field(() => Float, { description: 'USD that users pay more in 30 days; negative: less.' })
  perMonth: number;

  @Field(() => Boolean, {
    description: 'Whether root accepted the difference. It does not keep the move from being proven.',
  })
  isAccepted: boolean;
}

@ObjectType('ImportChannelAddress', { description: 'Where a channel sends a chat call.' })
class ImportChannelAddressObject implements ChannelAddress {
  @Field(() => Int, { description: 'The id of the channel in the source.' })
  id: number;

  @Field(() => String, { description: 'The name of the channel.' })
  name: string;

  @Field(() => String, { description: 'Of the call, after the mapping.' })
  model: string;

  @Field(() => String, { nullable: true, description: 'In the old program. Null: a URL is not known before the call.' })
  there: string | null;

  @Field(() => String, { nullable: true, description: 'Here. Null: a URL is not known before the call.' })
  here: string | null;

  @Field(() => String, { nullable: true, description: 'The result of a test call. Null: none was sent.' })
  probe: string | null;
}

@ObjectType('ImportProof', { description: 'Evidence that a move is complete.' })
class ImportProofObject {
  @Field(() => Boolean, { description: 'Balances and counters are equal to the unit.' })
  sumsAreEqual: boolean;

  @Field(() => Int, { description: 'API keys of the source that are found here.' })
  keysFound: number;

  @Field(() => Int, { description: 'API keys that were to be moved.' })
  keysExpected: number;

  @Field(() => Int, { description: 'Inconsistent accounts of the ledger, as `reconcile` names them.' })
  drifts: number;

  @Field(() => Int, { description: 'Charges of the newest log rows that were computed at the prices of this site.' })
  replayed: number;

  @Field(() => Int, { description: 'Those that come out the same, to one unit.' })
  replayedEqual: number;

  @Field(() => Boolean, {
    description: 'Equal sums, every key, a consistent ledger, and no charge that differs unless accepted.',
  })
  isProven: boolean;
}

@ObjectType('ImportReport', { description: 'The result of a dry run or of a move.' })
export class ImportReportObject {
  @Field(() => String, { description: '`one-api`, `new-api`, `veloera` or `litellm`.' })
  family: string;

  @Field(() => String, { description: 'Empty when unknown.' })
  version: string;

  @Field(() => String, { description: '`sqlite`, `mysql`, `postgres` or `config`.' })
  engine: string;

  @Field(() => Boolean, { description: 'True: nothing was written.' })
  isDryRun: boolean;

  @Field(() => Boolean, { description: 'Findings need a decision; nothing was written.' })
  isBlocked: boolean;

  @Field(() => Int, { description: 'Duration in whole seconds.' })
  seconds: number;

  @Field(() => [ImportTableObject], { description: 'Rows by table of the source.' })
  tables: TableCounts[];

  @Field(() => ImportSumsObject, { description: 'Sums of the rows that are moved.' })
  sums: Sums;

  @Field(() => [ImportFindingObject], { description: 'Rows that are not moved as they are. Empty: none.' })
  findings: ImportFindingObject[];

  @Field(() => [ImportChargeDifferenceObject], { description: 'The largest amount first.' })
  differences: readonly ChargeDifference[];

  @Field(() => [ImportChannelAddressObject], { description: 'Of a dry run.' })
  channels: readonly ChannelAddress[];

  @Field(() => ImportProofObject, { nullable: true, description: 'Null for a dry run.' })
  proof: ImportProofObject | null;
}

export const toReport = (report: ImportReport): ImportReportObject => ({
  family: report.source.family,
  version: report.source.version,
  engine: report.source.engine,
  isDryRun: report.isDryRun,
  isBlocked: report.isBlocked,
  seconds: Math.round(report.seconds),
  tables: [...report.tables],
  sums: report.sums,
  findings: report.findings.map((finding) => ({ ...finding, examples: finding.examples.slice(0, shownExamples) })),
  differences: (report.proof?.replay ?? report.replay)?.different ?? [],
  channels: report.channels,
  proof: report.proof && {
    sumsAreEqual: report.proof.sumsAreEqual,
    keysFound: report.proof.keysFound,
    keysExpected: report.proof.keysExpected,
    drifts: report.proof.drifts.length,
    replayed: report.proof.replay.rows - report.proof.replay.unknown - report.proof.replay.older,
    replayedEqual: report.proof.replay.equal,
    isProven: isProven(report),
  },
});
