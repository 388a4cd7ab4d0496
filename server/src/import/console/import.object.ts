import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { payloadObject } from '../../platform/graphql/payload.js';
import { GraphQLDateTime, GraphQLSafeInt } from '../../platform/graphql/scalars.js';
import { jobFailures, type JobFailure } from '../job-protocol.js';
import type { ProgressState } from '../progress.js';
import type { StoredRun } from '../write/site.js';
import { importStates, type JobChoices, type ImportJob, type ImportState } from './import-jobs.service.js';
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
  { REFUSE: 'refuse', BALANCE: 'balance', DROP: 'drop' },
  'What happens to active subscriptions.',
  {
    REFUSE: 'They block the move.',
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
  plans: 'refuse' | 'balance' | 'drop';

  @Field(() => Boolean, { defaultValue: false, description: 'Prompts and responses in log rows are moved too.' })
  withContent: boolean;
}

@InputType({ description: 'A source to check.' })
export class CheckImportInput {
  @Field(() => String, {
    nullable: true,
    description:
      'URL of a Postgres or MySQL database, or a Go DSN. Absent: the uploaded file, or the connection given before.',
  })
  connection?: string | null;

  @Field(() => String, { nullable: true, description: 'The database of the log, where it is another one.' })
  logConnection?: string | null;

  @Field(() => String, { nullable: true, description: 'The database of LiteLLM, beside its config.yaml.' })
  keysConnection?: string | null;

  @Field(() => String, { nullable: true, description: '`NAME=value` lines that a config.yaml refers to.' })
  environment?: string | null;

  @Field(() => ImportChoicesInput, { description: 'How the source is moved.' })
  choices: ImportChoicesInput;
}

@ObjectType('ImportChoices', { description: 'How a source is moved.' })
class ImportChoicesObject {
  @Field(() => Int, { nullable: true, description: 'Log rows of the last days. Null: all; 0: none.' })
  logDays: number | null;

  @Field(() => Boolean, { description: 'Every account is moved without second factors.' })
  dropTwoFactor: boolean;

  @Field(() => Boolean, { description: 'The source is moved although prices will differ.' })
  acceptPriceDifferences: boolean;

  @Field(() => [String], { description: 'Findings that are accepted, by the name that each row has.' })
  accepted: readonly string[];

  @Field(() => ImportPlansEnum, { description: 'What becomes of active subscriptions.' })
  plans: string;

  @Field(() => Boolean, { description: 'Prompts and responses in log rows are moved too.' })
  withContent: boolean;
}

@ObjectType('ImportProgress', { description: 'How far a move is. Rows of all tables together.' })
class ImportProgressObject implements ProgressState {
  @Field(() => String, { description: 'The table, or `proof`.' })
  step: string;

  @Field(() => GraphQLSafeInt, { description: 'Rows that the move has dealt with so far.' })
  done: number;

  @Field(() => GraphQLSafeInt, { description: 'Rows of all tables.' })
  total: number;

  @Field(() => Int, { nullable: true, description: 'Estimate; null at the beginning.' })
  secondsLeft: number | null;
}

@ObjectType('ImportJob', { description: 'The source that root has given, and its move.' })
class ImportJobObject {
  @Field(() => ImportStateEnum, { description: 'How far the move is.' })
  state: ImportState;

  @Field(() => String, { description: 'Name of the file, or the address without its password.' })
  sourceName: string;

  @Field(() => Boolean, { description: 'The uploaded file is still there.' })
  hasFile: boolean;

  @Field(() => ImportChoicesObject, { description: 'How the source is moved.' })
  choices: ImportChoicesObject;

  @Field(() => ImportProgressObject, { nullable: true, description: 'Null while nothing is moved.' })
  progress: ProgressState | null;

  @Field(() => ImportReportObject, { nullable: true, description: 'Of the last dry run.' })
  preview: ImportReportObject | null;

  @Field(() => ImportReportObject, { nullable: true, description: 'Of the move.' })
  report: ImportReportObject | null;

  @Field(() => ImportFailureEnum, { nullable: true, description: 'Null: none.' })
  failure: JobFailure | null;

  @Field(() => String, { description: 'One sentence in English; empty without a failure.' })
  failureText: string;
}

@ObjectType('ImportRun', { description: 'The move of this site, from the console or the command.' })
class ImportRunObject {
  @Field(() => String, { description: 'Name of the source: a file, or an address without its password.' })
  name: string;

  @Field(() => String, { description: '`one-api`, `new-api`, `veloera` or `litellm`.' })
  family: string;

  @Field(() => GraphQLDateTime, { description: 'When the first run began.' })
  startedAt: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'Null: it is still running, or was broken off.' })
  finishedAt: Date | null;
}

@ObjectType('SiteImport', { description: 'Import from one-api, new-api, Veloera or LiteLLM.' })
export class SiteImportObject {
  @Field(() => String, { nullable: true, description: 'Why nothing can be imported. Null: it can.' })
  refusal: string | null;

  @Field(() => GraphQLSafeInt, { description: 'Largest file that can be uploaded.' })
  maxFileBytes: number;

  @Field(() => ImportRunObject, { nullable: true, description: 'Null: nothing was imported yet.' })
  run: ImportRunObject | null;

  @Field(() => ImportJobObject, { nullable: true, description: 'Null: no source was given.' })
  job: ImportJobObject | null;
}

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
