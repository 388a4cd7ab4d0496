import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { enumType, namesOf } from '../../platform/graphql/enums.js';
import { payloadObject } from '../../platform/graphql/payload.js';
import { GraphQLDateTime, GraphQLSafeInt } from '../../platform/graphql/scalars.js';
import { jobFailures, type JobFailure } from '../job-protocol.js';
import type { ProgressState } from '../progress.js';
import type { StoredRun } from '../write/site.js';
import { moveInStates, type JobChoices, type MoveInJob, type MoveInState } from './move-in-jobs.service.js';
import { MoveInReportObject, toReport } from './move-in-report.object.js';
import type { MoveInView } from './move-in.service.js';

const MoveInStateEnum = enumType('MoveInState', namesOf(moveInStates), 'How far a move is.', {
  READY: 'A file was uploaded.',
  CHECKING: 'The dry run reads the source.',
  CHECKED: 'The dry run has ended.',
  CANCELLED: 'What was moved stays. Starting again continues.',
  FAILED: 'What was moved stays. Starting again continues.',
});

const MoveInFailureEnum = enumType('MoveInFailure', namesOf(jobFailures), 'Why a move has ended.', {
  SOURCE_REFUSED: 'The source cannot be opened, read or carried.',
  SITE_REFUSED: 'This site cannot be moved into.',
  FILE_MISSING: 'The uploaded file is no longer there.',
});

const MoveInPlansEnum = enumType(
  'MoveInPlans',
  { REFUSE: 'refuse', BALANCE: 'balance', DROP: 'drop' },
  'What happens to active subscriptions.',
  {
    REFUSE: 'They block the move.',
    BALANCE: 'What is left of them is credited.',
    DROP: 'They are left out.',
  },
);

@InputType({ description: 'How a source is moved.' })
export class MoveInChoicesInput {
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

  @Field(() => MoveInPlansEnum, { defaultValue: 'refuse' })
  plans: 'refuse' | 'balance' | 'drop';

  @Field(() => Boolean, { defaultValue: false, description: 'Prompts and responses in log rows are moved too.' })
  withContent: boolean;
}

@InputType({ description: 'A source to check.' })
export class CheckMoveInInput {
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

  @Field(() => MoveInChoicesInput)
  choices: MoveInChoicesInput;
}

@ObjectType('MoveInChoices', { description: 'How a source is moved.' })
class MoveInChoicesObject {
  @Field(() => Int, { nullable: true, description: 'Log rows of the last days. Null: all; 0: none.' })
  logDays: number | null;

  @Field(() => Boolean)
  dropTwoFactor: boolean;

  @Field(() => Boolean)
  acceptPriceDifferences: boolean;

  @Field(() => [String])
  accepted: readonly string[];

  @Field(() => MoveInPlansEnum)
  plans: string;

  @Field(() => Boolean)
  withContent: boolean;
}

@ObjectType('MoveInProgress', { description: 'How far a move is. Rows of all tables together.' })
class MoveInProgressObject implements ProgressState {
  @Field(() => String, { description: 'The table, or `proof`.' })
  step: string;

  @Field(() => GraphQLSafeInt)
  done: number;

  @Field(() => GraphQLSafeInt)
  total: number;

  @Field(() => Int, { nullable: true, description: 'Estimate; null at the beginning.' })
  secondsLeft: number | null;
}

@ObjectType('MoveInJob', { description: 'The source that root has given, and its move.' })
class MoveInJobObject {
  @Field(() => MoveInStateEnum)
  state: MoveInState;

  @Field(() => String, { description: 'Name of the file, or the address without its password.' })
  sourceName: string;

  @Field(() => Boolean, { description: 'The uploaded file is still there.' })
  hasFile: boolean;

  @Field(() => MoveInChoicesObject)
  choices: MoveInChoicesObject;

  @Field(() => MoveInProgressObject, { nullable: true, description: 'Null while nothing is moved.' })
  progress: ProgressState | null;

  @Field(() => MoveInReportObject, { nullable: true, description: 'Of the last dry run.' })
  preview: MoveInReportObject | null;

  @Field(() => MoveInReportObject, { nullable: true, description: 'Of the move.' })
  report: MoveInReportObject | null;

  @Field(() => MoveInFailureEnum, { nullable: true, description: 'Null: none.' })
  failure: JobFailure | null;

  @Field(() => String, { description: 'One sentence in English; empty without a failure.' })
  failureText: string;
}

@ObjectType('MoveInRun', { description: 'The move of this site, from the console or the command.' })
class MoveInRunObject {
  @Field(() => String)
  name: string;

  @Field(() => String)
  family: string;

  @Field(() => GraphQLDateTime)
  startedAt: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'Null: it is still running, or was broken off.' })
  finishedAt: Date | null;
}

@ObjectType('MoveIn', { description: 'Moving in from one-api, new-api, Veloera or LiteLLM.' })
export class MoveInObject {
  @Field(() => String, { nullable: true, description: 'Why nothing can be moved in. Null: it can.' })
  refusal: string | null;

  @Field(() => GraphQLSafeInt, { description: 'Largest file that can be uploaded.' })
  maxFileBytes: number;

  @Field(() => MoveInRunObject, { nullable: true, description: 'Null: nothing was moved in yet.' })
  run: MoveInRunObject | null;

  @Field(() => MoveInJobObject, { nullable: true, description: 'Null: no source was given.' })
  job: MoveInJobObject | null;
}

export const MoveInPayload = payloadObject('MoveInPayload', { moveIn: () => MoveInObject });

export const toMoveIn = ({ job, run, refusal, maxFileBytes }: MoveInView): MoveInObject => ({
  refusal,
  maxFileBytes,
  run: run && toRun(run),
  job: job && toJob(job),
});

const toRun = ({ name, family, startedAt, finishedAt }: StoredRun): MoveInRunObject => ({
  name,
  family,
  startedAt,
  finishedAt,
});

const toJob = (job: MoveInJob): MoveInJobObject => ({
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

export const toChoices = ({ logDays, ...decisions }: MoveInChoicesInput): JobChoices => ({
  logs: logDays === null || logDays === undefined ? 'all' : logDays <= 0 ? 'none' : { days: Math.min(logDays, 9999) },
  decisions: { ...decisions },
});

const toDays = (logs: JobChoices['logs']): number | null => (logs === 'all' ? null : logs === 'none' ? 0 : logs.days);
