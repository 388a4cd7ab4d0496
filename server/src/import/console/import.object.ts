import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { fields, flag, inputFields, int, nullable, of, safeInt, text } from '../../platform/graphql/fields.js';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { payloadObject } from '../../platform/graphql/payload.js';
import { GraphQLDateTime } from '../../platform/graphql/scalars.js';
import type { PlanChoice } from '../map/mapped.js';
import { jobFailures, type JobFailure } from '../job-protocol.js';
import type { ProgressState } from '../progress.js';
import type { StoredRun } from '../write/site.js';
import { importStates, type JobChoices, type ImportJob, type ImportState } from './import-jobs.js';
import { ImportReportObject, toReport } from './import-report.object.js';
import type { ImportView } from './import.service.js';

const ImportStateEnum = enumType('ImportState', namesOf(importStates), 'How far a move is.', {
  READY: 'A file was uploaded.',
  CHECKING: 'The dry run reads the source.',
  CHECKED: 'The dry run has ended.',
  MOVING: 'Rows are written.',
  MOVED: 'The move has ended.',
  CANCELLED: 'What was moved stays. Starting again continues.',
  FAILED: 'What was moved stays. Starting again continues.',
});

const ImportFailureEnum = enumType('ImportFailure', namesOf(jobFailures), 'Why a move has ended.', {
  FAILED: 'Another failure; `failureText` has it.',
  SOURCE_REFUSED: 'The source cannot be opened, read or carried.',
  SITE_REFUSED: 'This site cannot be moved into.',
  FILE_MISSING: 'The uploaded file is no longer there.',
});

const ImportPlansEnum = enumType(
  'ImportPlans',
  { REFUSE: 'refuse', MOVE: 'move', BALANCE: 'balance', DROP: 'drop' },
  'What happens to active subscriptions.',
  {
    REFUSE: 'They block the move.',
    MOVE: 'They are moved with what is left of them.',
    BALANCE: 'What is left of them is credited.',
    DROP: 'They are left out.',
  },
);

@InputType({ description: 'How a source is moved.' })
export class ImportChoicesInput {
  @Field(() => Int, { nullable: true, description: 'Log rows of the last days. Null: all; 0: none.' })
  logDays?: number | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Moves every account without second factors.' })
  dropTwoFactor: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'Moves although prices will differ.' })
  acceptPriceDifferences: boolean;

  @Field(() => [String], {
    defaultValue: [],
    description: 'Findings that are accepted, by the name that each row has.',
  })
  accepted: string[];

  @Field(() => ImportPlansEnum, { defaultValue: 'refuse', description: 'What becomes of active subscriptions.' })
  plans: PlanChoice;

  @Field(() => Boolean, { defaultValue: false, description: 'Prompts and responses in log rows are moved too.' })
  withContent: boolean;
}

@InputType({ description: 'A source to check.' })
export class CheckImportInput extends inputFields({
  connection: text.orNull(
    'URL of a Postgres or MySQL database, or a Go DSN. Absent: the uploaded file, or the connection given before.',
  ),
  logConnection: text.orNull('The database of the log, where it is another one.'),
  keysConnection: text.orNull('The database of LiteLLM, beside its config.yaml.'),
  environment: text.orNull('`NAME=value` lines that a config.yaml refers to.'),
  choices: of<ImportChoicesInput>(() => ImportChoicesInput, 'How the source is moved.'),
}) {}

@ObjectType('ImportChoices', { description: 'How a source is moved.' })
class ImportChoicesObject extends fields({
  logDays: int.orNull('Log rows of the last days. Null: all; 0: none.'),
  dropTwoFactor: flag('Every account is moved without second factors.'),
  acceptPriceDifferences: flag('The source is moved although prices will differ.'),
  accepted: of<readonly string[]>(() => [String], 'Findings that are accepted, by the name that each row has.'),
  plans: of<string>(() => ImportPlansEnum, 'What becomes of active subscriptions.'),
  withContent: flag('Prompts and responses in log rows are moved too.'),
}) {}

@ObjectType('ImportProgress', { description: 'How far a move is. Rows of all tables together.' })
class ImportProgressObject
  extends fields({
    step: text('The table, or `proof`.'),
    done: safeInt('Rows that the move has dealt with so far.'),
    total: safeInt('Rows of all tables.'),
    secondsLeft: int.orNull('Estimate; null at the beginning.'),
  })
  implements ProgressState {}

@ObjectType('ImportJob', { description: 'The source that root has given, and its move.' })
class ImportJobObject extends fields({
  state: of<ImportState>(() => ImportStateEnum, 'How far the move is.'),
  sourceName: text('Name of the file, or the address without its password.'),
  hasFile: flag('The uploaded file is still there.'),
  choices: of<ImportChoicesObject>(() => ImportChoicesObject, 'How the source is moved.'),
  progress: nullable<ProgressState>(() => ImportProgressObject, 'Null while nothing is moved.'),
  preview: nullable<ImportReportObject>(() => ImportReportObject, 'Of the last dry run.'),
  report: nullable<ImportReportObject>(() => ImportReportObject, 'Of the move.'),
  failure: nullable<JobFailure>(() => ImportFailureEnum, 'Null: none.'),
  failureText: text('One sentence in English; empty without a failure.'),
}) {}

@ObjectType('ImportRun', { description: 'The move of this site, from the console or the command.' })
class ImportRunObject extends fields({
  name: text('Name of the source: a file, or an address without its password.'),
  family: text('`one-api`, `new-api`, `veloera`, `one-hub` or `litellm`.'),
  startedAt: of<Date>(() => GraphQLDateTime, 'When the first run began.'),
  finishedAt: nullable<Date>(() => GraphQLDateTime, 'Null: it is still running, or was broken off.'),
}) {}

@ObjectType('SiteImport', { description: 'Import from one-api, new-api, Veloera or LiteLLM.' })
export class SiteImportObject extends fields({
  refusal: text.orNull('Why nothing can be imported. Null: it can.'),
  maxFileBytes: safeInt('Largest file that can be uploaded.'),
  run: nullable<ImportRunObject>(() => ImportRunObject, 'Null: nothing was imported yet.'),
  job: nullable<ImportJobObject>(() => ImportJobObject, 'Null: no source was given.'),
}) {}

export const ImportPayload = payloadObject('ImportPayload', 'The result of a step of the import.', {
  siteImport: [() => SiteImportObject, 'The import after the step.'],
});

export const toSiteImport = ({ job, run, refusal, maxFileBytes }: ImportView): SiteImportObject => ({
  refusal,
  maxFileBytes,
  run: run && toRun(run),
  job: job && toJob(job),
});

const toRun = ({ name, family, startedAt, finishedAt }: StoredRun): ImportRunObject => ({
  name,
  family,
  startedAt,
  finishedAt,
});

const toJob = (job: ImportJob): ImportJobObject => ({
  state: job.state,
  sourceName: job.sourceName,
  hasFile: job.folder !== '',
  progress: job.progress,
  choices: { accepted: [], ...job.choices.decisions, logDays: toDays(job.choices.logs) },
  preview: job.preview && toReport(job.preview),
  report: job.report && toReport(job.report),
  failure: job.failure,
  failureText: job.failureText,
});

export const toChoices = ({ logDays, ...decisions }: ImportChoicesInput): JobChoices => ({
  logs: logDays === null || logDays === undefined ? 'all' : logDays <= 0 ? 'none' : { days: Math.min(logDays, 9999) },
  decisions: { ...decisions },
});

const toDays = (logs: JobChoices['logs']): number | null => (logs === 'all' ? null : logs === 'none' ? 0 : logs.days);
