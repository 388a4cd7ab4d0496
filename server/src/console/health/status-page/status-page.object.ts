import { ObjectType } from 'type-graphql';
import { fields, float, int, moment, of, text } from '../../../platform/graphql/fields.js';
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
export class ProblemObject
  extends fields({
    bucket: int('Number of the bucket. 0 is the oldest.'),
    state: of<ServiceState>(() => ServiceStateEnum, 'Of its worst hour.'),
  })
  implements Problem {}

@ObjectType('ServiceStatus', { description: 'The state of a model in a group.' })
export class ServiceStatusObject
  extends fields({
    modelName: text('As clients request it.'),
    group: text('The group whose calls the state is of.'),
    state: of<ServiceState>(() => ServiceStateEnum, 'Of the running hour, or of the one before while it has no calls.'),
    uptime: float('Share of the hours without an outage, 0 to 1, rounded down.'),
    problems: of<readonly Problem[]>(() => [ProblemObject], 'Oldest first.'),
  })
  implements ServiceStatus {}

@ObjectType('Incident', { description: 'A stretch of hours with problems.' })
export class IncidentObject
  extends fields({
    modelName: text('As clients request it.'),
    groups: of<readonly string[]>(() => [String], 'Groups in which the model had problems at that time.'),
    state: of<ServiceState>(() => ServiceStateEnum, 'Of its worst hour.'),
    from: moment('Start of the first hour with problems.'),
    until: moment.orNull('Null: it lasts.'),
  })
  implements Incident {}

@ObjectType('StatusReport', {
  description: 'The state of what the site sells, without providers and numbers of calls.',
})
export class StatusPageObject
  extends fields({
    from: moment('Start of the oldest bucket.'),
    until: moment('End of the newest bucket, excluded.'),
    bucketSeconds: int('Length of a bucket.'),
    state: of<ServiceState>(() => ServiceStateEnum, 'The worst of all models.'),
    services: of<readonly ServiceStatus[]>(() => [ServiceStatusObject], 'By name and group.'),
    incidents: of<readonly Incident[]>(() => [IncidentObject], 'The newest 50.'),
  })
  implements StatusPage {}
