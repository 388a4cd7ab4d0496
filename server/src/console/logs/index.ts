export { LogExport } from './log-export.js';
export { LogTail } from './log-tail.js';
export type { LogView } from './log-view.js';
export { Log, LogType } from './log.entity.js';
export { LogService } from './log.service.js';
