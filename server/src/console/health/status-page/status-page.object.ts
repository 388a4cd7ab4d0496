import { Field, Float, Int, ObjectType } from 'type-graphql';
import { enumType, namesOf } from '../../../platform/graphql/enums.js';
import { serviceStates, type ServiceState } from '../../../shared/service-state.js';
import { statusPeriods, type ServiceStatus, type StatusPage, type StatusPeriod } from './status-page.service.js';
import type { Incident, Problem } from './status-timeline.js';

export const StatusPeriodEnum = enumType(
  'StatusPeriod',
  namesOf(Object.keys(statusPeriods) as StatusPeriod[]),
  'Full hours, with the running one at the end.',
  {
    DAY: '24 hours in buckets of one.',
    WEEK: '7 days in buckets of 6 hours.',
    MONTH: '30 days in buckets of 24 hours.',
    QUARTER: '90 days in buckets of 24 hours.',
  },
);

export const ServiceStateEnum = enumType('ServiceState', namesOf(serviceStates), 'How well calls are served.', {
  OPERATIONAL: 'No problem is known.',
  DEGRADED: 'Of all calls, 5 % or more failed.',
  OUTAGE: 'Half of all calls failed, or more; or no channel serves them.',
});

@ObjectType('ServiceProblem', { description: 'A part of the period with problems.' })
export class ProblemObject implements Problem {
  @Field(() => Int, { description: 'Number of the bucket. 0 is the oldest.' })
  bucket: number;

  @Field(() => ServiceStateEnum, { description: 'Of its worst hour.' })
  state: ServiceState;
}

@ObjectType('ServiceStatus', { description: 'The state of a model in a group.' })
export class ServiceStatusObject implements ServiceStatus {
  @Field(() => String, { description: 'As clients request it.' })
  modelName: string;

  @Field(() => String, { description: 'The group whose calls the state is of.' })
  group: string;

  @Field(() => ServiceStateEnum, { description: 'Of the running hour, or of the one before while it has no calls.' })
  state: ServiceState;

  @Field(() => Float, { description: 'Share of the hours without an outage, 0 to 1, rounded down.' })
  uptime: number;

  @Field(() => [ProblemObject], { description: 'Oldest first.' })
  problems: readonly Problem[];
}

@ObjectType('Incident', { description: 'A stretch of hours with problems.' })
export class IncidentObject implements Incident {
  @Field(() => String, { description: 'As clients request it.' })
  modelName: string;

  @Field(() => [String], { description: 'Groups in which the model had problems at that time.' })
  groups: readonly string[];

  @Field(() => ServiceStateEnum, { description: 'Of its worst hour.' })
  state: ServiceState;

  @Field(() => Date, { description: 'Start of the first hour with problems.' })
  from: Date;

  @Field(() => Date, { nullable: true, description: 'Null: it lasts.' })
  until: Date | null;
}

@ObjectType('StatusReport', {
  description: 'The state of what the site sells, without providers and numbers of calls.',
})
export class StatusPageObject implements StatusPage {
  @Field(() => Date, { description: 'Start of the oldest bucket.' })
  from: Date;

  @Field(() => Date, { description: 'End of the newest bucket, excluded.' })
  until: Date;

  @Field(() => Int, { description: 'Length of a bucket.' })
  bucketSeconds: number;

  @Field(() => ServiceStateEnum, { description: 'The worst of all models.' })
  state: ServiceState;

  @Field(() => [ServiceStatusObject], { description: 'By name and group.' })
  services: readonly ServiceStatus[];

  @Field(() => [IncidentObject], { description: 'The newest 50.' })
  incidents: readonly Incident[];
}
